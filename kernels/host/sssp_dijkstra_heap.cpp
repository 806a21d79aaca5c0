// sssp/dijkstra-heap: Dijkstra's algorithm with a binary heap, the usual choice today instead of the report's linear
// scan. Keys are not decreased in place; stale heap entries are skipped when they reach the top.

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "../sssp/path_length.h"
#include "graph.h"

// Writes the distance of every vertex; returns the number of vertices settled.
extern "C" int sssp_dijkstra_heap(Graph graph, int source, int *distance)
{
    using Entry = std::pair<int, int>;  // distance, vertex
    std::fill(distance, distance + graph.vertices, UNREACHABLE);
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    distance[source] = 0;
    heap.emplace(0, source);
    int settled = 0;
    while (!heap.empty()) {
        const auto [closest, u] = heap.top();
        heap.pop();
        if (closest > distance[u]) continue;
        settled++;
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            const int v = graph.indices[arc], sum = through(closest, graph.weights[arc]);
            if (sum < distance[v]) {
                distance[v] = sum;
                heap.emplace(sum, v);
            }
        }
    }
    return settled;
}
