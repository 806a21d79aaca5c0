// Shared by the host's preparation of betweenness: a graph without some of its vertices.

#pragma once

#include <vector>

#include "graph.h"

// Writes the graph without the removed vertices: the rest is renumbered, and vertices and arcs keep their order. `kept`
// gets the old number of each vertex. There is room for the whole graph. Returns the number of vertices that are left.
template <typename Offset>
int write_subgraph(const GraphOf<Offset> &graph, const std::vector<char> &removed, int *kept, Offset *indptr,
                   int *indices)
{
    std::vector<int> number(graph.vertices);
    int left = 0;
    Offset arcs = 0;
    for (int v = 0; v < graph.vertices; v++) {
        number[v] = removed[v] ? -1 : left;
        kept[left] = v;
        left += !removed[v];
    }
    indptr[0] = 0;
    for (int u = 0; u < left; u++) {
        for (Offset arc = graph.indptr[kept[u]]; arc < graph.indptr[kept[u] + 1]; arc++) {
            const int v = number[graph.indices[arc]];
            indices[arcs] = v;
            arcs += v >= 0;
        }
        indptr[u + 1] = arcs;
    }
    return left;
}
