// Contracts a graph to the vertices at which a shortest path may branch, exactly.
//
// Used by  sssp/cluster with contracted=yes. Road graphs have many vertices of degree 1 and 2: of the vertices of the
//          Northwest a quarter is left, and of the arcs of its longest shortest path two fifths.
// Degree   of a vertex is the number of its neighbours by arcs in either direction, without itself.
// Trees    are taken away first, a vertex of degree 1 after the other. What is left has no leaves.
// Chains   of vertices that then have degree 2 become one arc in each direction that has all its arcs. A vertex that is
//          neither in a tree nor in a chain is an anchor; so is one vertex of a tree, or of a cycle, that has no other.
// Ways     any other vertex is reached by way of at most two anchors: the two ends of its chain, or of the one that its
//          tree hangs from; an anchor with a tree is both ends. Its distance is the least of each end's and the length
//          of the way from there, unless the source is on the way.

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../host/graph.h"

static int add(int a, int b) { return int(std::min<long long>((long long)a + b, UNREACHABLE)); }

struct Way {
    int end, length;  // an anchor, and the length of the way from there; UNREACHABLE if an arc is missing
};

struct Neighbour {
    int vertex, to, from;  // the least weights of the arcs to it and from it
};

// All neighbours of each vertex, in order.
struct Neighbours {
    std::vector<size_t> first;
    std::vector<Neighbour> all;

    Neighbours(const Graph &leaving, const Graph &entering) : first(1, 0)
    {
        all.reserve(leaving.indptr[leaving.vertices]);
        std::vector<Neighbour> own;
        for (int v = 0; v < leaving.vertices; v++) {
            own.clear();
            for (int arc = leaving.indptr[v]; arc < leaving.indptr[v + 1]; arc++)
                own.push_back({leaving.indices[arc], leaving.weights[arc], UNREACHABLE});
            for (int arc = entering.indptr[v]; arc < entering.indptr[v + 1]; arc++)
                own.push_back({entering.indices[arc], UNREACHABLE, entering.weights[arc]});
            std::sort(own.begin(), own.end(), [](auto &a, auto &b) { return a.vertex < b.vertex; });
            for (const Neighbour &next : own) {
                if (next.vertex == v) continue;
                if (all.size() == first.back() || all.back().vertex != next.vertex) {
                    all.push_back(next);
                } else {
                    all.back().to = std::min(all.back().to, next.to);
                    all.back().from = std::min(all.back().from, next.from);
                }
            }
            first.push_back(all.size());
        }
    }
    const Neighbour *begin(int v) const { return all.data() + first[v]; }
    const Neighbour *end(int v) const { return all.data() + first[v + 1]; }
};

// Writes the number of each vertex among the anchors, -1 of others, whose two ways it writes; and the graph of anchors,
// which has no more arcs than the graph. Returns the number of anchors. `entering` has all arcs reversed.
extern "C" int contract(Graph leaving, Graph entering, int *number, Way (*ways)[2], int *indptr, int *indices,
                        int *weights)
{
    const int vertices = leaving.vertices;
    const Neighbours neighbours(leaving, entering);
    std::vector<int> degree(vertices);
    std::vector<bool> is_left(vertices, true), is_anchor(vertices);

    std::vector<int> leaves;  // in the order in which they are taken away
    std::vector<Neighbour> parent(vertices);
    for (int v = 0; v < vertices; v++) {
        degree[v] = int(neighbours.end(v) - neighbours.begin(v));
        if (degree[v] == 1) leaves.push_back(v);
    }
    for (size_t i = 0; i < leaves.size(); i++) {
        const int leaf = leaves[i];
        if (degree[leaf] == 0) continue;  // all others of its tree were taken away
        const Neighbour *next = neighbours.begin(leaf);
        while (!is_left[next->vertex]) next++;
        parent[leaf] = *next;
        is_left[leaf] = false;
        if (--degree[next->vertex] == 1) leaves.push_back(next->vertex);
    }
    for (int v = 0; v < vertices; v++) is_anchor[v] = is_left[v] && degree[v] != 2;

    struct Arc {
        int tail, head, weight;
    };
    std::vector<Arc> arcs;
    std::vector<char> walks(vertices, 0);  // that have passed a vertex of a chain
    const auto walk_from = [&](int anchor) {
        for (const Neighbour *step = neighbours.begin(anchor), *end = neighbours.end(anchor); step != end; step++) {
            if (!is_left[step->vertex]) continue;
            int before = anchor, at = step->vertex, length = step->to;
            while (!is_anchor[at]) {
                ways[at][int(walks[at]++)] = {anchor, length};
                const Neighbour *next = neighbours.begin(at);
                while (!is_left[next->vertex] || next->vertex == before) next++;
                before = at;
                at = next->vertex;
                length = add(length, next->to);
            }
            if (at != anchor && length < UNREACHABLE) arcs.push_back({anchor, at, length});
        }
    };
    for (int v = 0; v < vertices; v++)
        if (is_anchor[v]) walk_from(v);
    for (int v = 0; v < vertices; v++)
        if (is_left[v] && !is_anchor[v] && walks[v] == 0) {  // of a cycle without an anchor
            is_anchor[v] = true;
            walk_from(v);
        }

    for (size_t i = leaves.size(); i-- > 0;) {
        const int leaf = leaves[i];
        if (is_left[leaf]) continue;
        const int from = parent[leaf].vertex;
        for (int k = 0; k < 2; k++) {
            const Way way = is_anchor[from] ? Way{from, 0} : ways[from][k];
            ways[leaf][k] = {way.end, add(way.length, parent[leaf].from)};
        }
    }

    int anchors = 0;
    for (int v = 0; v < vertices; v++) {
        number[v] = is_anchor[v] ? anchors++ : -1;
        if (is_anchor[v]) ways[v][0] = ways[v][1] = {-1, 0};
    }
    std::fill(indptr, indptr + anchors + 1, 0);
    for (size_t i = 0; i < arcs.size(); i++) {
        indptr[number[arcs[i].tail] + 1]++;
        indices[i] = number[arcs[i].head];
        weights[i] = arcs[i].weight;
    }
    for (int i = 0; i < anchors; i++) indptr[i + 1] += indptr[i];
    return anchors;
}

// Writes the vertices that are reached from the source before any anchor, or the first anchors themselves, with their
// distances; returns how many. An anchor is reached at once.
extern "C" int reach_anchors(Graph graph, const int *number, int source, Way *reached)
{
    using Entry = std::pair<int, int>;  // distance and vertex
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
    std::unordered_map<int, int> distance{{source, 0}};
    int count = 0;
    for (open.push({0, source}); !open.empty();) {
        const auto [length, u] = open.top();
        open.pop();
        if (length > distance[u]) continue;
        reached[count++] = {u, length};
        if (number[u] >= 0) continue;
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            const int v = graph.indices[arc], through = add(length, graph.weights[arc]);
            const auto [known, is_new] = distance.try_emplace(v, UNREACHABLE);
            if (through < known->second) open.push({known->second = through, v});
        }
    }
    return count;
}
