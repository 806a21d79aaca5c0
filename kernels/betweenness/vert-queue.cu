// betweenness/vert-queue: betweenness centrality with a thread for each vertex of a level, from a queue.
//
// Report   domitrz-brandes, brandes-par-vert-queue.cu.
// Mapping  one block a source. Each thread takes its share of the level's vertices from a queue; an atomicCAS on d
//          decides who puts a vertex into the next level's.
// Departs  the report keeps one array for this level and one for the next. Here the levels' lie one behind the other
//          in one, so that the way back need not look for them either. Else as brandes.cuh says.

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
