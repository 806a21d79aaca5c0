// sssp/dijkstra-linear: Dijkstra's algorithm with a linear scan for the closest vertex, O(V^2).
//
// Report   bsp-suite, Algorithm 3.7 (SSSP_Sequential).
// Departs  ends when no vertex left can be reached (printed: until V_T = V, which takes an infinite minimum).
//          Of parallel arcs the lightest counts (printed: "the" arc w(s, v)).
//          Line 7 scans an array that holds l[v] for v in V - V_T and infinity for v in V_T, block by block, for the
//          minimum, and then one block for its vertex: still O(V), but today's compilers vectorise it.

#include <algorithm>
#include <utility>
#include <vector>

#include "graph.h"

// The least entry and the first place that holds it.
static std::pair<int, int> find_closest(const std::vector<int> &lengths)
{
    constexpr int BLOCK = 2048;
    const int size = lengths.size();
    int closest = UNREACHABLE, where = 0;
    for (int begin = 0; begin < size; begin += BLOCK) {
        int least = UNREACHABLE;
        for (int v = begin; v < std::min(begin + BLOCK, size); v++) least = std::min(least, lengths[v]);
        if (least < closest) {
            closest = least;
            where = begin;
        }
    }
    return {closest, std::find(lengths.begin() + where, lengths.end(), closest) - lengths.begin()};
}

// Writes the distance of every vertex once `limit` vertices are settled (graph.vertices: all); returns how many
// were. A smaller limit leaves the distances unfinished: it serves to predict the time of a whole run.
extern "C" int sssp_dijkstra_linear(Graph graph, int source, int limit, int *distance)
{
    std::fill(distance, distance + graph.vertices, UNREACHABLE);
    std::vector<int> unsettled(graph.vertices, UNREACHABLE);
    distance[source] = unsettled[source] = 0;
    for (int count = 0; count < limit; count++) {
        const auto [closest, u] = find_closest(unsettled);
        if (closest == UNREACHABLE) return count;
        unsettled[u] = UNREACHABLE;
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            const int v = graph.indices[arc], through = closest + graph.weights[arc];
            if (through < distance[v]) distance[v] = unsettled[v] = through;
        }
    }
    return limit;
}
