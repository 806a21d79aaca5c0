// Not a solver: the order in which betweenness/lanes takes its sources, so that those of a block are near each other.
//
// Method   a breadth-first search from the vertex of most arcs meets neighbours one after the other.

#include <vector>

#include "graph.h"

constexpr int AHEAD = 8;  // arcs are requested so many vertices before they are read

// Writes the vertices with a source count in the order in which a search from the vertex of most arcs, the first of
// them, meets them; then those that it does not meet, in order. Returns how many there are.
extern "C" int order_sources(Graph graph, const int *source_count, int *sources)
{
    const int n = graph.vertices;
    if (n == 0) return 0;
    const auto degree = [&](int v) { return graph.indptr[v + 1] - graph.indptr[v]; };
    int start = 0;
    for (int v = 1; v < n; v++)
        if (degree(v) > degree(start)) start = v;
    std::vector<char> seen(n);
    std::vector<int> met(n + AHEAD);
    int reached = 1, size = 0;
    met[0] = start;
    seen[start] = true;
    for (int head = 0; head < reached; head++) {
        __builtin_prefetch(graph.indices + graph.indptr[met[head + AHEAD]]);
        for (int arc = graph.indptr[met[head]]; arc < graph.indptr[met[head] + 1]; arc++) {
            const int v = graph.indices[arc];
            met[reached] = v;  // the next neighbour takes its place if v was seen: nothing branches
            reached += !seen[v];
            seen[v] = true;
        }
    }
    for (int i = 0; i < reached; i++)
        if (source_count[met[i]]) sources[size++] = met[i];
    for (int v = 0; v < n; v++)
        if (!seen[v] && source_count[v]) sources[size++] = v;
    return size;
}
