// bellman-ford/multi-edge: several arcs per thread, coalesced.
//
// Report   an-bellman-ford, Algorithm 5 (CUDA_RELEXATION_MULTI_EDGES).
// Mapping  the grid has arcs / edges_per_thread threads. Both indices advance by the size of the grid, so that
//          consecutive threads always read consecutive entries.
// Departs  the inner loop is over j. In print it tests and advances i, so that no head beyond the grid is relaxed.
//          The thread's x is the head, as in dense.cu.

#include "relax.cuh"

extern "C" __global__ void relax_multi_edge(int vertices, int pitch, const int *matrix, int *distance,
                                            const int *mask, int *mask1, int *flag)
{
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < vertices; i += gridDim.y * blockDim.y) {
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < vertices; j += gridDim.x * blockDim.x) {
            if (mask[i] == 1)
                relax(through(distance[i], matrix[entry(i, j, pitch)]), j, distance, mask1, flag);
        }
    }
}
