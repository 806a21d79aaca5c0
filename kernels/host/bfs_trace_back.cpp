// Not a solver: the predecessors that the solvers of bfs hand out, found in the levels.
//
// Report   hong-bfs, "Finding shortest path": from a vertex back to the source, at each step to the neighbour with the
//          smallest label. One pass over all arcs takes that step for every vertex.

#include <algorithm>

#include "graph.h"

// Writes for each vertex the neighbour of the smallest level from which an arc leads to it; -1 for the source and for
// vertices that are not reached.
extern "C" void trace_back(Graph graph, const int *level, int *predecessor)
{
    std::fill(predecessor, predecessor + graph.vertices, -1);
    for (int u = 0; u < graph.vertices; u++) {
        if (level[u] == UNREACHABLE) continue;
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            const int v = graph.indices[arc];
            int &before = predecessor[v];
            if (level[v] > 0 && (before < 0 || level[u] < level[before])) before = u;  // the source alone is at 0
        }
    }
}
