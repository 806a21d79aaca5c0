// What the kernels of an-bellman-ford share: the vectors that an iteration reads and writes, and the relaxation of
// one arc, lines 4 to 8 of Algorithm 3.
//
// Departs  a sum that 32 bits do not hold stays at their end; as printed, a weight of infinity wraps round.
//          Line 5 compares with dist[j], which another thread may have lowered since: here with what this thread wrote.

#pragma once

#include "sum.h"

__device__ inline void relax(int sum, int head, int *distance, int *mask1, int *flag)
{
    if (atomicMin(&distance[head], sum) > sum) {
        mask1[head] = 1;
        *flag = 1;
    }
}

// Where a matrix has the weight of the arc from i to j.
__device__ inline size_t entry(int i, int j, int pitch) { return size_t(i) * pitch + j; }
