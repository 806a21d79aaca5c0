// generate/tree-first: a random tree, and then random arcs until the graph is as dense as asked for.
//
// Report   tuwien-sssp, Graph Generation, the first: weakly connected, density * n * (n - 1) arcs (its Equation 1).
// Departs  arcs are distinct, and never lead back to their tail: the report does not say, but its density is a share
//          of all pairs, and 1 must be within reach. "Adds edges randomly until" the density is met is the order
//          of a random permutation of all pairs, read until enough of them are new: no arc has to be looked up.
//          Nothing is reallocated, which made theirs "very slow": the arcs are drawn twice, first to count those of
//          each vertex, then to put them in their places.
//
// The answer depends on neither the number of threads nor their pace: each vertex's arcs are sorted in the end.

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

// Calls work(begin, end) for the parts of [begin, end) on all threads.
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

// The tree's arc between v and an earlier vertex, pointing either way.
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

// Draws the arcs begin to end - 1 of the permutation and hands them to `take` in batches; what is in the tree is
// left out. Returns how many were. A batch lets `take` ask for memory well before it is needed.
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

// Draws until the graph has all its arcs; returns how many arcs of the permutation that took.
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

// Writes a weakly connected graph as compressed sparse rows. The arcs asked for are vertices - 1 to
// vertices * (vertices - 1); indptr has vertices + 1 entries, indices and weights have one an arc.
extern "C" void generate_tree_first(RandomGraph graph, int threads, int *indptr, int *indices, int *weights)
{
    const int n = graph.vertices;
    int *const next = indptr + 1;  // of each vertex: first its arcs, then its next free place, at last its end
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
