// sssp/standard, standard-atomic-always, pinned, pinned-graph, zero-copy, mapped and gpu-search: single-source shortest
// paths with predecessors, in one kernel.
//
// Report   tuwien-sssp, Algorithm 1.
// Mapping  one thread per vertex, one launch per iteration; the host stops when no vertex is masked. The variants
//          differ in how the host finds that out: scripts/retrace/solvers/sssp.py.
// Departs  line 7 adds the weight to cost(tid) (in print to cost(nid)).
//          One 64-bit atomic sets distance and predecessor together. In print (mask-published.cu), a slower thread may
//          overwrite the predecessor that belongs to a smaller distance.
//          A vertex is masked only if its distance fell. In print it is also masked if its distance stayed the same,
//          which never ends on a cycle of weight 0.
//          An arc that cannot lower the distance of its head is skipped after a plain read. In print, line 8 issues the
//          atomic for every arc: mask_relax_always (sssp/standard-atomic-always).
//          The mask is cleared before the distance is read, with a fence in between. Otherwise an update by a neighbour
//          between the two could be lost.
//          A sum beyond 32 bits does not wrap around: path_length.h.

#include "mask.cuh"

// Masks the source, at distance 0; no other vertex is reached.
extern "C" __global__ void mask_start(int vertices, int source, bool *mask, Label *label)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    mask[v] = v == source;
    label[v] = make_label(v == source ? 0 : UNREACHABLE, -1);
}

extern "C" __global__ void mask_relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                      bool *mask, Label *label)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u < vertices) relax_arcs<false>(u, indptr, indices, weights, mask, label);
}

extern "C" __global__ void mask_relax_always(int vertices, const int *indptr, const int *indices, const int *weights,
                                             bool *mask, Label *label)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u < vertices) relax_arcs<true>(u, indptr, indices, weights, mask, label);
}

// Splits the labels for the host. The predecessor is -1 for the source and for unreached vertices.
extern "C" __global__ void mask_unpack(int vertices, const Label *label, int *distance, int *predecessor)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    distance[v] = distance_of(label[v]);
    predecessor[v] = int(label[v]);
}
