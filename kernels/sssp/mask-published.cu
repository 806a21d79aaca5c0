// sssp/standard-published: the one-kernel shortest paths of tuwien-sssp as printed, but for what cannot run.
//
// Report   tuwien-sssp, Algorithm 1.
// Mapping  one thread a vertex, a launch an iteration.
// Departs  line 7 adds the weight to cost(tid); printed: to cost(nid), which leaves every distance infinite.
//          Kept: the predecessor is written after the atomic, so that a slower thread can overwrite it; and a vertex
//          whose distance stays the same is masked again, so that a cycle of weight 0 never ends.

extern "C" __global__ void mask_relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                      bool *mask, int *distance, int *predecessor)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || !mask[u]) return;
    mask[u] = false;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc], through = distance[u] + weights[arc];
        atomicMin(&distance[v], through);
        if (distance[v] == through) {
            predecessor[v] = u;
            mask[v] = true;
        }
    }
}
