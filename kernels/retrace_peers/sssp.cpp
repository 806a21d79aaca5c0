// sssp/gapbs: calls DeltaStep of the GAP Benchmark Suite: vertices are settled in buckets of width delta, on cores.
//
// Source   U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49(1), 2003;
//          Y. Zhang et al., CGO 2020 (buckets fused); GAPBS, sssp.cc.
// Departs  nothing of the search. Its array for a bucket has as many entries as the graph has arcs, of which a bucket
//          may need more, and without arcs one: a last vertex, never reached, owns ROOM arcs that are never read.

#include <algorithm>

#include "arcs.h"

#define main inline unused_main  // not compiled, which halves the time
#include <sssp.cc>
#undef main

constexpr int ROOM = 4096;

struct Search {
    WGraph graph;
    pvector<WeightT> distance;
};

template <typename Offset> Search *make(const ours::GraphOf<Offset> &graph)
{
    const int n = graph.vertices;
    const Offset arcs = graph.indptr[n];
    auto *const heads = new WNode[arcs + ROOM];
    for (Offset arc = 0; arc < arcs; arc++) heads[arc] = WNode(graph.indices[arc], graph.weights[arc]);
    std::vector<Offset> indptr(graph.indptr, graph.indptr + n + 1);
    indptr.push_back(arcs + ROOM);
    return new Search{WGraph(n + 1, begins(n + 1, indptr.data(), heads), heads, nullptr, nullptr), {}};
}

extern "C" Search *gapbs_make(ours::Graph graph) { return make(graph); }

extern "C" Search *gapbs_make_wide(ours::WideGraph graph) { return make(graph); }

extern "C" void gapbs_solve(Search *search, int source, int delta)
{
    search->distance = DeltaStep(search->graph, source, delta);
}

// Spoils the answer: all distances are 0.
extern "C" void gapbs_forget(Search *search) { search->distance.fill(0); }

// Writes the distance of every vertex. Returns -1, or the last vertex that is reached only beyond GAPBS's infinity.
extern "C" int gapbs_distances(const Search *search, int *distance)
{
    const int n = int(search->graph.num_nodes()) - 1;
    const auto &found = search->distance;
    int too_far = -1;
#pragma omp parallel for
    for (int v = 0; v < n; v++) distance[v] = found[v] == kDistInf ? ours::UNREACHABLE : found[v];
    if (std::none_of(distance, distance + n, [](int d) { return d == ours::UNREACHABLE; })) return too_far;
#pragma omp parallel for reduction(max : too_far)
    for (int u = 0; u < n; u++)
        if (found[u] != kDistInf)
            for (const WNode &arc : search->graph.out_neigh(u))
                if (found[arc.v] == kDistInf) too_far = std::max(too_far, arc.v);
    return too_far;
}

extern "C" void gapbs_free(Search *search) { delete search; }
