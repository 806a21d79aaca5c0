// Shared by the kernels of an-bellman-ford: the relaxation of one arc, lines 4 to 8 of Algorithm 3.
//
// Departs  a sum beyond the range of 32 bits is clamped to that range (sum.h). In print, infinity plus a weight wraps
//          around.
//          Line 5 compares with dist[j], which another thread may have lowered since. This code compares with the sum
//          that the thread itself wrote.

#pragma once

#include "sum.h"

__device__ inline void relax(int sum, int head, int *distance, int *mask1, int *flag)
{
    if (atomicMin(&distance[head], sum) > sum) {
        mask1[head] = 1;
        *flag = 1;
    }
}

// Index of the weight of the arc from i to j in the matrix.
__device__ inline size_t entry(int i, int j, int pitch) { return size_t(i) * pitch + j; }
