// A distance plus a weight, negative ones too, kept within 32 bits: the same on the host, the GPU and the emulator.

#pragma once

#if !defined(__CUDACC__) && !defined(RETRACE_EMULATOR)  // plain C++
#define __device__
#endif

constexpr int NO_PATH = 2147483647;       // distance of a vertex that is not reached; weight where there is no arc
constexpr int LEAST = -2147483647 - 1;  // a distance that fell this far fell further: the host then says why

// The distance through an arc whose tail is reached. The weight gives way, so that the sum cannot wrap round.
__device__ inline int through(int distance, int weight)
{
    if (weight == NO_PATH) return NO_PATH;
    const int least = distance < 0 ? LEAST - distance : LEAST;
    const int most = distance < 0 ? NO_PATH : NO_PATH - distance;
    return distance + (weight < least ? least : weight > most ? most : weight);
}
