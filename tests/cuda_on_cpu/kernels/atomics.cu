// Every atomic operation, on every type on which CUDA offers it; each thread of the launch takes part once.

extern "C" __global__ void integers(int *i, unsigned *u)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&i[0], t);
    atomicSub(&i[1], 1);
    atomicMin(&i[2], -t);
    atomicMax(&i[3], t);
    atomicAnd(&i[4], ~(1 << t % 8));
    atomicOr(&i[5], 1 << t % 8);
    atomicXor(&i[6], 1 << t % 8);
    atomicAdd(&u[0], 1u);
    atomicMin(&u[1], unsigned(t));
    atomicMax(&u[2], unsigned(t));
    atomicInc(&u[3], 99);
    atomicDec(&u[4], 99);
    if (atomicExch(&u[5], 1u) == 0) atomicAdd(&u[6], 1u);  // only the first thread finds 0
    if (atomicCAS(&i[7], 0, t + 1) == 0) atomicAdd(&u[7], 1u);
}

extern "C" __global__ void wide(unsigned long long *u, long long *s)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&u[0], 1ull << 33);
    atomicMax(&u[1], (unsigned long long)t << 33);
    atomicMin(&s[0], -((long long)t << 33));
    if (atomicCAS(&u[2], 0ull, 1ull << 40) == 0) atomicAdd(&u[3], 1ull);
    if (atomicExch(&u[4], 7ull) == 0) atomicAdd(&u[3], 10ull);
}

extern "C" __global__ void floats(float *f, double *d)
{
    atomicAdd(&f[0], 0.5f);
    atomicAdd(&d[0], 0.25);
    if (atomicExch(&f[1], 1.0f) == 0.0f) atomicAdd(&f[2], 1.0f);
}

// Vector loads and integer functions.
extern "C" __global__ void vectors(int n, const int4 *in, int4 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int4 v = __ldg(&in[i]);
    out[i] = make_int4(max(v.x, v.y), min(v.z, v.w), __popc(v.x) + __clz(v.y) + __ffs(v.z), v.w);
}

// Additions whose result is a subnormal float.
extern "C" __global__ void tiny_sums(float *f)
{
    atomicAdd(&f[0], 0x1p-128f);
    atomicAdd(&f[1], 0x1p-128f);
    atomicAdd(&f[2], -0x1.8p-126f);
}

// Ors whose operand is known not to be 0: of each of them g++ 12 makes one of 0, unless it is told not to.
extern "C" __global__ void conditional_ors(const unsigned *bits, unsigned *words, unsigned *before)
{
    const unsigned t = threadIdx.x;
    before[t] = bits[t] && t == bits[0] ? atomicOr(&words[0], bits[t]) : 0;
    for (int b = 0; b < 2; b++)
        before[t] += bits[t] && t == bits[0] ? atomicOr(&words[1 + b], bits[t]) : 0;
    if (bits[t] && t == bits[0]) before[t] += atomicOr(&words[3], bits[t]);
    if (bits[t] && t == bits[0]) before[t] += atomicAdd(&words[4], bits[t]);
    if (bits[t] && t == bits[0]) before[t] += atomicXor(&words[5], bits[t]);
}
