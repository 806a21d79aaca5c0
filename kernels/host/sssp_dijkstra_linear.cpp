// sssp/dijkstra-linear: Dijkstra's algorithm with a linear scan for the closest vertex, O(V^2).
//
// Report   bsp-suite, Algorithm 3.7 (SSSP_Sequential).
// Departs  ends when no vertex left can be reached (printed: until V_T = V, which takes an infinite minimum).
//          Of parallel arcs the lightest counts (printed: "the" arc w(s, v)).
//          Line 7 is a minimum and then a search for it, over an array that holds l[v] for v in V - V_T and
//          infinity for v in V_T: still O(V), but today's compilers vectorise it.

#include <algorithm>
#include <vector>

#include "graph.h"

// Writes the distance of every vertex once `limit` vertices are settled (graph.vertices: all); returns how many
// were. A smaller limit leaves the distances unfinished: it serves to predict the time of a whole run.
extern "C" int sssp_dijkstra_linear(Graph graph, int source, int limit, int *distance)
{
    std::fill(distance, distance + graph.vertices, UNREACHABLE);
    std::vector<int> unsettled(graph.vertices, UNREACHABLE);
    distance[source] = unsettled[source] = 0;
    for (int count = 0; count < limit; count++) {
        int closest = UNREACHABLE;
        for (const int length : unsettled) closest = std::min(closest, length);
        if (closest == UNREACHABLE) return count;
        const int u = std::find(unsettled.begin(), unsettled.end(), closest) - unsettled.begin();
        unsettled[u] = UNREACHABLE;
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            const int v = graph.indices[arc], through = closest + graph.weights[arc];
            if (through < distance[v]) distance[v] = unsettled[v] = through;
        }
    }
    return limit;
}
