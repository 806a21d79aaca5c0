// sssp/dijkstra-linear: Dijkstra's algorithm with a linear scan for the closest vertex, O(V^2).
//
// Report   bsp-suite, Algorithm 3.7 (SSSP_Sequential).
// Departs  ends when no vertex left can be reached (printed: until V_T = V, which takes an infinite minimum).
//          Of parallel arcs the lightest counts (printed: "the" arc w(s, v)).

#include <algorithm>
#include <vector>

#include "graph.h"

// Writes the distance of every vertex once `limit` vertices are settled (graph.vertices: all); returns how many
// were. A smaller limit leaves the distances unfinished: it serves to predict the time of a whole run.
extern "C" int sssp_dijkstra_linear(Graph graph, int source, int limit, int *distance)
{
    std::fill(distance, distance + graph.vertices, UNREACHABLE);
    std::vector<char> settled(graph.vertices);
    distance[source] = 0;
    for (int count = 0; count < limit; count++) {
        int u = -1, closest = UNREACHABLE;
        for (int v = 0; v < graph.vertices; v++) {
            if (!settled[v] && distance[v] < closest) {
                u = v;
                closest = distance[v];
            }
        }
        if (u < 0) return count;
        settled[u] = true;
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            int &to = distance[graph.indices[arc]];
            to = std::min(to, closest + graph.weights[arc]);
        }
    }
    return limit;
}
