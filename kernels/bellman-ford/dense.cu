// bellman-ford/dense, pinned and streams-masked: one thread per arc.
//
// Report   an-bellman-ford, Algorithm 3 (CUDA_RELEXATION).
// Mapping  the grid's x covers the heads j, its y the tails i. All threads of a block have the same tail, so a block
//          whose tail is not active returns at once.
// Departs  in print, the thread's x is the tail i and its y the head j. In a matrix stored by rows, consecutive
//          threads would then read entries one row apart. See relax.cuh for the other differences.
//          The tails begin at `first`: 0, or the first row of the part that a stream has brought.

#include "relax.cuh"

extern "C" __global__ void relax_dense(int vertices, int pitch, int first, const int *matrix, int *distance,
                                       const int *mask, int *mask1, int *flag)
{
    const int i = first + blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= vertices || mask[i] != 1) return;
    relax(through(distance[i], matrix[entry(i, j, pitch)]), j, distance, mask1, flag);
}
