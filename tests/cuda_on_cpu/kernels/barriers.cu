// Barriers, shared memory and warp operations, as the block kernels use them.

__constant__ int scale[2];
__device__ int counter;

// A tree reduction in static shared memory: one sum per block.
extern "C" __global__ void block_sum(int n, const int *in, int *out)
{
    __shared__ int partial[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

// Reverses each block's part, using dynamic shared memory.
extern "C" __global__ void reverse_blocks(const int *in, int *out)
{
    extern __shared__ int tile[];
    const int first = blockIdx.x * blockDim.x;
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    out[first + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// A second dynamic array with another name and type: CUDA gives both the same memory.
extern "C" __global__ void rotate_bytes(const unsigned char *in, unsigned char *out)
{
    extern __shared__ unsigned char bytes[];
    bytes[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = bytes[(threadIdx.x + 1) % blockDim.x];
}

// Some threads return early, and the barriers of the others must not wait for them. Uses all barriers with a predicate.
extern "C" __global__ void early_exit(int *out)
{
    if (threadIdx.x % 3 == 0) return;
    int found = __syncthreads_count(threadIdx.x % 2);
    found += 1000 * __syncthreads_or(threadIdx.x == 1);
    found += 10000 * __syncthreads_and(threadIdx.x != 0);
    found += 100000 * __syncthreads_and(threadIdx.x != 1);
    out[threadIdx.x] = found;
}

// Each warp operation writes one row of `out`.
extern "C" __global__ void warp_operations(int lanes, unsigned *out)
{
    const unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
    const int lane = threadIdx.x % warpSize;
    if (lane >= lanes) return;
    unsigned *row = out + threadIdx.x;
    const auto put = [&](unsigned value) { *row = value; row += blockDim.x; };
    put(__ballot_sync(mask, lane % 3 == 0));
    put(__any_sync(mask, lane == 5));
    put(__all_sync(mask, lane < lanes));
    put(__shfl_sync(mask, lane * 10, 3));
    put(__shfl_up_sync(mask, lane, 1));
    put(lanes == 32 ? __shfl_down_sync(mask, lane, 2, 8) : 0);
    put(lanes == 32 ? __shfl_xor_sync(mask, lane, 5) : 0);
    put(__match_any_sync(mask, lane / 4));
    put(__popc(__ballot_sync(mask, 1)));
    __syncwarp(mask);
    long long wide = __shfl_sync(mask, (1ll << 40) + lane, 2);
    put(unsigned(wide >> 32) + unsigned(wide));
    put(unsigned(__shfl_sync(mask, 0.5 * lane, 7) * 4));
}

// Votes in a loop, with memory accesses in between: lanes that run ahead of others must wait at the next vote.
extern "C" __global__ void vote_often(int rounds, int *out)
{
    const int lane = int(threadIdx.x) % warpSize;
    for (int round = 0; round < rounds; round++)
        out[threadIdx.x] += __popc(__ballot_sync(0xffffffff, (lane + round) % 3 == 0));
}

extern "C" __global__ void warp_reductions(int *out)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    const int lane = int(threadIdx.x);
    int *row = out + lane;
    row[0] = __reduce_add_sync(0xffffffff, lane - 10);
    row[32] = __reduce_min_sync(0xffffffff, lane - 10);
    row[64] = __reduce_max_sync(0xffffffff, lane - 10);
    row[96] = __reduce_or_sync(0xffffffff, 1u << lane % 4);
#endif
}

// The lanes of one warp in two groups, each with its own mask.
extern "C" __global__ void two_groups(int *out)
{
    const int lane = int(threadIdx.x);
    const unsigned low = 0x0000ffff;
    int total;
    if (lane < 16) {
        total = __popc(__ballot_sync(low, 1));
        __syncwarp(low);
    } else {
        total = 100 + __popc(__ballot_sync(~low, lane % 2));
    }
    out[lane] = total + __popc(__ballot_sync(0xffffffff, 1)) * 1000;
}

// Half of a warp waits at a warp operation, the other half at a barrier.
extern "C" __global__ void deadlock(int *out)
{
    if (threadIdx.x < 16)
        __syncwarp(0xffffffff);
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

extern "C" __global__ void scaled(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] * scale[0] + scale[1];
    atomicAdd(&counter, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[blockDim.x] = counter;
}

// Counts every index of a three-dimensional launch once.
extern "C" __global__ void indices(int *out)
{
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    atomicAdd(&out[block * int(blockDim.x * blockDim.y * blockDim.z) + thread], 1);
}
