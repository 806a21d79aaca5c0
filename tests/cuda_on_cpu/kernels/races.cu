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

// Block 0 passes on n messages; block 1 takes those whose flag it sees. Without a fence, a flag may be visible before its
// message.
__device__ static void pass_on(int n, volatile int *message, volatile int *flag, int *taken, bool fence)
{
    for (int i = 0; i < n; i++) {
        if (blockIdx.x == 0) {
            message[i] = 42;
            if (fence) __threadfence();
            flag[i] = 1;
        } else if (flag[i]) {
            if (fence) __threadfence();
            taken[i] = message[i];
        }
    }
}

extern "C" __global__ void without_fence(int n, int *message, int *flag, int *taken)
{
    pass_on(n, message, flag, taken, false);
}

extern "C" __global__ void with_fence(int n, int *message, int *flag, int *taken)
{
    pass_on(n, message, flag, taken, true);
}

// Right without a fence: a thread sees its own stores, and an atomic operation is on what it has stored. The others add
// once they see its flag, and count how often.
extern "C" __global__ void store_then_add(int *sum, int *flag, int *added)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *(volatile int *)sum = 2;
        *(volatile int *)sum *= 3;
        atomicAdd(sum, 1);
        atomicExch(flag, 1);
    } else if (atomicAdd(flag, 0) == 1) {
        atomicAdd(sum, 10);
        atomicAdd(added, 1);
    }
}
