// sssp/bsp: single-source shortest paths by relaxing all arcs of the vertices whose distance fell.
//
// Report   bsp-suite, section 3.4.3, its second "Algorithm 3.5" (SSSP_KERNEL1) and "3.6" (SSSP_KERNEL2).
// Mapping  one thread per vertex in both kernels; one pair of launches per iteration, with the host in between.
// Departs  the weight is indexed by the arc (in print by the neighbour, W_a[nid]).
//          Lines 5 to 9, a compare and a write under a lock, are one atomicMin, as the text of the report says.
//          A sum beyond 32 bits does not wrap around: path_length.h.
//          `while Terminate is false` becomes `while more is true`, as in bfs/bsp.cu.
//
// The report's names: mask M_a, distance C_a, updating C_ua, weights W_a, indptr V_a, indices E_a.
// Weights are not negative, and distances stay below 2^31 - 1, that of an unreached vertex.

#include "path_length.h"

extern "C" __global__ void sssp_kernel1(int vertices, const int *indptr, const int *indices, const int *weights,
                                        bool *mask, const int *distance, int *updating)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || !mask[u]) return;
    mask[u] = false;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++)
        atomicMin(&updating[indices[arc]], through(distance[u], weights[arc]));
}

extern "C" __global__ void sssp_kernel2(int vertices, bool *mask, int *distance, int *updating, int *more)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    if (distance[v] > updating[v]) {
        distance[v] = updating[v];
        mask[v] = true;
        *more = 1;
    }
    updating[v] = distance[v];
}
