// bellman-ford/*: the kernels that run before the first iteration and between iterations.
//
// Report   an-bellman-ford, Algorithm 2 (CUDA_INITIALIZATION) and Algorithm 4 (CUDA_SWAP).
// Mapping  one thread per vertex.
// Departs  CUDA_SWAP runs after every iteration that lowered a distance, once the host has read the flag. In print it
//          runs after the loop, so that no vertex except the source ever becomes active.
//          activate_reached takes its place where masks are left out (bellman-ford/ablated). A vertex that no path has
//          reached stays inactive: it has no distance to pass on.
//          CUDA_SWAP also counts the vertices that become active: the rows that the next iteration reads.

#include "sum.h"

extern "C" __global__ void initialise(int vertices, int source, int *distance, int *mask, int *mask1, int *flag,
                                      unsigned *relaxed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vertices) return;
    distance[i] = i == source ? 0 : UNREACHABLE;
    mask[i] = i == source;
    mask1[i] = 0;
    if (i == source) {
        *flag = 0;
        *relaxed = 1;
    }
}

extern "C" __global__ void swap_masks(int vertices, int *mask, int *mask1, int *flag, unsigned *relaxed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vertices) return;
    if (mask1[i]) atomicAdd(relaxed, 1);
    mask[i] = mask1[i];
    mask1[i] = 0;
    if (i == 0) *flag = 0;
}

extern "C" __global__ void activate_reached(int vertices, const int *distance, int *mask, int *mask1, int *flag,
                                            unsigned *relaxed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vertices) return;
    mask[i] = distance[i] != UNREACHABLE;
    if (mask[i]) atomicAdd(relaxed, 1);
    mask1[i] = 0;
    if (i == 0) flag[0] = 0;
}
