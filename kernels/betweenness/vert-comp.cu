// betweenness/vert-comp: betweenness/vert on the compacted graph.
//
// Report   domitrz-brandes, brandes-par-vert-comp.cu.
// Mapping  as betweenness/vert, on the compacted graph: the host repeatedly removes vertices of degree 1 and accounts
//          for their contributions (host/compact.cpp).
// Departs  see brandes.cuh.

#include "vert.cuh"

#define VERT_COMP(Real)                                                       \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real( \
        int vertices, const int *indptr, const int *indices,                  \
        const int *reach, const int *source_count,                            \
        BATCH_PARAMETERS(Real))                                               \
    {                                                                         \
        add_scores(vertices,                                                  \
                   Vert(vertices, indptr, indices),                           \
                   CompactedGraph{reach, source_count}, BATCH(Real));         \
    }

VERT_COMP(float)
VERT_COMP(double)
