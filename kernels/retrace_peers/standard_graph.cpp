// Not a solver: makes GAP's graphs kron and urand by its own generator and builder, and picks the sources of its trials.
//
// Source   S. Beamer, K. Asanović, D. Patterson, "The GAP Benchmark Suite", arXiv:1508.03619; GAPBS, generator.h,
//          builder.h, and SourcePicker of benchmark.h.
// Departs  nothing of the graph. Beside it, the edges that were drawn at each vertex are counted before the builder drops
//          self-loops and repeated edges: Graph500 counts those, too.

#include <benchmark.h>

constexpr int EDGES_PER_VERTEX = 16;

struct Made {
    WGraph graph;
    pvector<int> drawn;
};

// What GAPBS's command line says of a graph that is generated.
struct Undirected : CLBase {
    Undirected() : CLBase(0, nullptr) { symmetrize_ = true; }
};

// Makes the graph of 2^scale vertices, or fewer if the last ones have no edge; every edge has a weight from 1 to 255.
extern "C" Made *gapbs_make(int scale, int uniform)
{
    const Undirected undirected;
    Generator<NodeID, WNode, WeightT> generator(scale, EDGES_PER_VERTEX);
    auto edges = generator.GenerateEL(uniform);
    pvector<int> drawn(1l << scale, 0);
#pragma omp parallel for
    for (auto edge = edges.begin(); edge < edges.end(); edge++) fetch_and_add(drawn[edge->u], 1);
    WeightedBuilder builder(undirected);
    WGraph with_repeated = builder.MakeGraphFromEL(edges);
    return new Made{builder.SquishGraph(with_repeated), std::move(drawn)};
}

extern "C" int gapbs_vertices(const Made *made) { return made->graph.num_nodes(); }

template <typename Offset> void write_arcs(const Made *made, Offset *indptr, int *indices, int *weights, int *drawn)
{
    const WGraph &graph = made->graph;
    const WNode *const first = graph.out_neigh(0).begin();
#pragma omp parallel for schedule(dynamic, 1024)
    for (int v = 0; v < graph.num_nodes(); v++) {
        drawn[v] = made->drawn[v];
        indptr[v + 1] = Offset(graph.out_neigh(v).end() - first);
        for (const WNode &head : graph.out_neigh(v)) {
            const auto arc = &head - first;
            indices[arc] = head.v;
            weights[arc] = head.w;
        }
    }
    indptr[0] = 0;
}

// Write the arcs in compressed sparse rows, and for each vertex how many drawn edges begin there.
extern "C" void gapbs_arcs(const Made *made, int *indptr, int *indices, int *weights, int *drawn)
{
    write_arcs(made, indptr, indices, weights, drawn);
}

extern "C" void gapbs_arcs_wide(const Made *made, long long *indptr, int *indices, int *weights, int *drawn)
{
    write_arcs(made, indptr, indices, weights, drawn);
}

// Counts the arcs.
extern "C" long long gapbs_count(const Made *made) { return made->graph.num_edges_directed(); }

// Writes the sources of GAP's trials, in their order.
extern "C" void gapbs_pick(const Made *made, int count, int *sources)
{
    SourcePicker<WGraph> picker(made->graph);
    for (int i = 0; i < count; i++) sources[i] = picker.PickNext();
}

extern "C" void gapbs_free(Made *made) { delete made; }
