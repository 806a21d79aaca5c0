// Not a solver: finds the vertices whose predecessor has an arc to them that fits both distances exactly.
//
// It takes one pass over all arcs per predecessor tree. At 200 million arcs, NumPy takes longer than the solvers.

#include "graph.h"
#include "in_parallel.h"

// Sets fitted[v] where predecessor[v] has such an arc. A vertex has one predecessor, so no two threads write the same
// entry.
template <typename Offset>
static void find(const GraphOf<Offset> &graph, const int *distance, const int *predecessor, bool *fitted)
{
    in_parallel(all_cores(), 0, Position(graph.vertices), [&](Position from, Position to) {
        for (int u = int(from); u < int(to); u++) {
            if (distance[u] == UNREACHABLE) continue;
            for (Offset arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                const int v = graph.indices[arc];
                const int weight = graph.weights ? graph.weights[arc] : 1;
                if (predecessor[v] == u && (long long)distance[u] + weight == distance[v]) fitted[v] = true;
            }
        }
    });
}

extern "C" void find_fitted(Graph graph, const int *distance, const int *predecessor, bool *fitted)
{
    find(graph, distance, predecessor, fitted);
}

extern "C" void find_fitted_wide(WideGraph graph, const int *distance, const int *predecessor, bool *fitted)
{
    find(graph, distance, predecessor, fitted);
}
