// Not a solver: removes the side vertices of a graph, those of degree 2 whose neighbours are adjacent.
//
// Report   domitrz-brandes, "Further graph reductions"; Sariyuce et al., SDM 2013, as in compact.cpp.

#include <algorithm>

#include "subgraph.h"

// Writes which vertices of a simple graph, whose arcs are sorted by head, are side vertices, and the graph without them
// as in subgraph.h. Returns its number of vertices.
extern "C" int remove_side_vertices(Graph graph, bool *side, int *kept, int *indptr, int *indices)
{
    std::vector<char> removed(graph.vertices);
    for (int v = 0; v < graph.vertices; v++) {
        const int *const near = graph.indices + graph.indptr[v];
        if (graph.indptr[v + 1] - graph.indptr[v] == 2)
            removed[v] = std::binary_search(graph.indices + graph.indptr[near[0]],
                                            graph.indices + graph.indptr[near[0] + 1], near[1]);
        side[v] = removed[v];
    }
    return write_subgraph(graph, removed, kept, indptr, indices);
}
