// sssp/standard-predecessor-pass: sssp/standard, with the predecessors in a pass of their own after the last iteration.
//
// Report   tuwien-sssp, Algorithm 1; the pass is ours, the other way out of the race that mask.cu avoids by a 64-bit
//          atomic.
// Mapping  one thread a vertex, a launch an iteration; then one launch, or, where arcs weigh 0, more.
// Departs  as mask.cu. Distances are 32-bit. Any arc that fits its head's distance exactly gives a predecessor; that
//          is a tree if all weights are positive, because distances fall along it. Arcs of weight 0 may close a
//          cycle: they are used last, and only from vertices that hang on the source already.

extern "C" __global__ void mask_relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                      bool *mask, int *distance)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || !mask[u]) return;
    mask[u] = false;
    __threadfence();
    const int from = *(volatile int *)&distance[u];
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc], through = from + weights[arc];
        if (through < distance[v] && through < atomicMin(&distance[v], through)) mask[v] = true;
    }
}

extern "C" __global__ void take_predecessors(int vertices, const int *indptr, const int *indices, const int *weights,
                                             const int *distance, int unreachable, int *predecessor)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || distance[u] == unreachable) return;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc];
        if (weights[arc] > 0 && distance[u] + weights[arc] == distance[v]) predecessor[v] = u;
    }
}

// Hangs vertices on others by arcs of weight 0; the first to come stays, so that no cycle closes.
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
