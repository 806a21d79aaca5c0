// betweenness/vert-queue-comp: betweenness/vert-queue on the compacted graph.
//
// Report   domitrz-brandes, brandes-par-vert-queue-comp.cu.
// Mapping  as betweenness/vert-queue, on the compacted graph: the host repeatedly removes vertices of degree 1 and
//          accounts for their contributions (host/compact.cpp).
// Departs  see vert-queue.cu.

#include "vert_queue.cuh"

#define VERT_QUEUE_COMP(Real)                                                 \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real( \
        int vertices, const int *indptr, const int *indices,                  \
        const int *reach, const int *source_count,                            \
        BATCH_PARAMETERS(Real))                                               \
    {                                                                         \
        add_scores(vertices,                                                  \
                   VertQueue(indptr, indices),                                \
                   CompactedGraph{reach, source_count}, BATCH(Real));         \
    }

VERT_QUEUE_COMP(float)
VERT_QUEUE_COMP(double)
