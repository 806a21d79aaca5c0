// generate/tree-first: a random tree, then random arcs until the graph has the requested density.
//
// Report   tuwien-sssp, Graph Generation, first generator: weakly connected, density * n * (n - 1) arcs (Equation 1).
// Departs  arcs are distinct and never lead back to their tail. The report does not say so, but its density is a share
//          of all pairs, and a density of 1 must be possible. "Adds edges randomly until" the density is met becomes a
//          random permutation of all pairs, read until enough of them are new, so that no arc has to be looked up.
//          Nothing is reallocated, which made the report's version "very slow". Instead the arcs are drawn twice: first
//          to count those of each vertex, then to store them.
//
// The result does not depend on the number or the order of the threads: each vertex's arcs are sorted at the end.

#include <algorithm>
#include <atomic>

#include "tree_first.h"

template <typename Offset> static Offset add_one(Offset &cell)
{
    return std::atomic_ref(cell).fetch_add(1, std::memory_order_relaxed);
}

// Writes a weakly connected graph in CSR form. graph.arcs must be from vertices - 1 to vertices * (vertices - 1).
// indptr has vertices + 1 entries; indices and weights have one entry per arc.
template <typename Offset>
static void generate(const RandomGraph &graph, int threads, Offset *indptr, int *indices, int *weights)
{
    const int n = graph.vertices;
    Offset *const next = indptr + 1;  // per vertex: first its degree, then the next free position, finally its end
    std::fill(indptr, indptr + n + 1, 0);

    const auto count = [&](const Arc *arcs, int size) {
        for (int i = 0; i < size; i++) __builtin_prefetch(next + arcs[i].tail, 1);
        for (int i = 0; i < size; i++) add_one(next[arcs[i].tail]);
    };
    in_parallel(threads, 1, Word(n), [&](Word from, Word to) { draw_tree(graph, from, to, count); });
    const Word drawn = draw_until_full(graph, threads, count);

    Offset begin = 0;
    for (int u = 0; u < n; u++) {
        const Offset degree = next[u];
        next[u] = begin;
        begin += degree;
    }

    const auto put = [&](const Arc *arcs, int size) {
        Offset places[BATCH];
        for (int i = 0; i < size; i++) __builtin_prefetch(next + arcs[i].tail, 1);
        for (int i = 0; i < size; i++) {
            places[i] = add_one(next[arcs[i].tail]);
            __builtin_prefetch(indices + places[i], 1);
        }
        for (int i = 0; i < size; i++) indices[places[i]] = arcs[i].head;
    };
    in_parallel(threads, 1, Word(n), [&](Word from, Word to) { draw_tree(graph, from, to, put); });
    in_parallel(threads, 0, drawn, [&](Word from, Word to) { draw(graph, from, to, put); });

    in_parallel(threads, 0, Word(n), [&](Word from, Word to) {
        for (int u = int(from); u < int(to); u++) {
            std::sort(indices + indptr[u], indices + indptr[u + 1]);
            for (Offset arc = indptr[u]; arc < indptr[u + 1]; arc++)
                weights[arc] = weight_of(u, indices[arc], graph.low, graph.high, graph.keys.weights);
        }
    });
}

extern "C" void generate_tree_first(RandomGraph graph, int threads, int *indptr, int *indices, int *weights)
{
    generate(graph, threads, indptr, indices, weights);
}

// The same graph with 64-bit offsets, for more than 2^31 - 1 arcs.
extern "C" void generate_tree_first_wide(RandomGraph graph, int threads, long long *indptr, int *indices, int *weights)
{
    generate(graph, threads, indptr, indices, weights);
}
