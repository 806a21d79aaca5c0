// sssp/dijkstra-linear: Dijkstra's algorithm with a linear scan for the closest vertex, O(V^2).
//
// Report   bsp-suite, Algorithm 3.7 (SSSP_Sequential).
// Departs  the loop ends when no unsettled vertex can be reached (in print it runs until V_T = V, and so settles
//          vertices at an infinite distance). Of parallel arcs the lightest counts (in print: "the" arc w(s, v)).
//          Lines 1 to 4, which settle the source, are the first turn of the loop.
//          Line 9 scans V - V_T for heads of u. This visits the arcs of u alone.
//          Line 7 scans an array that holds l[v] for v in V - V_T and infinity for v in V_T. It takes the minimum of
//          each block of the array, then searches one block for the vertex. This is still O(V), but compilers
//          vectorise it.
//          A sum beyond 32 bits does not wrap around: path_length.h.

#include <algorithm>
#include <utility>
#include <vector>

#include "../sssp/path_length.h"
#include "graph.h"

// Returns the smallest entry and its first position.
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

// Writes the distance of every vertex after at most `limit` vertices are settled (graph.vertices for all); returns the
// number of settled vertices. A smaller limit leaves the distances unfinished and serves to predict the time of a full
// run.
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
            const int v = graph.indices[arc], sum = through(closest, graph.weights[arc]);
            if (sum < distance[v]) distance[v] = unsettled[v] = sum;
        }
    }
    return limit;
}
