// bellman-ford/outgoing: one thread per vertex, which relaxes all arcs that leave it.
//
// Report   an-bellman-ford, Algorithm 8 (CUDA_RELEXATION_OUTGOING).
// Mapping  one thread per vertex. In each step of the loop, consecutive threads read entries one row apart.
// Departs  see relax.cuh.

#include "relax.cuh"

extern "C" __global__ void relax_outgoing(int vertices, int pitch, const int *matrix, int *distance, const int *mask,
                                          int *mask1, int *flag)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || mask[u] != 1) return;
    for (int i = 0; i < vertices; i++)
        relax(through(distance[u], matrix[entry(u, i, pitch)]), i, distance, mask1, flag);
}
