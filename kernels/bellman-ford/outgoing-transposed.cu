// bellman-ford/outgoing-transposed: outgoing.cu on the transposed matrix, so that it reads as incoming.cu does.
//
// Report   none; it separates the two differences between Algorithms 7 and 8 of an-bellman-ford: the atomics, by which
//          section 4.4 explains the gap between them, and coalesced access, which Algorithm 8 has not.
// Mapping  one thread per vertex. In each step of the loop, consecutive threads read consecutive entries of one row.

#include "relax.cuh"

extern "C" __global__ void relax_outgoing_transposed(int vertices, int pitch, const int *transposed, int *distance,
                                                     const int *mask, int *mask1, int *flag)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || mask[u] != 1) return;
    for (int i = 0; i < vertices; i++)
        relax(through(distance[u], transposed[entry(i, u, pitch)]), i, distance, mask1, flag);
}
