// betweenness/vert-queue: betweenness centrality with one thread per vertex of a level, taken from a queue.
//
// Report   domitrz-brandes, brandes-par-vert-queue.cu.
// Mapping  one block per source. The threads share the vertices of the level, which are in a queue. An atomicCAS on d
//          decides which thread appends a vertex to the next level's queue.
// Departs  the report keeps one array for this level and one for the next. Here one array holds all levels, one after
//          the other, so that the way back need not search for them. See brandes.cuh for the other differences.

#include "vert_queue.cuh"

#define VERT_QUEUE(Real)                                                             \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real(        \
        int vertices, const int *indptr, const int *indices,                         \
        BATCH_PARAMETERS(Real))                                                      \
    {                                                                                \
        add_scores(vertices, VertQueue(indptr, indices), WholeGraph{}, BATCH(Real)); \
    }

VERT_QUEUE(float)
VERT_QUEUE(double)
