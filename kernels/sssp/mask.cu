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
    if (u < vertices) relax_arcs(u, indptr, indices, weights, mask, label);
}

// Takes the labels apart, for the host: predecessor -1 for the source and for vertices not reached.
extern "C" __global__ void mask_unpack(int vertices, const Label *label, int *distance, int *predecessor)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    distance[v] = distance_of(label[v]);
    predecessor[v] = int(label[v]);
}
