// bfs/gapbs: calls DOBFS of the GAP Benchmark Suite, breadth-first search that optimises its direction: from the
// frontier, or, where that has many arcs, from the vertices that are not reached yet.
//
// Source   S. Beamer, K. Asanović, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012; GAPBS, bfs.cc.
// Departs  nothing of the search. It finds parents; their levels are found afterwards.

#include <atomic>

#include "arcs.h"

#define main inline unused_main  // not compiled, which halves the time
#include <bfs.cc>
#undef main

struct Search {
    Graph graph;
    pvector<NodeID> parent;
};

template <typename Any> Search *make(const Any &out, const Any *in)
{
    const int n = out.vertices;
    const auto arcs = out.indptr[n];
    int *const heads = copy_of(out.indices, arcs);
    if (in == nullptr) return new Search{Graph(n, begins(n, out.indptr, heads), heads), {}};
    int *const tails = copy_of(in->indices, arcs);
    return new Search{Graph(n, begins(n, out.indptr, heads), heads, begins(n, in->indptr, tails), tails), {}};
}

// Make GAPBS's graph. `in` has the arcs that enter each vertex; it is null if these are those that leave it.
extern "C" Search *gapbs_make(ours::Graph out, const ours::Graph *in) { return make(out, in); }

extern "C" Search *gapbs_make_wide(ours::WideGraph out, const ours::WideGraph *in) { return make(out, in); }

extern "C" void gapbs_solve(Search *search, int source)
{
    search->parent = DOBFS(search->graph, source);
}

// Spoils the answer: no vertex has a parent.
extern "C" void gapbs_forget(Search *search) { search->parent.fill(-1); }

// Writes the level of every vertex: each goes up the tree until an ancestor's is known, and writes those on the way.
extern "C" void gapbs_levels(const Search *search, int source, int *level)
{
    const int n = search->graph.num_nodes(), unknown = -1;
    const auto &parent = search->parent;
    const auto at = [level](int v) { return std::atomic_ref(level[v]); };
#pragma omp parallel for
    for (int v = 0; v < n; v++) level[v] = parent[v] < 0 ? ours::UNREACHABLE : unknown;
    level[source] = 0;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int v = 0; v < n; v++) {
        int u = v, up = 0, above;
        for (; (above = at(u).load(std::memory_order_relaxed)) == unknown; u = parent[u]) up++;
        for (u = v; up > 0; u = parent[u]) at(u).store(above + up--, std::memory_order_relaxed);
    }
}

// Writes the predecessor of every vertex, -1 for the source and where there is none.
extern "C" void gapbs_predecessors(const Search *search, int source, int *predecessor)
{
    std::copy(search->parent.begin(), search->parent.end(), predecessor);
    predecessor[source] = -1;
}

extern "C" void gapbs_free(Search *search) { delete search; }
