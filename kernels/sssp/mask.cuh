// What the kernels of tuwien-sssp share. A vertex's distance and predecessor lie in one 64-bit word, distance on top,
// so that one atomicMin sets both; see mask.cu.

#pragma once

using Label = unsigned long long;

__device__ inline int distance_of(Label label) { return int(label >> 32); }

__device__ inline Label make_label(int distance, int predecessor)
{
    return Label(distance) << 32 | unsigned(predecessor);
}

// Takes the labels apart, for the host: predecessor -1 for the source and for vertices not reached.
extern "C" __global__ void mask_unpack(int vertices, const Label *label, int *distance, int *predecessor)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    distance[v] = distance_of(label[v]);
    predecessor[v] = int(label[v]);
}
