// betweenness/gapbs: calls Brandes of the GAP Benchmark Suite, from one given source after the other, each on cores.
//
// Source   U. Brandes, J. Math. Sociol. 25(2), 2001; K. Madduri et al., IPDPS 2009; GAPBS, bc.cc.
// Departs  Scores are doubles, which GAPBS has as floats: it adds to a source's score the number of vertices that the
//          source reaches, which is taken away again. Sources are given, not drawn.
//          GAPBS divides all scores by the largest one. The graph has two vertices and the arc between them in addition,
//          and their first is a source too: its score is 1 before the division, which tells the divisor.

#include <benchmark.h>
#include <bitmap.h>
#include <command_line.h>
#include <sliding_queue.h>

#include "arcs.h"

static const int *next_source;

template <>
NodeID SourcePicker<Graph>::PickNext()
{
    return *next_source++;
}

#define main inline unused_main  // not compiled, which halves the time
#define float double             // the type of a score, and of nothing else in this file
#include <bc.cc>
#undef float
#undef main

struct Search {
    Graph graph;
    pvector<ScoreT> score;
};

// Makes GAPBS's graph; the two vertices in addition follow ours.
extern "C" Search *gapbs_make(ours::Graph graph)
{
    const int n = graph.vertices, arcs = graph.indptr[n];
    std::vector<int> indptr(graph.indptr, graph.indptr + n + 1), arcs_and_one(graph.indices, graph.indices + arcs);
    arcs_and_one.push_back(n + 1);
    indptr.insert(indptr.end(), 2, arcs + 1);
    int *const heads = copy_of(arcs_and_one.data(), arcs + 1);
    return new Search{Graph(n + 2, begins(n + 2, indptr.data(), heads), heads, nullptr, nullptr), {}};
}

// Adds up each vertex's dependencies over `count` sources, of which one must be the vertex after ours.
extern "C" void gapbs_solve(Search *search, const int *sources, int count)
{
    next_source = sources;
    SourcePicker<Graph> given(search->graph);
    search->score = Brandes(search->graph, given, count);
}

// Spoils the answer: all scores are 1.
extern "C" void gapbs_forget(Search *search) { search->score.fill(1); }

// Writes the score of each of our vertices. A source's own has in addition the number of vertices that it reaches.
extern "C" void gapbs_scores(const Search *search, double *score)
{
    const int n = int(search->graph.num_nodes()) - 2;
#pragma omp parallel for
    for (int v = 0; v < n; v++) score[v] = search->score[v] / search->score[n];
}

extern "C" void gapbs_free(Search *search) { delete search; }
