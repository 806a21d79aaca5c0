// bellman-ford/multi-edge: several arcs per thread, coalesced.
//
// Report   an-bellman-ford, Algorithm 5 (CUDA_RELEXATION_MULTI_EDGES).
// Mapping  the grid has arcs / edges_per_thread threads, fewer than heads along x and fewer than tails along y. Both
//          indices advance by the size of the grid, so that a warp always reads 32 consecutive entries.
// Departs  the inner loop is over j. In print it tests and advances i, so that no head beyond the grid is relaxed.
//          The thread's x is the head, as in dense.cu.
//          The report does not say how a thread's arcs are divided between the two loops, nor how large a block is.
//          Ours are those from some tails to as many heads, or to more: 64 arcs are 8 tails and 8 heads, 8 arcs are 2
//          and 4. A block has 32 threads along x. scripts/retrace/solvers/bellman_ford/masked.py chooses both.

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
