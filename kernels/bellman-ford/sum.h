// Adds a weight, which may be negative, to a distance within 32 bits; the same code on host, GPU and emulator.

#pragma once

#include "../unreachable.h"

#if !defined(__CUDACC__) && !defined(CUDA_ON_CPU)  // plain C++
#define __device__
#endif

constexpr int LEAST = -2147483647 - 1;  // clamped: the true distance may be smaller. The host then reports the reason.

// Distance of the head through an arc whose tail is reached. The weight is clamped, so that the sum cannot overflow.
__device__ inline int through(int distance, int weight)
{
    if (weight == UNREACHABLE) return UNREACHABLE;
    const int least = distance < 0 ? LEAST - distance : LEAST;
    const int most = distance < 0 ? UNREACHABLE : UNREACHABLE - distance;
    return distance + (weight < least ? least : weight > most ? most : weight);
}
