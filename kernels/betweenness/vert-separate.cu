// betweenness/vert-separate: betweenness/vert, with an allocation for each block and an array of pointers to them.
//
// Report   domitrz-brandes, "Bulk allocation of memory", which calls it slower than the one allocation of
//          brandes-par-vert.cu.
// Mapping  as betweenness/vert. `workspace` holds a pointer for each block.
// Departs  the arrays of a block share its allocation. See brandes.cuh.

#include "vert.cuh"

#define VERT_SEPARATE(Real)                                                              \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real(            \
        int vertices, const int *indptr, const int *indices,                             \
        BATCH_PARAMETERS(Real))                                                          \
    {                                                                                    \
        Batch<Real> batch = BATCH(Real);                                                 \
        batch.workspace = reinterpret_cast<unsigned char **>(workspace)[blockIdx.x];     \
        batch.block_bytes = 0;                                                           \
        add_scores(vertices, Vert(vertices, indptr, indices), WholeGraph{}, batch);      \
    }

VERT_SEPARATE(float)
VERT_SEPARATE(double)
