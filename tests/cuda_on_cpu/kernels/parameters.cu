// Kernel parameters of every size, in orders that leave gaps between them; each is returned as 8 bytes.

template <typename T> __device__ unsigned long long bits(T value)
{
    unsigned long long result = 0;
    memcpy(&result, &value, sizeof value);
    return result;
}

#define KERNEL(name, A, B, C, D, E)                                                           \
    extern "C" __global__ void name(A a, B b, C c, D d, unsigned long long *out, E e)         \
    {                                                                                         \
        out[0] = bits(a), out[1] = bits(b), out[2] = bits(c), out[3] = bits(d), out[4] = bits(e); \
    }

KERNEL(small_before_wide, bool, double, signed char, unsigned long long, float)
KERNEL(wide_before_small, long long, bool, unsigned long long, short, double)
KERNEL(small_alone, unsigned char, short, bool, unsigned short, signed char)
KERNEL(middle, int, size_t, unsigned, float, short)
KERNEL(after_the_pointer, float, int, float, bool, long long)
