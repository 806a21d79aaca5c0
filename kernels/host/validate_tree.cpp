// Not a solver: rules 2, 3 and 5 by which Graph500 validates the tree of a search. They ask each arc of the graph, and
// NumPy would take longer than the search.

#include <atomic>
#include <cstdlib>

#include "graph.h"
#include "in_parallel.h"

// Returns which of the rules 5, 2 and 3 is the first that an edge of an undirected graph breaks, and writes its ends; 0 if
// none is broken. What is outside the tree has the length UNREACHABLE. Of the two arcs of an edge one is enough, but for
// the arc from a predecessor.
template <typename Offset>
static long long find(const GraphOf<Offset> &graph, const int *length, const int *predecessor, int source, long long *edge)
{
    std::atomic<bool> broken[6] = {};
    long long ends[6][2];
    const auto note = [&](int rule, int u, int v) {
        if (broken[rule].exchange(true)) return;
        ends[rule][0] = u;
        ends[rule][1] = v;
    };
    in_parallel(all_cores(), 0, Position(graph.vertices), [&](Position from, Position to) {
        for (int v = int(from); v < int(to); v++) {
            const bool in_tree = length[v] != UNREACHABLE, has_edge = in_tree && v != source;
            int rule = has_edge ? 5 : 0;  // of the edge to v in the tree: 5 without an arc, 2 if none is as long
            for (Offset arc = graph.indptr[v]; arc < graph.indptr[v + 1]; arc++) {
                const int w = graph.indices[arc], weight = graph.weights ? graph.weights[arc] : 1;
                const bool is_above = has_edge && w == predecessor[v];
                if (w > v && !is_above) continue;
                const long long apart = (long long)length[v] - length[w];
                if (in_tree != (length[w] != UNREACHABLE) || (in_tree && std::abs(apart) > weight)) note(3, w, v);
                if (is_above) rule = apart == weight ? 0 : rule == 0 ? 0 : 2;
            }
            if (rule) note(rule, predecessor[v], v);
        }
    });
    for (const int rule : {5, 2, 3})
        if (broken[rule]) {
            edge[0] = ends[rule][0];
            edge[1] = ends[rule][1];
            return rule;
        }
    return 0;
}

extern "C" long long find_broken(Graph graph, const int *length, const int *predecessor, int source, long long *edge)
{
    return find(graph, length, predecessor, source, edge);
}

extern "C" long long find_broken_wide(WideGraph graph, const int *length, const int *predecessor, int source, long long *edge)
{
    return find(graph, length, predecessor, source, edge);
}
