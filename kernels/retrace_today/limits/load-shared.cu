// limits/load-shared: the latency of a load from the block's own shared memory.
//
// Method   one block lays a cycle through 16 KiB of its shared memory; then its first thread follows it.

#include "cycle.cuh"

constexpr unsigned WORDS = 4096;

extern "C" __global__ void load_shared(unsigned steps, unsigned long long *end)
{
    __shared__ unsigned next[WORDS];
    lay_cycle(next, WORDS, threadIdx.x, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) *end = follow(0, steps, [&](unsigned at) { return next[at]; });
}
