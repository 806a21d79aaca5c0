// Shared by betweenness/lane-queues and bitmap-queue: blocks draw their passes, because passes differ in length.

#pragma once

// Draws a pass for this block; returns `passes` if none is left. All threads call it together. *next is 0 before a launch
// and again after it: each block draws one pass too many, and the last to do so resets it.
__device__ inline int draw_pass(int *next, int passes)
{
    __shared__ int drawn;
    __syncthreads();  // all threads have read the last one
    if (threadIdx.x == 0) {
        drawn = atomicAdd(next, 1);
        if (drawn == passes + int(gridDim.x) - 1) *next = 0;
    }
    __syncthreads();
    return min(drawn, passes);
}
