// The length of a path that goes on along an arc; the same code on host, GPU and emulator.
//
// Departs  a length beyond 32 bits is clamped to 2^31 - 1, the distance of a vertex that is not reached. In print it
//          wraps around: a path that is too long for 32 bits, but found before the shortest, would come out as the
//          shortest.

#pragma once

#if !defined(__CUDACC__) && !defined(CUDA_ON_CPU)  // plain C++
#define __device__
#endif

// Distance of the head through an arc: of its tail, plus the weight. Neither is negative.
__device__ inline int through(int distance, int weight)
{
    constexpr unsigned most = 2147483647;
    const unsigned sum = unsigned(distance) + unsigned(weight);
    return int(sum < most ? sum : most);
}
