// Threads that wait in a loop, as a GPU allows: its threads and resident blocks all go on.

#include <cooperative_groups.h>

// Each thread waits for the next one of its block.
extern "C" __global__ void for_a_later_thread(int *flags)
{
    if (threadIdx.x + 1 < blockDim.x)
        while (!((volatile int *)flags)[threadIdx.x + 1]) {}
    ((volatile int *)flags)[threadIdx.x] = 1 + threadIdx.x;
}

// A barrier of the grid made by hand, for a cooperative launch, without __nanosleep.
extern "C" __global__ void own_barrier(int rounds, int *arrived, int *values, int *wrong)
{
    for (int round = 1; round <= rounds; round++) {
        if (threadIdx.x == 0) ((volatile int *)values)[blockIdx.x] = round;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            while (atomicAdd(arrived, 0) < int(gridDim.x) * (2 * round - 1)) {}
            __threadfence();
        }
        __syncthreads();
        if (((volatile int *)values)[(blockIdx.x + threadIdx.x) % gridDim.x] != round) atomicAdd(wrong, 1);
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            while (atomicAdd(arrived, 0) < int(gridDim.x) * 2 * round) {}
        }
        __syncthreads();
    }
}

// Lanes that count votes for longer than a tick: a warp operation is one step, whenever the clock interrupts.
extern "C" __global__ void votes(int rounds, int *out)
{
    int sum = 0;
    for (int round = 0; round < rounds; round++) sum += __popc(__ballot_sync(0xffffffff, (threadIdx.x + round) % 2));
    out[threadIdx.x] = sum;
}

// A thread that works for long, and passes a barrier now and then.
extern "C" __global__ void works(int rounds, int *out)
{
    for (int round = 1; round <= rounds; round++) {
        for (volatile int i = 0; i < 100'000; i++) {}
        __syncthreads();
        out[0] = round;
    }
}
