// bellman-ford/edge-list: sparse graphs as three arrays, tails, heads and weights; one or several arcs a thread.
//
// Report   an-bellman-ford, Algorithm 6 (CUDA_RELEXATION_GENERAL_GRAPH).
// Mapping  as many threads as there are arcs, divided by the arcs a thread takes, which are a grid apart.
// Departs  line 3 has w[i][j] for w[i]. The rest as relax.cuh says.

#include "relax.cuh"

extern "C" __global__ void relax_edges(int arcs, const int *tails, const int *heads, const int *weights,
                                       int *distance, const int *mask, int *mask1, int *flag)
{
    const int threads = gridDim.x * blockDim.x;
    for (unsigned arc = blockIdx.x * blockDim.x + threadIdx.x; arc < unsigned(arcs); arc += threads) {
        const int tail = tails[arc];
        if (mask[tail] == 1) relax(through(distance[tail], weights[arc]), heads[arc], distance, mask1, flag);
    }
}
