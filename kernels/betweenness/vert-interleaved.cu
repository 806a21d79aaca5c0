// betweenness/vert-interleaved: betweenness/vert, with the entries of a vertex in all blocks side by side.
//
// Report   domitrz-brandes, "Bulk allocation of memory": A[x][y] = A_bulk[x + X_SIZE * y], for blocks x and vertices y, which
//          it calls slower than brandes-par-vert.cu, where A[x][y] = A_bulk[Y_SIZE * x + y].
// Mapping  as betweenness/vert. Neighbouring threads of a block reach entries as far apart as there are blocks.
// Departs  see brandes.cuh.

#include "vert.cuh"

// The entries of this block in an array of all blocks.
template <typename T> struct SideBySide {
    T *all;
    __device__ T &operator[](int v) const { return all[size_t(v) * gridDim.x + blockIdx.x]; }
};

#define VERT_INTERLEAVED(Real)                                                                                     \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real(                                      \
        int vertices, const int *indptr, const int *indices,                                                       \
        BATCH_PARAMETERS(Real))                                                                                    \
    {                                                                                                              \
        const size_t entries = size_t(vertices) * gridDim.x;                                                       \
        Real *const sigma = reinterpret_cast<Real *>(workspace), *const delta = sigma + entries;                   \
        int *const d = reinterpret_cast<int *>(delta + entries);                                                   \
        search_with<SideBySide>(SideBySide<Real>{sigma}, SideBySide<Real>{delta}, SideBySide<int>{d}, vertices,    \
                                Vert(vertices, indptr, indices), WholeGraph{}, BATCH(Real));                       \
    }

VERT_INTERLEAVED(float)
VERT_INTERLEAVED(double)
