// Not a solver: the predecessors that the solvers of bfs hand out, found in the levels.
//
// Report   hong-bfs, "Finding shortest path": from a vertex back to the source, at each step to the neighbour with the
//          smallest label. One pass over all arcs takes that step for every vertex.

#include <algorithm>
#include <atomic>

#include "graph.h"
#include "in_parallel.h"

constexpr unsigned NONE = -1;

static void lower(unsigned &cell, unsigned value)
{
    const std::atomic_ref least(cell);
    unsigned found = least.load(std::memory_order_relaxed);
    while (value < found && !least.compare_exchange_weak(found, value, std::memory_order_relaxed)) continue;
}

// Writes for each vertex the neighbour one level before it from which an arc leads to it, of several the first; -1 for
// the source and for vertices that are not reached. No neighbour has a smaller level if the levels are right.
template <typename Offset> static void trace(const GraphOf<Offset> &graph, const int *level, unsigned *predecessor)
{
    std::fill(predecessor, predecessor + graph.vertices, NONE);
    in_parallel(all_cores(), 0, Position(graph.vertices), [&](Position from, Position to) {
        for (int u = int(from); u < int(to); u++) {
            if (level[u] == UNREACHABLE) continue;
            for (Offset arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                const int v = graph.indices[arc];
                if (level[v] == level[u] + 1) lower(predecessor[v], unsigned(u));
            }
        }
    });
}

extern "C" void trace_back(Graph graph, const int *level, unsigned *predecessor) { trace(graph, level, predecessor); }

extern "C" void trace_back_wide(WideGraph graph, const int *level, unsigned *predecessor)
{
    trace(graph, level, predecessor);
}
