// Out-of-bounds accesses that the debug build must report. Each is off by one.

extern "C" __global__ void off_by_one(int n, const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = in[0];  // the mistake: <=
}

extern "C" __global__ void off_by_one_after_barrier(int n, const int *in, int *out)
{
    __shared__ int first;
    if (threadIdx.x == 0) first = in[0];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = first;  // the mistake
}

extern "C" __global__ void beyond_shared(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = 1;  // the launch asks for one element too few
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void inside(int n, const int *in, int *out)
{
    extern __shared__ int tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[threadIdx.x] + __shfl_sync(0xffffffff, 1, 0);
}

// Stores one element outside an array in shared memory.
extern "C" __global__ void outside_static(int at, int *out)
{
    __shared__ int first[32], second[32];
    volatile int *const array = second;
    first[threadIdx.x] = array[at] = 1;
    __syncthreads();
    out[0] = first[31 - threadIdx.x];
}

extern "C" __global__ void outside_dynamic(int at, int *out)
{
    extern __shared__ int tile[];
    tile[at] = 1;
    out[0] = tile[0];
}

extern "C" __global__ void copy_one(int to, int from, const int *in, int *out) { out[to] = in[from]; }

extern "C" __global__ void uninitialised(int *out)
{
    __shared__ int array[32];
    if (threadIdx.x == 0) out[blockIdx.x] = array[0];
    array[threadIdx.x] = 1;
}

__device__ __noinline__ int of_a_function(int at)
{
    __shared__ int array[4];
    return array[at];
}

// Reads what no thread writes, which a compiler may take for 0.
extern "C" __global__ void never_written(int *out)
{
    __shared__ int array[32], number;
    static __shared__ union { int whole; float part; } both;
    out[0] = array[blockIdx.x];
    out[1] = number;
    out[2] = both.whole;
    out[3] = of_a_function(blockIdx.x);
}
