// Kernels that are wrong by CUDA's memory model where `fence` is false, and right otherwise. Each writes to `taken` what it
// has read: 42 or more, or less where a store came late.

// All threads of a block store, and after __syncthreads one of them counts the block. The block that counts last adds up
// what all have stored. The two parts of a sum over a grid, as in CUDA's own example.
extern "C" __global__ void last_block(bool fence, int *values, int *count, int *taken)
{
    __shared__ bool last;
    values[blockIdx.x * blockDim.x + threadIdx.x] = 42;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (fence) __threadfence();
        last = atomicAdd(count, 1) == int(gridDim.x) - 1;
        if (fence) __threadfence();
    }
    __syncthreads();
    if (!last) return;
    for (int i = threadIdx.x; i < int(gridDim.x * blockDim.x); i += blockDim.x) atomicMin(taken, *(volatile int *)&values[i]);
}

// The same with a store and an atomic of one thread, without a barrier.
extern "C" __global__ void last_thread(bool fence, int *values, int *count, int *taken)
{
    values[blockIdx.x] = 42;
    if (fence) __threadfence();
    if (atomicAdd(count, 1) != int(gridDim.x) - 1) return;
    if (fence) __threadfence();
    for (int i = 0; i < int(gridDim.x); i++) atomicMin(taken, *(volatile int *)&values[i]);
}

// All threads of block 0 store, and one of them raises a flag for which block 1 waits.
extern "C" __global__ void told_by_one(bool fence, int *values, int *flag, int *taken)
{
    if (blockIdx.x == 0) {
        values[threadIdx.x] = 42;
        __syncthreads();
        if (threadIdx.x) return;
        if (fence) __threadfence();
        atomicExch(flag, 1);
    } else if (threadIdx.x == 0) {
        while (!atomicAdd(flag, 0)) __nanosleep(10);
        if (fence) __threadfence();
        for (int i = 0; i < int(blockDim.x); i++) atomicMin(taken, *(volatile int *)&values[i]);
    }
}

// Block 0 stores a value, then a flag; block 1 waits for the flag, takes the value, and raises a flag for which block 0
// waits.
extern "C" __global__ void handshake(bool fence, int *values, int *flags, int *taken)
{
    volatile int *const value = values, *const sent = flags, *const received = flags + 1;
    if (blockIdx.x == 0) {
        *value = 42;
        if (fence) __threadfence();
        *sent = 1;
        while (!*received) __nanosleep(10);
    } else {
        while (!*sent) __nanosleep(10);
        if (fence) __threadfence();
        atomicMin(taken, *value);
        if (fence) __threadfence();
        *received = 1;
    }
}

// A fence for the block alone does not order what other blocks see; among the block's threads a barrier is enough.
extern "C" __global__ void block_fence(bool fence, int *values, int *flag, int *taken)
{
    if (blockIdx.x == 0) {
        values[threadIdx.x] = 40 + threadIdx.x;
        __syncthreads();
        atomicMin(taken, 2 + values[(threadIdx.x + 1) % blockDim.x]);
        fence ? __threadfence() : __threadfence_block();
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(flag, 1);
    } else if (threadIdx.x == 0) {
        while (!atomicAdd(flag, 0)) __nanosleep(10);
        __threadfence();
        for (int i = 0; i < int(blockDim.x); i++) atomicMin(taken, 2 + *(volatile int *)&values[i]);
    }
}
