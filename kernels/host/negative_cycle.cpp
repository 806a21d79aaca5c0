// Finds a negative cycle after a bellman-ford solver has met one, with 64-bit distances and predecessors.
//
// Method   once a distance has fallen because of a negative cycle, the predecessors contain a cycle (Cherkassky and
//          Goldberg, Negative-cycle detection algorithms, 1999). They are searched after every round. Until then,
//          distances are lengths of paths, which fit in 64 bits.

#include <vector>

#include "graph.h"

// Returns a vertex on a cycle of predecessors, or -1.
static int find_cycle(const std::vector<int> &predecessor)
{
    const int vertices = predecessor.size();
    std::vector<int> walk(vertices, -1);  // first vertex of the walk that visited this vertex
    for (int first = 0; first < vertices; first++) {
        int v = first;
        while (v >= 0 && walk[v] < 0) {
            walk[v] = first;
            v = predecessor[v];
        }
        if (v >= 0 && walk[v] == first) return v;
    }
    return -1;
}

// Returns a vertex on a negative cycle that the source reaches, or -1 if there is none.
extern "C" int negative_cycle(Graph graph, int source)
{
    constexpr long long INFINITE = 1LL << 62;
    std::vector<long long> distance(graph.vertices, INFINITE);
    std::vector<int> predecessor(graph.vertices, -1);
    distance[source] = 0;
    for (bool fell = true; fell;) {
        fell = false;
        for (int u = 0; u < graph.vertices; u++) {
            if (distance[u] == INFINITE) continue;
            for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                const int v = graph.indices[arc];
                const long long sum = distance[u] + graph.weights[arc];
                if (sum < distance[v]) {
                    distance[v] = sum;
                    predecessor[v] = u;
                    fell = true;
                }
            }
        }
        if (const int found = find_cycle(predecessor); found >= 0) return found;
    }
    return -1;
}
