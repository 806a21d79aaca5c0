// betweenness/edge: betweenness centrality with one thread per arc.
//
// Report   domitrz-brandes, brandes-par-edge.cu.
// Mapping  one block per source. Each thread scans its share of all arcs for those whose tail is on the level;
//          neighbouring threads read neighbouring arcs. Each arc costs one atomic addition, on the way back too.
// Departs  see brandes.cuh.

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
