// Kernels that fail, each in another way. `out` holds 0, 0 and 5.

extern "C" __global__ void far(int *out)
{
    if (threadIdx.x == 3) out[1ll << 40] = 1;
}

extern "C" __global__ void divides(int *out)
{
    __syncthreads();
    out[0] = 7 / out[1];
}

extern "C" __global__ void divides_the_least(int *out) { out[0] = (INT_MIN + out[0]) / (out[1] - 1); }

extern "C" __global__ void spins(int *out)
{
    while (*(volatile int *)out != int(threadIdx.x) + 1) {}
}

extern "C" __global__ void sleeps(int *out)
{
    if (threadIdx.x) __syncthreads();
    while (*(volatile int *)out != 1) __nanosleep(10);
}

// The emulator's compiler leaves these alone: `>>` may end two lists of template arguments, and no word names the type.
extern "C" __global__ void shifts(int *out) { out[0] = out[0] < out[1] || out[1] < out[2] >> (out[1] + 32); }

extern "C" __global__ void converts(int *out) { out[0] = decltype(INT_MAX)(2e9f + out[2] * 1e8f); }

extern "C" __global__ void misaligned(int *out) { *(int2 *)(out + 1) = make_int2(1, 2); }

extern "C" __global__ void __launch_bounds__(2 * 32, 2) bounded(int *out) { out[0] = 1; }

// These do not fail.

extern "C" __global__ void wakes(int *out)
{
    if (threadIdx.x < 31)
        while (*(volatile int *)out != 1) __nanosleep(10);
    else
        atomicExch(out, 1);
}

extern "C" __global__ void clamps(int *out)
{
    unsigned *const u = (unsigned *)out;
    u[0] = __funnelshift_l(0x89abcdef, 0x01234567, 36);
    u[1] = __funnelshift_r(0x89abcdef, 0x01234567, 4);
    u[2] = __funnelshift_lc(5, 6, 32) + __funnelshift_rc(5, 6, 99);
    out[3] = __float2int_rz(-3e9f) == INT_MIN && __float2int_rz(NAN) == 0 && __float2int_rn(2.5f) == 2;
    out[4] = __float2uint_rz(-1.0f) + __double2int_rz(1e12) / 2;
}
