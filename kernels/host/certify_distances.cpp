// Not a solver: looks for an arc that contradicts distances, and for vertices that no path of their distance reaches.
//
// It takes one pass over all arcs, on all cores; a second search from some vertices only where arcs of weight 0, or
// negative ones, leave open which came first. NumPy takes 50 ns an arc.

#include <algorithm>
#include <atomic>
#include <vector>

#include "graph.h"
#include "in_parallel.h"

template <typename Offset> static int weight_of(const GraphOf<Offset> &graph, Offset arc)
{
    return graph.weights ? graph.weights[arc] : 1;
}

// Marks what marked vertices reach along arcs that fit the distances exactly.
template <typename Offset> static void spread(const GraphOf<Offset> &graph, const int *distance, bool *connected)
{
    std::vector<int> open;
    for (int u = 0; u < graph.vertices; u++)
        if (connected[u]) open.push_back(u);
    while (!open.empty()) {
        const int u = open.back();
        open.pop_back();
        for (Offset arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            const int v = graph.indices[arc];
            if (connected[v] || (long long)distance[u] + weight_of(graph, arc) != distance[v]) continue;
            connected[v] = true;
            open.push_back(v);
        }
    }
}

// Returns the first arc from a reached vertex to one that it would bring closer, or that is not reached; else the number
// of arcs, with connected[v] set where a path from the source has the length distance[v]. connected holds the source.
// Weights are `with_negative`, or all at least 0: a vertex is then connected by a fitting arc from a closer one.
template <typename Offset>
static long long find(const GraphOf<Offset> &graph, bool with_negative, const int *distance, bool *connected)
{
    const long long arcs = graph.indptr[graph.vertices];
    std::atomic<long long> first = arcs;
    in_parallel(all_cores(), 0, Position(graph.vertices), [&](Position from, Position to) {
        for (int u = int(from); u < int(to); u++) {
            if (distance[u] == UNREACHABLE) continue;
            for (Offset arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                const int v = graph.indices[arc];
                const long long through = (long long)distance[u] + weight_of(graph, arc);
                if (through < distance[v] || distance[v] == UNREACHABLE) {
                    long long least = first;
                    while (arc < least && !first.compare_exchange_weak(least, arc)) continue;
                    return;
                }
                if (!with_negative && through == distance[v] && distance[u] < distance[v])
                    std::atomic_ref(connected[v]).store(true, std::memory_order_relaxed);
            }
        }
    });
    const auto is_loose = [&](int v) { return distance[v] != UNREACHABLE && !connected[v]; };
    for (int v = 0; first == arcs && v < graph.vertices; v++)
        if (is_loose(v)) {
            spread(graph, distance, connected);
            break;
        }
    return first;
}

extern "C" long long find_contradiction(Graph graph, bool with_negative, const int *distance, bool *connected)
{
    return find(graph, with_negative, distance, connected);
}

extern "C" long long find_contradiction_wide(WideGraph graph, bool with_negative, const int *distance, bool *connected)
{
    return find(graph, with_negative, distance, connected);
}
