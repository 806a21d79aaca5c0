// Kernels with a fault that their answer need not show. Each has at most one.

#include <cooperative_groups.h>

// Counts the values below `limit`. With `extra`, one value more is looked at, so many elements past the last.
extern "C" __global__ void count_below(int n, int extra, int limit, const int *values, int *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] < limit) atomicAdd(count, 1);
    if (i == 0 && extra && values[n - 1 + extra] < limit) atomicAdd(count, 0);
}

extern "C" __global__ void store_past(int at, int *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x == 0) out[at] = 1;
}

// Reads a shared array, and with `extra` elements past its last.
extern "C" __global__ void shared_sum(int extra, int *out)
{
    __shared__ int values[32];
    values[threadIdx.x] = 1;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 32 + extra; i++) sum += i < 32 || values[i] == -1 ? values[i] : 0;
    out[threadIdx.x] = sum;
}

extern "C" __global__ void shared_store(int at, int *out)
{
    __shared__ int values[32];
    values[threadIdx.x] = 1;
    if (threadIdx.x == 0) values[at] = 1;
    out[threadIdx.x] = values[threadIdx.x];
}

// Through an array of pointers, to memory which may be freed.
extern "C" __global__ void store_through(const unsigned long long *parts) { ((int *)parts[0])[256 + threadIdx.x] = 1; }

extern "C" __global__ void read_through(const unsigned long long *parts, int *out)
{
    if (((int *)parts[0])[256 + threadIdx.x] == -1) out[threadIdx.x] = 1;
}

extern "C" __global__ void copy(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

extern "C" __global__ void shared_unwritten(int *out)
{
    __shared__ int sum;
    out[threadIdx.x] = sum;
    sum = 1;
}

// The sum has no first value.
extern "C" __global__ void register_unwritten(int n, const int *values, int *out)
{
    int sum;
    for (int i = 0; i < n; i++) sum += values[i];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void array_unwritten(int n, const int *values, int *out)
{
    int sums[4];
    for (int i = 0; i < n; i++) sums[i % 4] += values[i];
    out[threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

// Block 0 stores the values, which block 1 reads by the cache that is not coherent.
extern "C" __global__ void read_only(int *values, int *out)
{
    if (blockIdx.x == 0) values[threadIdx.x] = 1;
    else out[threadIdx.x] = __ldg(&values[threadIdx.x]);
}

// Both branches name all lanes, as no GPU before compute capability 7.0 allows.
extern "C" __global__ void both_branches(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_xor_sync(0xffffffff, int(threadIdx.x), 16);
    else
        out[threadIdx.x] = __shfl_xor_sync(0xffffffff, int(threadIdx.x), 16);
}

extern "C" __global__ void fill(int value, int *out) { out[threadIdx.x] = value; }

extern "C" __global__ void __cluster_dims__(2, 1, 1) from_other_block(int *out)
{
    __shared__ int value;
    const auto cluster = cooperative_groups::this_cluster();
    value = int(blockIdx.x);
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(&value, 1 - cluster.block_rank());
    cluster.sync();
}
