// limits/load-l2: the latency of a load from the L2 cache.
//
// Method   one thread follows a cycle through an array that fits into the cache many times. The loads pass L1 by
//          (`ld.global.cg`). The array has just been written, so it is in L2; its lines are spread over all of it.

#include "cycle.cuh"

extern "C" __global__ void lay(unsigned *next, unsigned words)
{
    lay_cycle(next, words, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

extern "C" __global__ void load_l2(const unsigned *next, unsigned steps, unsigned long long *end)
{
    *end = follow(0, steps, [=](unsigned at) { return __ldcg(next + at); });
}
