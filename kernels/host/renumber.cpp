// Not a solver: numbers the vertices of a graph in breadth-first order.
//
// Used by  betweenness/bitmap-queue with renumbered=yes. The vertices of a level then have near numbers, so that the
//          threads of a warp, which take one each, share sectors of memory.
// Method   a search from any vertex ends at one far from most others. A search from there meets the vertices in an
//          order in which any small part of the graph lies close together.

#include <cstddef>
#include <numeric>
#include <vector>

#include "graph.h"

// Returns all vertices in the order in which searches from `starts`, one after the other, meet them.
static std::vector<int> search(const Graph &graph, const std::vector<int> &starts)
{
    std::vector<char> is_met(graph.vertices);
    std::vector<int> met;
    met.reserve(graph.vertices);
    const auto meet = [&](int v) {
        if (is_met[v]) return;
        is_met[v] = true;
        met.push_back(v);
    };
    std::size_t head = 0;
    for (const int start : starts)
        for (meet(start); head < met.size(); head++)
            for (int arc = graph.indptr[met[head]]; arc < graph.indptr[met[head] + 1]; arc++) meet(graph.indices[arc]);
    return met;
}

// Writes the graph with its vertices in breadth-first order; `kept` gets the old number of each. The arcs of a vertex keep
// their order.
extern "C" void renumber(Graph graph, int *kept, int *indptr, int *indices)
{
    std::vector<int> order(graph.vertices), number(graph.vertices);
    std::iota(order.begin(), order.end(), 0);
    order = search(graph, order);
    order = search(graph, {order.rbegin(), order.rend()});
    for (int u = 0; u < graph.vertices; u++) {
        kept[u] = order[u];
        number[order[u]] = u;
    }
    int arcs = indptr[0] = 0;
    for (int u = 0; u < graph.vertices; u++) {
        for (int arc = graph.indptr[kept[u]]; arc < graph.indptr[kept[u] + 1]; arc++)
            indices[arcs++] = number[graph.indices[arc]];
        indptr[u + 1] = arcs;
    }
}
