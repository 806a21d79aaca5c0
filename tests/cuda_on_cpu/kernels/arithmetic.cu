// Device functions of two numbers, each function's value in its place of `out`.

extern "C" __global__ void integers(int count, const int *a, const int *b, long long *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int x = a[i], y = b[i];
    const unsigned u = x, v = y;
    const unsigned long long wide = static_cast<unsigned long long>(u) << 32 | v;
    const long long values[] = {
        min(x, y), max(x, y), min(u, v), max(u, v), __popc(u), __popcll(wide), __ffs(x), __ffsll(wide), __clz(x),
        __clzll(wide), __brev(u), static_cast<long long>(__brevll(wide)), __mulhi(x, y), __umulhi(u, v),
        static_cast<long long>(__umul64hi(wide, wide)),
    };
    constexpr int VALUES = sizeof values / sizeof *values;
    for (int k = 0; k < VALUES; k++) out[VALUES * i + k] = values[k];
}

extern "C" __global__ void reals(int count, const double *a, const double *b, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const double x = a[i], y = b[i];
    const float f = x, g = y;
    const double values[] = {
        min(x, y), max(x, y), min(f, g), max(f, g), __fadd_rn(f, g), __fmul_rn(f, g), __dadd_rn(x, y), __dmul_rn(x, y),
        rsqrtf(f), rsqrt(x), __fdividef(f, g), double(__float2int_rn(f)), double(__double2int_rn(x)),
    };
    constexpr int VALUES = sizeof values / sizeof *values;
    for (int k = 0; k < VALUES; k++) out[VALUES * i + k] = values[k];
}
