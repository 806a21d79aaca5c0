// One block of many threads that works level by level, as the block-per-source kernels do, and the features that they
// use: barriers in loops, floating-point sums in shared memory, constants, dynamic shared memory in parts, vector
// loads, templates.

struct Limits {
    int levels;
    float weight;
};

__constant__ Limits limits;
__constant__ double factors[3];

template <int STRIDE, typename F> __device__ __forceinline__ void for_each(int n, F &&body)
{
    for (int i = threadIdx.x; i < n; i += STRIDE) body(i);
}

// Levels of a graph from source `blockIdx.x`: the whole block marks a level, and continues while any thread finds a
// vertex.
extern "C" __global__ void __launch_bounds__(1024)
levels(int vertices, const int *__restrict__ indptr, const int *__restrict__ indices, int *__restrict__ level)
{
    int *own = level + size_t(blockIdx.x) * vertices;
    for_each<1024>(vertices, [&](int v) { own[v] = v == int(blockIdx.x) ? 0 : -1; });
    __syncthreads();
    int found = 1;
    for (int depth = 0; found && depth < limits.levels; depth++) {
        found = 0;
        for_each<1024>(vertices, [&](int u) {
            if (own[u] != depth) return;
            for (int arc = indptr[u]; arc < indptr[u + 1]; arc++)
                if (atomicCAS(&own[indices[arc]], -1, depth + 1) == -1) found = 1;
        });
        found = __syncthreads_or(found);
    }
}

// Atomic sums in one dynamic array that is divided into parts of three types.
extern "C" __global__ void sums(int n, const int *in, double *total, float *weighted, int *most)
{
    extern __shared__ __align__(16) unsigned char parts[];
    double *const wide = reinterpret_cast<double *>(parts);
    float *const narrow = reinterpret_cast<float *>(wide + 1);
    int *const greatest = reinterpret_cast<int *>(narrow + 1);
    if (threadIdx.x == 0) *wide = 0, *narrow = 0, *greatest = INT_MIN;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(wide, in[i] * factors[1]);
        atomicAdd(narrow, limits.weight * in[i]);
        atomicMax(greatest, in[i]);
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    atomicAdd(total, *wide);
    atomicAdd(weighted, *narrow);
    atomicMax(most, *greatest);
}

// Inclusive prefix sum of a block: shuffles within warps, then over the sums of the warps.
template <typename T> __device__ T prefix_in_warp(T value)
{
    for (int by = 1; by < 32; by *= 2) {
        const T before = __shfl_up_sync(0xffffffff, value, by);
        if (threadIdx.x % 32 >= by) value += before;
    }
    return value;
}

extern "C" __global__ void prefix_sum(const double *in, double *out)
{
    __shared__ double of_warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double sum = prefix_in_warp(in[threadIdx.x]);
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    if (warp == 0) of_warps[lane] = prefix_in_warp(lane < blockDim.x / 32 ? of_warps[lane] : 0.0);
    __syncthreads();
    out[threadIdx.x] = warp ? sum + of_warps[warp - 1] : sum;
}

// Vector loads and stores.
extern "C" __global__ void vector_loads(const int *in, double *out)
{
    const int2 two = reinterpret_cast<const int2 *>(in)[1];
    const int4 four = __ldg(reinterpret_cast<const int4 *>(in) + 1);
    const uint4 counts = make_uint4(1u, 2u, 3u, 4u);
    const float2 single = make_float2(0.5f, two.x);
    const float4 more = make_float4(four.x, four.y, single.x, single.y);
    double2 *const pairs = reinterpret_cast<double2 *>(out);
    pairs[0] = make_double2(two.x, two.y);
    pairs[1] = make_double2(four.x + four.y, four.z + four.w);
    pairs[2] = make_double2(counts.x + counts.w, more.x + more.y + more.z + more.w);
    const longlong2 wide = make_longlong2(1ll << 40, two.y);
    const ulonglong2 wider = make_ulonglong2(1ull << 63, 1);
    pairs[3] = make_double2(double(wide.x + wide.y), double(wider.x + wider.y));
}

// Floating-point functions.
extern "C" __global__ void floating(double x, double *out)
{
    __builtin_assume(x > 0);
    out[0] = isinf(x / 0.0) + 10 * isfinite(x) + 100 * isnan(x);
    out[1] = __dadd_rn(x, __dmul_rn(x, 2.0));
    out[2] = __fadd_rn(float(x), __fmul_rn(__int2float_rn(3), 0.5f)) + __int2double_rn(4);
}
