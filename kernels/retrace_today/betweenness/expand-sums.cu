// Not a solver: fixed-point scores of a graph that was made smaller, at the vertices of the whole one.
//
// Used by  lane-queues and bitmap-queue with sums=fixed, whose scores leave the device after each part of the passes.
// Mapping  a thread per vertex of the smaller graph.

#include "fixed_point.cuh"

// kept[v] is the vertex of the whole graph; the scores of vertices that are not kept stay as they are.
extern "C" __global__ void expand(int vertices, const int *kept, const FixedPoint *sums, FixedPoint *expanded)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) expanded[kept[v]] = sums[v];
}
