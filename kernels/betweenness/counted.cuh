// Shared by betweenness/edge-counted and vert-virt-stride-counted: counts the atomic additions of what is included after it.

#pragma once

#include "double_atomics.cuh"

__device__ unsigned long long additions;

template <typename T> __device__ T counted_add(T *address, T value)
{
    atomicAdd(&additions, 1ull);
    return atomicAdd(address, value);
}

// Hands out the number of additions since the last call.
extern "C" __global__ void take_additions(unsigned long long *taken)
{
    *taken = additions;
    additions = 0;
}

#define atomicAdd counted_add
