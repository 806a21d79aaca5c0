// Shared by generate/tree-first and its reallocating variant: which arcs the graph has, in an order that suits both.

#pragma once

#include <algorithm>
#include <atomic>

#include "../generate/random_graph.h"
#include "in_parallel.h"

struct RandomGraph {
    long long arcs;
    int vertices;
    int low, high;  // of the weights
    RandomKeys keys;
};

struct Arc {
    int tail, head;
};

// Returns the tree's arc between v and an earlier vertex; it may point either way.
inline Arc tree_arc(const RandomGraph &graph, int v)
{
    const int parent = int(below(unsigned(v), splitmix64(graph.keys.tree ^ Word(v))));
    const bool upward = splitmix64(graph.keys.way ^ Word(v)) >> 63;
    return upward ? Arc{v, parent} : Arc{parent, v};
}

inline bool is_in_tree(const RandomGraph &graph, Arc arc)
{
    const Arc known = tree_arc(graph, std::max(arc.tail, arc.head));
    return known.tail == arc.tail && known.head == arc.head;
}

// Batches let `take` prefetch memory well before it is needed.
constexpr int BATCH = 64;

// Passes the tree's arcs of the vertices begin to end - 1 to `take` in batches; vertex 0 has none.
template <typename Take> void draw_tree(const RandomGraph &graph, Word begin, Word end, const Take &take)
{
    Arc batch[BATCH];
    for (Word v = begin; v < end; v += BATCH) {
        const int size = int(std::min(end - v, Word(BATCH)));
        for (int i = 0; i < size; i++) batch[i] = tree_arc(graph, int(v) + i);
        take(batch, size);
    }
}

// Draws the arcs begin to end - 1 of the permutation and passes them to `take` in batches, except those of the tree.
// Returns the number of arcs left out.
template <typename Take> int draw(const RandomGraph &graph, Word begin, Word end, const Take &take)
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

// Draws until the graph has all its arcs; returns the number of arcs drawn from the permutation.
template <typename Take> Word draw_until_full(const RandomGraph &graph, int threads, const Take &take)
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
