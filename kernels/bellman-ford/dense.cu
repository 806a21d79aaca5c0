// bellman-ford/dense and pinned: one thread an arc.
//
// Report   an-bellman-ford, Algorithm 3 (CUDA_RELEXATION).
// Mapping  x of the grid over the heads j, y over the tails i: a block holds arcs of one tail, and returns as a whole
//          where that is not active.
// Departs  printed, the thread's x is the tail i, and y the head j: in a matrix stored by rows consecutive threads
//          would read entries a row apart. See relax.cuh for the rest.

#include "relax.cuh"

extern "C" __global__ void relax_dense(int vertices, int pitch, const int *matrix, int *distance, const int *mask,
                                       int *mask1, int *flag)
{
    const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= vertices || mask[i] != 1) return;
    relax(through(distance[i], matrix[entry(i, j, pitch)]), j, distance, mask1, flag);
}
