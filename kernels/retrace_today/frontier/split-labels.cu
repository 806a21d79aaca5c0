// Distances and predecessors in arrays of their own, for the host; ours.
//
// Mapping  a thread per vertex.

#include "../../label.cuh"

// The predecessor is -1 for the source and for vertices that are not reached.
extern "C" __global__ void split(int vertices, const Label *label, int *distance, int *predecessor)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    distance[v] = distance_of(label[v]);
    predecessor[v] = int(label[v]);
}
