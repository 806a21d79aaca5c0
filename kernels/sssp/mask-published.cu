// sssp/standard-published: the one-kernel shortest paths of tuwien-sssp as printed, except where that cannot work.
//
// Report   tuwien-sssp, Algorithm 1.
// Mapping  one thread per vertex, one launch per iteration.
// Departs  line 7 adds the weight to cost(tid). In print it adds to cost(nid), so that all distances stay infinite.
//          A sum beyond 32 bits does not wrap around: path_length.h.
//          Three faults of the printed text are kept. The predecessor is written after the atomic, so that a slower
//          thread can overwrite it. Nothing ensures that the mask is cleared before the distance is read, so that an
//          update between the two is lost. A vertex whose distance stays the same is masked again, so that a cycle of
//          weight 0 never ends.

#include "path_length.h"

extern "C" __global__ void mask_relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                      bool *mask, int *distance, int *predecessor)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || !mask[u]) return;
    mask[u] = false;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc], sum = through(distance[u], weights[arc]);
        atomicMin(&distance[v], sum);
        if (distance[v] == sum) {
            predecessor[v] = u;
            mask[v] = true;
        }
    }
}
