// limits/barrier-block: the time of a barrier of one block.
//
// Method   one block passes `__syncthreads()` again and again, with nothing between two barriers. The first threads of its
//          warps take turns in telling how many there were.

#include "barrier.cuh"

extern "C" __global__ void barrier_block(unsigned steps, unsigned long long *passed)
{
    const unsigned turn = threadIdx.x % 32 == 0 ? threadIdx.x / 32 : NEVER;
    pass(steps, turn, (blockDim.x + 31) / 32, passed, [] { __syncthreads(); });
}
