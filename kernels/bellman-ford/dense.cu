// bellman-ford/dense and bellman-ford/pinned: one thread per arc.
//
// Report   an-bellman-ford, Algorithm 3 (CUDA_RELEXATION).
// Mapping  the grid's x covers the heads j, its y the tails i. All threads of a block have the same tail, so a block
//          whose tail is not active returns at once.
// Departs  in print, the thread's x is the tail i and its y the head j. In a matrix stored by rows, consecutive
//          threads would then read entries one row apart. See relax.cuh for the other differences.

#include "relax.cuh"

extern "C" __global__ void relax_dense(int vertices, int pitch, const int *matrix, int *distance, const int *mask,
                                       int *mask1, int *flag)
{
    const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= vertices || mask[i] != 1) return;
    relax(through(distance[i], matrix[entry(i, j, pitch)]), j, distance, mask1, flag);
}
