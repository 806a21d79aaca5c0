// stcon/two-queues: sequential st-connectivity by two breadth-first searches that take turns.
//
// Report   bsp-suite, Algorithm 3.4 (ST-CON_Sequential).
// Departs  the searches take turns by levels. In print they take turns by vertices, and then the first contact need not
//          lie on a shortest path, although the report says that it "gives the distance".
//          An empty queue ends the search (in print, an unreachable t makes it dequeue for ever).
//          Green follows arcs backwards, so that a directed graph is searched for paths from s to t.
//          s = t gives 0 (in print: the length of a closed walk).

#include <algorithm>
#include <queue>
#include <vector>

#include "graph.h"

// Dequeues one level and queues its unvisited neighbours. Returns true if the other search has visited a neighbour;
// `distance` is then the length of the path found. This path is shortest: the two searches have already examined every
// path with at most as many arcs as the sum of their depths, and this path has one arc more.
static bool expand_level(const Graph &graph, std::queue<int> &queue, std::vector<bool> &visited,
                         const std::vector<bool> &visited_by_other, std::vector<int> &depth, int *distance)
{
    for (size_t left = queue.size(); left > 0; left--) {
        const int v = queue.front();
        queue.pop();
        for (int arc = graph.indptr[v]; arc < graph.indptr[v + 1]; arc++) {
            const int u = graph.indices[arc];
            if (visited[u]) continue;
            if (visited_by_other[u]) {
                *distance = depth[u] + depth[v] + 1;
                return true;
            }
            queue.push(u);
            visited[u] = true;
            depth[u] = depth[v] + 1;
        }
    }
    return false;
}

// Writes the number of arcs from s to t, or UNREACHABLE; returns the number of levels expanded.
extern "C" int stcon_two_queues(Graph forward, Graph backward, int s, int t, int *distance)
{
    *distance = s == t ? 0 : UNREACHABLE;
    if (s == t) return 0;
    std::vector<bool> red(forward.vertices), green(forward.vertices);
    std::vector<int> depth(forward.vertices);
    std::queue<int> from_s({s}), from_t({t});
    red[s] = green[t] = true;
    int levels = 0;
    while (!from_s.empty() && !from_t.empty()) {
        levels++;
        if (expand_level(forward, from_s, red, green, depth, distance)) break;
        levels++;
        if (expand_level(backward, from_t, green, red, depth, distance)) break;
    }
    return levels;
}
