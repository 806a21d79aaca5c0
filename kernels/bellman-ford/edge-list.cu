// bellman-ford/edge-list: sparse graphs as three arrays (tails, heads, weights); one or more arcs per thread.
//
// Report   an-bellman-ford, Algorithm 6 (CUDA_RELEXATION_GENERAL_GRAPH).
// Mapping  the grid has arcs / edges_per_thread threads. Each thread strides through the arcs by the size of the grid.
// Departs  line 3 prints w[i][j] where w[i] is meant. See relax.cuh for the other differences.

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
