// sssp/standard-predecessor-pass: sssp/standard, with the predecessors computed in a separate pass after the last
// iteration.
//
// Report   tuwien-sssp, Algorithm 1. The pass is ours: it also avoids the race on the predecessor, for which mask.cu
//          uses a 64-bit atomic.
// Mapping  one thread per vertex, one launch per iteration; then one launch for the predecessors, or more if some arcs
//          have weight 0.
// Departs  as mask.cu, its plain read before the atomic included, but distances have 32 bits. Any arc u->v with
//          distance[u] + weight = distance[v] makes u a valid predecessor of v. If all weights are positive, the chosen
//          arcs form a tree, because distances increase along them. Arcs of weight 0 could close a cycle. They are used
//          last, and only from vertices that are already connected to the source.

#include "path_length.h"

extern "C" __global__ void mask_relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                      bool *mask, int *distance)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || !mask[u]) return;
    mask[u] = false;
    __threadfence();
    const int from = *(volatile int *)&distance[u];
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc], sum = through(from, weights[arc]);
        if (sum < distance[v] && sum < atomicMin(&distance[v], sum)) mask[v] = true;
    }
}

extern "C" __global__ void take_predecessors(int vertices, const int *indptr, const int *indices, const int *weights,
                                             const int *distance, int unreachable, int *predecessor)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || distance[u] == unreachable) return;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc];
        if (weights[arc] > 0 && weights[arc] == distance[v] - distance[u]) predecessor[v] = u;
    }
}

// Sets predecessors along arcs of weight 0. The first predecessor of a vertex stays, so that no cycle can form.
extern "C" __global__ void take_weightless_predecessors(int vertices, const int *indptr, const int *indices,
                                                        const int *weights, int source, const int *distance,
                                                        int *predecessor, int *more)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || (u != source && predecessor[u] < 0)) return;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc];
        if (weights[arc] == 0 && v != source && distance[u] == distance[v] && atomicCAS(&predecessor[v], -1, u) == -1)
            *more = 1;
    }
}
