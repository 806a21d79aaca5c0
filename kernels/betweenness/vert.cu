// betweenness/vert: betweenness centrality with a thread for each vertex of a level.
//
// Report   domitrz-brandes, brandes-par-vert.cu.
// Mapping  one block a source. Each thread looks through its share of all vertices for those of the level, and goes
//          over all arcs of each that it finds. Only sigma needs atomics.
// Departs  as brandes.cuh says.

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
