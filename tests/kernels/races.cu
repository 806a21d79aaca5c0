// Kernels whose answer depends on the order of threads; a seeded run must detect that.

// Correct only if no other thread runs between the comparison and the store: two threads may in turn find themselves
// the best, and store in the opposite order.
extern "C" __global__ void cheapest(int n, const int *cost, int *best, int *who)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(best, cost[i]);
    if (*best == cost[i]) *who = i;
}

// The same with one atomic operation on cost and index together.
extern "C" __global__ void cheapest_packed(int n, const int *cost, unsigned long long *best)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(best, (unsigned long long)cost[i] << 32 | unsigned(i));
}

// A sum without atomic operations.
extern "C" __global__ void lost_updates(int *sum)
{
    *sum = *sum + 1;
}

// Correct only if threads run in order.
extern "C" __global__ void prefix_in_order(int n, int *values)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) values[i] += values[i - 1];
}

// No barrier between the store and the load of a neighbour's value.
extern "C" __global__ void missing_barrier(int *out)
{
    __shared__ int value[64];
    value[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = value[(threadIdx.x + blockDim.x - 1) % blockDim.x];
}

extern "C" __global__ void with_barrier(int *out)
{
    __shared__ int value[64];
    value[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = value[(threadIdx.x + blockDim.x - 1) % blockDim.x];
}
