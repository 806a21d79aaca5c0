// Adds a weight, which may be negative, to a distance within 32 bits; the same code on host, GPU and emulator.

#pragma once

#if !defined(__CUDACC__) && !defined(RETRACE_EMULATOR)  // plain C++
#define __device__
#endif

constexpr int NO_PATH = 2147483647;       // distance of an unreached vertex; weight where there is no arc
constexpr int LEAST = -2147483647 - 1;  // clamped: the true distance may be smaller. The host then reports the reason.

// Distance of the head through an arc whose tail is reached. The weight is clamped, so that the sum cannot overflow.
__device__ inline int through(int distance, int weight)
{
    if (weight == NO_PATH) return NO_PATH;
    const int least = distance < 0 ? LEAST - distance : LEAST;
    const int most = distance < 0 ? NO_PATH : NO_PATH - distance;
    return distance + (weight < least ? least : weight > most ? most : weight);
}
