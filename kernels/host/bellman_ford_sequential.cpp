// bellman-ford/sequential: relaxes every arc, round after round, until no distance falls.
//
// Report   an-bellman-ford, section 2: the algorithm of Bellman and Ford, with the early end of its Algorithm 1.

#include <algorithm>

#include "../bellman-ford/sum.h"
#include "graph.h"

// Writes the distance of every vertex and returns the number of rounds. Returns 0 if a distance still falls in round
// `vertices`: then the graph has a negative cycle.
extern "C" int bellman_ford_sequential(Graph graph, int source, int *distance)
{
    std::fill(distance, distance + graph.vertices, UNREACHABLE);
    distance[source] = 0;
    for (int round = 1; round <= graph.vertices; round++) {
        bool fell = false;
        for (int u = 0; u < graph.vertices; u++) {
            if (distance[u] == UNREACHABLE) continue;
            for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                const int v = graph.indices[arc], sum = through(distance[u], graph.weights[arc]);
                if (sum < distance[v]) {
                    distance[v] = sum;
                    fell = true;
                }
            }
        }
        if (!fell) return round;
    }
    return 0;
}
