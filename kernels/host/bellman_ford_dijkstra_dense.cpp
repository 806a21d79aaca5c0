// bellman-ford/dijkstra-dense: Dijkstra's algorithm on a matrix, O(V^2). It reads each arc of a complete graph once.
// Weights must not be negative.

#include <algorithm>
#include <vector>

#include "../bellman-ford/sum.h"

// Writes the distance of every vertex; returns the number of settled vertices. The matrix has rows of `pitch` entries.
extern "C" int bellman_ford_dijkstra_dense(int vertices, int pitch, const int *matrix, int source, int *distance)
{
    std::fill(distance, distance + vertices, UNREACHABLE);
    std::vector<int> unsettled(vertices, UNREACHABLE);  // distances; UNREACHABLE once settled
    distance[source] = unsettled[source] = 0;
    for (int settled = 0; settled < vertices; settled++) {
        const int closest = *std::min_element(unsettled.begin(), unsettled.end());
        if (closest == UNREACHABLE) return settled;
        const int u = std::find(unsettled.begin(), unsettled.end(), closest) - unsettled.begin();
        unsettled[u] = UNREACHABLE;
        const int *const row = matrix + size_t(u) * pitch;
        const int most = UNREACHABLE - closest;
        for (int v = 0; v < vertices; v++) {
            const int sum = closest + std::min(row[v], most);
            if (sum < distance[v]) distance[v] = unsettled[v] = sum;
        }
    }
    return vertices;
}
