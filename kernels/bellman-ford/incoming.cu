// bellman-ford/incoming: one thread per vertex, which relaxes all arcs that enter it. No atomics.
//
// Report   an-bellman-ford, Algorithm 7 (CUDA_RELEXATION_INCOMING).
// Mapping  one thread per vertex. In each step of the loop, consecutive threads read consecutive entries of one row.
// Departs  the kernel marks the thread's own vertex. In print it marks mask1[i], the tail of the arc, so that a vertex
//          whose distance fell never becomes active. Line 11 (the write of the minimum) stands after the loop, because
//          section 4.4 says "updated only once". As in print, a thread reads distance[i] while thread i may write it.
//          It then reads it again in the next iteration, in which i is active.

#include "relax.cuh"

extern "C" __global__ void relax_incoming(int vertices, int pitch, const int *matrix, int *distance, const int *mask,
                                          int *mask1, int *flag)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    int minimum = distance[v];
    for (int i = 0; i < vertices; i++) {
        if (mask[i] != 1) continue;
        const int sum = through(distance[i], matrix[entry(i, v, pitch)]);
        if (sum < minimum) {
            minimum = sum;
            mask1[v] = 1;
            *flag = 1;
        }
    }
    distance[v] = minimum;
}
