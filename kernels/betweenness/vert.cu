// betweenness/vert: betweenness centrality with one thread per vertex of a level.
//
// Report   domitrz-brandes, brandes-par-vert.cu.
// Mapping  one block per source. Each thread scans its share of all vertices for those on the level, and follows all
//          arcs of each. Only sigma needs atomics.
// Departs  see brandes.cuh.

#include "vert.cuh"

#define VERT(Real)                                                                        \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real(             \
        int vertices, const int *indptr, const int *indices,                              \
        BATCH_PARAMETERS(Real))                                                           \
    {                                                                                     \
        add_scores(vertices, Vert(vertices, indptr, indices), WholeGraph{}, BATCH(Real)); \
    }

VERT(float)
VERT(double)
