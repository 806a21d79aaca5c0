// bellman-ford/outgoing-fewer-atomics: outgoing-transposed.cu with an atomic only where the distance would fall.
//
// Report   none; it tells what the atomics of Algorithm 8 of an-bellman-ford cost, by which section 4.4 explains why it
//          is slower than Algorithm 7. Without any, a lower distance could be overwritten by a higher one.
// Mapping  that of outgoing-transposed.cu. Before the atomic, a thread reads the distance that it would lower.

#include "relax.cuh"

extern "C" __global__ void relax_outgoing_fewer_atomics(int vertices, int pitch, const int *transposed, int *distance,
                                                        const int *mask, int *mask1, int *flag)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || mask[u] != 1) return;
    for (int i = 0; i < vertices; i++) {
        const int sum = through(distance[u], transposed[entry(i, u, pitch)]);
        if (sum < distance[i]) relax(sum, i, distance, mask1, flag);
    }
}
