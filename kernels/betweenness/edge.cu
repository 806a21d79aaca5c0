// betweenness/edge: betweenness centrality with a thread for each arc.
//
// Report   domitrz-brandes, brandes-par-edge.cu.
// Mapping  one block a source. Each thread looks through its share of all arcs for those whose tail is on the level;
//          neighbouring threads read neighbouring arcs. An atomic addition for each arc, on the way back too.
// Departs  as brandes.cuh says.

#include "edge.cuh"

#define EDGE(Real)                                                                           \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real(                \
        int vertices, int arcs, const int *tails, const int *heads,                          \
        BATCH_PARAMETERS(Real))                                                              \
    {                                                                                        \
        add_scores(vertices, Edge(vertices, arcs, tails, heads), WholeGraph{}, BATCH(Real)); \
    }

EDGE(float)
EDGE(double)
