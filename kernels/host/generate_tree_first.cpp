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
#include <thread>
#include <vector>

#include "../generate/random_graph.h"

struct RandomGraph {
    int vertices, arcs;
    int low, high;  // of the weights
    RandomKeys keys;
};

struct Arc {
    int tail, head;
};

// Calls work(part begin, part end) for all parts of [begin, end), on `threads` threads.
template <typename Work> static void in_parallel(int threads, Word begin, Word end, const Work &work)
{
    constexpr Word PART = 1 << 16;
    std::atomic<Word> next = begin;
    const auto take_parts = [&] {
        for (Word part; (part = next.fetch_add(PART)) < end;) work(part, std::min(part + PART, end));
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++) others.emplace_back(take_parts);
    take_parts();
    for (std::thread &other : others) other.join();
}

// Returns the tree's arc between v and an earlier vertex; it may point either way.
static Arc tree_arc(const RandomGraph &graph, int v)
{
    const int parent = int(below(unsigned(v), splitmix64(graph.keys.tree ^ Word(v))));
    const bool upward = splitmix64(graph.keys.way ^ Word(v)) >> 63;
    return upward ? Arc{v, parent} : Arc{parent, v};
}

static bool is_in_tree(const RandomGraph &graph, Arc arc)
{
    const Arc known = tree_arc(graph, std::max(arc.tail, arc.head));
    return known.tail == arc.tail && known.head == arc.head;
}

// Draws the arcs begin to end - 1 of the permutation and passes them to `take` in batches, except those of the tree.
// Returns the number of arcs left out. Batches let `take` prefetch memory well before it is needed.
constexpr int BATCH = 64;
template <typename Take> static int draw(const RandomGraph &graph, Word begin, Word end, const Take &take)
{
    const unsigned n = unsigned(graph.vertices);
    Pair place{unsigned(begin % n), unsigned(begin / n)};
    Arc batch[BATCH];
    int filled = 0, left_out = 0;
    for (Word i = begin; i < end; i++) {
        const Pair drawn = permute(place, n, n - 1, graph.keys.arcs);
        const Arc arc{int(drawn.left), skip(drawn.right, int(drawn.left))};
        if (is_in_tree(graph, arc))
            left_out++;
        else
            batch[filled++] = arc;
        if (filled == BATCH) {
            take(batch, filled);
            filled = 0;
        }
        if (++place.left == n) place = {0, place.right + 1};
    }
    take(batch, filled);
    return left_out;
}

static int add_one(int &cell) { return std::atomic_ref(cell).fetch_add(1, std::memory_order_relaxed); }

// Draws until the graph has all its arcs; returns the number of arcs drawn from the permutation.
template <typename Take> static Word draw_until_full(const RandomGraph &graph, int threads, const Take &take)
{
    Word begin = 0, end = Word(graph.arcs) - Word(graph.vertices - 1);
    while (begin < end) {
        std::atomic<int> left_out = 0;
        in_parallel(threads, begin, end, [&](Word from, Word to) { left_out += draw(graph, from, to, take); });
        begin = end;
        end += Word(left_out.load());
    }
    return end;
}

// Writes a weakly connected graph in CSR form. graph.arcs must be from vertices - 1 to vertices * (vertices - 1).
// indptr has vertices + 1 entries; indices and weights have one entry per arc.
extern "C" void generate_tree_first(RandomGraph graph, int threads, int *indptr, int *indices, int *weights)
{
    const int n = graph.vertices;
    int *const next = indptr + 1;  // per vertex: first its degree, then the next free position, finally its end
    std::fill(indptr, indptr + n + 1, 0);

    const auto count = [&](const Arc *arcs, int size) {
        for (int i = 0; i < size; i++) __builtin_prefetch(next + arcs[i].tail, 1);
        for (int i = 0; i < size; i++) add_one(next[arcs[i].tail]);
    };
    for (int v = 1; v < n; v++) next[tree_arc(graph, v).tail]++;
    const Word drawn = draw_until_full(graph, threads, count);

    for (int u = 0, begin = 0; u < n; u++) {
        const int degree = next[u];
        next[u] = begin;
        begin += degree;
    }

    const auto put = [&](const Arc *arcs, int size) {
        int places[BATCH];
        for (int i = 0; i < size; i++) __builtin_prefetch(next + arcs[i].tail, 1);
        for (int i = 0; i < size; i++) {
            places[i] = add_one(next[arcs[i].tail]);
            __builtin_prefetch(indices + places[i], 1);
        }
        for (int i = 0; i < size; i++) indices[places[i]] = arcs[i].head;
    };
    for (int v = 1; v < n; v++) {
        const Arc arc = tree_arc(graph, v);
        put(&arc, 1);
    }
    in_parallel(threads, 0, drawn, [&](Word from, Word to) { draw(graph, from, to, put); });

    in_parallel(threads, 0, Word(n), [&](Word from, Word to) {
        for (int u = int(from); u < int(to); u++) {
            std::sort(indices + indptr[u], indices + indptr[u + 1]);
            for (int arc = indptr[u]; arc < indptr[u + 1]; arc++)
                weights[arc] = weight_of(u, indices[arc], graph.low, graph.high, graph.keys.weights);
        }
    });
}
