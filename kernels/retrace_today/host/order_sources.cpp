// Not a solver: the order in which betweenness/lanes takes its sources, so that those of a block are near each other.
//
// Method   a breadth-first search from the vertex of most arcs meets neighbours one after the other. With more hubs,
//          sources come in the order of their distances from all of them: of two sources that are equally far from each,
//          the searches reach most vertices on the same levels.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../../host/graph.h"

constexpr int AHEAD = 8;  // arcs are requested so many vertices before they are read
constexpr uint8_t UNMET = 255;
constexpr size_t DISTANCES = 256;  // the largest stand for UNMET - 1 or more, and for UNMET

// Writes the vertices that a search meets, in order, and the distance of each vertex. Returns how many it meets.
template <typename Offset>
static int search(const GraphOf<Offset> &graph, int start, std::vector<int> &met, std::vector<uint8_t> &distance)
{
    std::fill(distance.begin(), distance.end(), UNMET);
    int reached = 1;
    met[0] = start;
    distance[start] = 0;
    for (int head = 0; head < reached; head++) {
        __builtin_prefetch(graph.indices + graph.indptr[met[head + AHEAD]]);
        const auto next = uint8_t(std::min(distance[met[head]] + 1, UNMET - 1));
        for (Offset arc = graph.indptr[met[head]]; arc < graph.indptr[met[head] + 1]; arc++) {
            const int v = graph.indices[arc];
            const bool found = distance[v] == UNMET;
            met[reached] = v;  // the next neighbour takes its place if v was met: nothing branches
            reached += found;
            distance[v] = found ? next : distance[v];
        }
    }
    return reached;
}

// Sorts vertices by distance, and keeps the order of those that are equally far.
static void sort_by(const std::vector<uint8_t> &distance, std::vector<int> &order)
{
    std::vector<int> place(DISTANCES + 1), sorted(order.size());
    for (const int v : order) place[distance[v] + 1]++;
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (const int v : order) sorted[place[distance[v]]++] = v;
    order.swap(sorted);
}

// Writes the vertices with a source count in the order of their distances from the `hubs` vertices of most arcs, the first
// of them if there are several. Those that are equally far come in the order in which a search from the first hub meets
// them, those that it does not meet in order of their numbers. Returns how many there are.
template <typename Offset>
static int order(const GraphOf<Offset> &graph, const int *source_count, int hubs, int *sources)
{
    const int n = graph.vertices;
    if (n == 0) return 0;
    std::vector<int> hub(n), met(n + AHEAD), order;
    std::vector<uint8_t> from_first(n), from_other(n);
    std::iota(hub.begin(), hub.end(), 0);
    hubs = std::min(hubs, n);
    std::partial_sort(hub.begin(), hub.begin() + hubs, hub.end(), [&](int u, int v) {
        const Offset of_u = graph.indptr[u + 1] - graph.indptr[u], of_v = graph.indptr[v + 1] - graph.indptr[v];
        return of_u != of_v ? of_u > of_v : u < v;
    });

    order.reserve(n);
    const int reached = search(graph, hub[0], met, from_first);
    for (int i = 0; i < reached; i++)
        if (source_count[met[i]]) order.push_back(met[i]);
    for (int v = 0; v < n; v++)
        if (from_first[v] == UNMET && source_count[v]) order.push_back(v);
    for (int i = hubs - 1; i > 0; i--) {
        search(graph, hub[i], met, from_other);
        sort_by(from_other, order);
    }
    if (hubs > 1) sort_by(from_first, order);
    std::copy(order.begin(), order.end(), sources);
    return int(order.size());
}

extern "C" int order_sources(Graph graph, const int *source_count, int hubs, int *sources)
{
    return order(graph, source_count, hubs, sources);
}

extern "C" int order_sources_wide(WideGraph graph, const int *source_count, int hubs, int *sources)
{
    return order(graph, source_count, hubs, sources);
}
