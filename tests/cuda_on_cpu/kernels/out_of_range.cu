// Shifts by any amount, and conversions of any number: C++ defines some of them, a GPU all.

#include <cstdint>

using Long = long long;
typedef unsigned long long Word;
typedef unsigned char Byte;

template <typename T> struct Pair {
    T left, right;
};

#define SHIFTED_LEFT(a, n) ((a) << (n))

template <typename A> __device__ auto shifted_right(A a, int n) { return a >> n; }

// a << n, a >> n, and a after <<= and >>=, with the operand an element of an array, a member and volatile.
#define SHIFTS(T, name)                                                                                           \
    extern "C" __global__ void shifts_##name(int count, const T *a, const int *amounts, Long *out)                \
    {                                                                                                             \
        const int i = threadIdx.x;                                                                                \
        if (i >= count) return;                                                                                   \
        const int n = amounts[i];                                                                                 \
        T array[1] = {a[i]};                                                                                      \
        volatile T unsteady = a[i];                                                                               \
        Pair<T> members = {a[i], a[i]};                                                                           \
        out[5 * i] = SHIFTED_LEFT(a[i], n);                                                                       \
        out[5 * i + 1] = shifted_right(a[i], n);                                                                  \
        out[5 * i + 2] = array[0] <<= n;                                                                          \
        out[5 * i + 3] = members.right >>= n > 40 ? n : amounts[i];                                               \
        unsteady <<= n;                                                                                           \
        out[5 * i + 4] = unsteady;                                                                                \
    }

SHIFTS(int, int)
SHIFTS(unsigned, unsigned)
SHIFTS(Long, long)
SHIFTS(Word, word)
SHIFTS(short, short)
SHIFTS(Byte, byte)

template <typename T, typename From> __device__ T made(From x) { return T(x); }

template <typename T, typename From> __device__ T returned(From x) { return x; }
template <typename T> __device__ T taken(T x) { return x; }

#define CONVERSIONS(T, spelt, From, name)                                                                         \
    extern "C" __global__ void converts_##name(int count, const From *x, Long *out)                               \
    {                                                                                                             \
        const int i = threadIdx.x;                                                                                \
        if (i >= count) return;                                                                                   \
        spelt array[1] = {};                                                                                      \
        spelt initial = x[i];                                                                                     \
        array[0] += x[i];                                                                                         \
        out[8 * i] = T(x[i]);                                                                                     \
        out[8 * i + 1] = (spelt)x[i];                                                                             \
        out[8 * i + 2] = static_cast<spelt>(x[i]);                                                                \
        out[8 * i + 3] = made<spelt>(x[i]);                                                                       \
        out[8 * i + 4] = initial;                                                                                 \
        out[8 * i + 5] = array[0];                                                                                \
        out[8 * i + 6] = taken<spelt>(x[i] * 1);                                                                  \
        out[8 * i + 7] = returned<spelt>(x[i]);                                                                   \
    }

#define CONVERSIONS_TO(T, spelt, name)         \
    CONVERSIONS(T, spelt, float, float_##name) \
    CONVERSIONS(T, spelt, double, double_##name)

CONVERSIONS_TO(int, int, int)
CONVERSIONS_TO(unsigned, unsigned int, unsigned)
CONVERSIONS_TO(Long, long long, long)
CONVERSIONS_TO(Word, unsigned long long, word)
CONVERSIONS_TO(short, short, short)
CONVERSIONS_TO(std::uint16_t, unsigned short, ushort)
CONVERSIONS_TO(Byte, unsigned char, byte)
CONVERSIONS_TO(int8_t, signed char, char)

// What binds first stays the same.
template <int N> struct Sized {
    static constexpr int size = N;
};
enum Flag { FIRST = 1 << 2, SECOND = FIRST << 1 };
static_assert((1 << 5 << 2) + (SECOND << 1) == 144);
static_assert(Sized<(256 >> 4)>::size == 16 && sizeof(Pair<Pair<int>>) == 16);

extern "C" __global__ void binds(int n, float x, double y, Long *out)
{
    int tile[1 << 3];
    int at = 0;
    out[at++] = 1 + n << n * 2 - 1;
    out[at++] = 7 & 1 << n | 64 >> n - 1;
    out[at++] = n < 5 << 1 && n > 32 >> n >> 1;
    out[at++] = n << 30 >> n;
    out[at++] = 2 * (int)x * 3;
    out[at++] = (int)(unsigned char)(x + 300) - (int)-y;
    out[at++] = -(int)x + ~(int)x - !(int)x;
    out[at++] = (Long)(int)(y * 1e20) + (unsigned)x / 2;
    out[at++] = int(x)-int(y * 2) * int();
    out[at++] = Long(int(y * 1e10)) << 1;
    out[at++] = sizeof(tile) + sizeof(int) * n;
    n <<= n >>= 1;
    out[at++] = n;
}
