// sssp/standard, pinned, zero-copy and gpu-search: single-source shortest paths with predecessors, in one kernel.
//
// Report   tuwien-sssp, Algorithm 1.
// Mapping  one thread a vertex, a launch an iteration; the host ends when no vertex is masked. The variants differ in
//          how the host learns that: scripts/retrace/solvers/sssp.py.
// Departs  line 7 adds the weight to cost(tid); printed: to cost(nid).
//          Distance and predecessor are one 64-bit atomic; as printed (mask-published.cu) a slower thread may
//          overwrite the predecessor that belongs to a smaller distance.
//          A vertex is masked only if its distance fell; as printed also if it stayed, which never ends on a cycle
//          of weight 0.
//          The mask is cleared before the distance is read, with a fence in between; otherwise a neighbour's update
//          could fall between the two and be lost.

#include "mask.cuh"

extern "C" __global__ void mask_relax(int vertices, const int *indptr, const int *indices, const int *weights,
                                      bool *mask, Label *label)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || !mask[u]) return;
    mask[u] = false;
    __threadfence();
    const int distance = distance_of(*(volatile Label *)&label[u]);
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc], through = distance + weights[arc];
        if (through >= distance_of(label[v])) continue;
        const Label before = atomicMin(&label[v], make_label(through, u));
        if (through < distance_of(before)) mask[v] = true;
    }
}
