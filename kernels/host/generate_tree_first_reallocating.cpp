// generate/tree-first-reallocating: the graph of generate/tree-first, with a vector of heads for each vertex.
//
// Report   tuwien-sssp, Graph Generation, first generator: "very slow due to having to reallocate a lot of memory for
//          temporary vectors".
// Departs  as generate_tree_first.cpp, but arcs are drawn once and appended to vectors, which move when they are full,
//          and are copied into the graph at the end. One thread does it all. The report does not say what its vectors
//          hold, nor by how much they grow: ours double, as std::vector does.

#include <algorithm>
#include <vector>

#include "tree_first.h"

// Writes the graph of generate_tree_first.
extern "C" void generate_tree_first_reallocating(RandomGraph graph, int *indptr, int *indices, int *weights)
{
    std::vector<std::vector<int>> heads(graph.vertices);
    const auto append = [&](const Arc *arcs, int size) {
        for (int i = 0; i < size; i++) heads[arcs[i].tail].push_back(arcs[i].head);
    };
    draw_tree(graph, 1, Word(graph.vertices), append);
    draw_until_full(graph, 1, append);

    indptr[0] = 0;
    for (int u = 0; u < graph.vertices; u++) {
        std::sort(heads[u].begin(), heads[u].end());
        int arc = indptr[u];
        for (const int v : heads[u]) {
            indices[arc] = v;
            weights[arc++] = weight_of(u, v, graph.low, graph.high, graph.keys.weights);
        }
        indptr[u + 1] = arc;
    }
}
