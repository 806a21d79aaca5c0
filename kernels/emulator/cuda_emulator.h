// CUDA C++ for g++: what a kernel file uses of the language, defined in terms of the scheduler in runtime.h.
//
// A kernel file is compiled unchanged. In a generated file this header comes first, then the .cu, then one
// EMULATE(name) for each __global__ function. What is missing here is a compile error that names it, never a wrong
// answer: intrinsics that cannot be emulated are declared below with the reason, all others are unknown names.
//
// __shared__ is thread_local: a block runs on one OS thread from its start to its end. `extern __shared__ T x[]`
// then declares a thread-local array, whose storage a second generated file defines.

#pragma once

#define RETRACE_EMULATOR 1

#include <atomic>
#include <bit>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime.h"

// ---- declarations ----

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ thread_local
#define __managed__ static_assert(false, "the emulator cannot run __managed__ variables");
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define asm static_assert(false, "the emulator cannot run inline PTX (asm)");
#define __asm__ asm
#define __asm asm

#define threadIdx (emulator::here->thread_index)
#define blockIdx (emulator::here->block_index)
#define blockDim (emulator::here->block_size)
#define gridDim (emulator::here->grid_size)
constexpr int warpSize = 32;

#define EMULATOR_VECTOR(type, name, bytes)                                                                      \
    struct alignas(2 * (bytes)) name##2 { type x, y; };                                                         \
    struct name##3 { type x, y, z; };                                                                           \
    struct alignas((bytes) < 4 ? 4 * (bytes) : 16) name##4 { type x, y, z, w; };                                \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                            \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                 \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
EMULATOR_VECTOR(signed char, char, 1)
EMULATOR_VECTOR(unsigned char, uchar, 1)
EMULATOR_VECTOR(short, short, 2)
EMULATOR_VECTOR(unsigned short, ushort, 2)
EMULATOR_VECTOR(int, int, 4)
EMULATOR_VECTOR(float, float, 4)
EMULATOR_VECTOR(double, double, 8)
EMULATOR_VECTOR(long long, longlong, 8)
EMULATOR_VECTOR(unsigned long long, ulonglong, 8)
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

namespace emulator {

template <typename T, typename... Ts>
concept one_of = (std::is_same_v<T, Ts> || ...);

template <typename T>
concept arithmetic = std::is_arithmetic_v<T>;

template <typename T>
concept register_sized = std::is_trivially_copyable_v<T> && sizeof(T) <= 8;

template <register_sized T> uint64_t to_bits(T value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <register_sized T> T from_bits(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace emulator

// ---- arithmetic ----

using std::isfinite;
using std::isinf;
using std::isnan;

#define __builtin_assume(condition) ((condition) ? void() : __builtin_unreachable())

template <emulator::arithmetic A, emulator::arithmetic B> inline auto min(A a, B b)
{
    using T = decltype(a + b);
    if constexpr (std::is_floating_point_v<T>)
        return std::fmin(T(a), T(b));
    else
        return T(a) < T(b) ? T(a) : T(b);
}

template <emulator::arithmetic A, emulator::arithmetic B> inline auto max(A a, B b)
{
    using T = decltype(a + b);
    if constexpr (std::is_floating_point_v<T>)
        return std::fmax(T(a), T(b));
    else
        return T(a) > T(b) ? T(a) : T(b);
}

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return std::countl_zero(unsigned(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline unsigned long long __brevll(unsigned long long x)
{
    unsigned long long reversed = 0;
    for (int bit = 0; bit < 64; bit++) reversed |= (x >> bit & 1) << (63 - bit);
    return reversed;
}
inline unsigned __brev(unsigned x) { return unsigned(__brevll(x) >> 32); }
inline int __mulhi(int a, int b) { return int((static_cast<long long>(a) * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((static_cast<unsigned long long>(a) * b) >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __int2float_rn(int x) { return float(x); }
inline double __int2double_rn(int x) { return x; }

// ---- memory ----

template <typename T> inline T __ldg(const T *address) { return *address; }
template <typename T> inline T __ldca(const T *address) { return *address; }
template <typename T> inline T __ldcg(const T *address) { return *address; }
template <typename T> inline T __ldcs(const T *address) { return *address; }
template <typename T> inline T __ldlu(const T *address) { return *address; }
template <typename T> inline T __ldcv(const T *address) { return *const_cast<const volatile T *>(address); }
template <typename T> inline void __stwb(T *address, std::type_identity_t<T> value) { *address = value; }
template <typename T> inline void __stcg(T *address, std::type_identity_t<T> value) { *address = value; }
template <typename T> inline void __stcs(T *address, std::type_identity_t<T> value) { *address = value; }
template <typename T> inline void __stwt(T *address, std::type_identity_t<T> value) { *address = value; }

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }

// ---- atomics, for the types that CUDA has them for ----

namespace emulator {

// Replaces *address by update(*address) at one stroke; returns the old value.
template <typename T, typename F> inline T exchange_by(T *address, F update)
{
    std::atomic_ref<T> cell(*address);
    T old = cell.load(std::memory_order_relaxed);
    while (!cell.compare_exchange_weak(old, update(old), std::memory_order_relaxed)) {}
    return old;
}

template <typename T>
concept ordered = one_of<T, int, unsigned, long long, unsigned long long>;
template <typename T>
concept addable = one_of<T, int, unsigned, unsigned long long, float, double>;
template <typename T>
concept exchangeable = one_of<T, int, unsigned, unsigned long long, float>;
template <typename T>
concept comparable = one_of<T, int, unsigned, unsigned long long, unsigned short>;

template <typename T> using Same = std::type_identity_t<T>;

}  // namespace emulator

template <emulator::addable T> inline T atomicAdd(T *address, emulator::Same<T> value)
{
    return std::atomic_ref<T>(*address).fetch_add(value, std::memory_order_relaxed);
}
template <emulator::one_of<int, unsigned> T> inline T atomicSub(T *address, emulator::Same<T> value)
{
    return std::atomic_ref<T>(*address).fetch_sub(value, std::memory_order_relaxed);
}
template <emulator::exchangeable T> inline T atomicExch(T *address, emulator::Same<T> value)
{
    return std::atomic_ref<T>(*address).exchange(value, std::memory_order_relaxed);
}
template <emulator::ordered T> inline T atomicAnd(T *address, emulator::Same<T> value)
{
    return std::atomic_ref<T>(*address).fetch_and(value, std::memory_order_relaxed);
}
template <emulator::ordered T> inline T atomicOr(T *address, emulator::Same<T> value)
{
    return std::atomic_ref<T>(*address).fetch_or(value, std::memory_order_relaxed);
}
template <emulator::ordered T> inline T atomicXor(T *address, emulator::Same<T> value)
{
    return std::atomic_ref<T>(*address).fetch_xor(value, std::memory_order_relaxed);
}
template <emulator::ordered T> inline T atomicMin(T *address, emulator::Same<T> value)
{
    return emulator::exchange_by(address, [value](T old) { return value < old ? value : old; });
}
template <emulator::ordered T> inline T atomicMax(T *address, emulator::Same<T> value)
{
    return emulator::exchange_by(address, [value](T old) { return value > old ? value : old; });
}
template <emulator::one_of<unsigned> T> inline T atomicInc(T *address, emulator::Same<T> limit)
{
    return emulator::exchange_by(address, [limit](T old) { return old >= limit ? 0 : old + 1; });
}
template <emulator::one_of<unsigned> T> inline T atomicDec(T *address, emulator::Same<T> limit)
{
    return emulator::exchange_by(address, [limit](T old) { return old == 0 || old > limit ? limit : old - 1; });
}
template <emulator::comparable T> inline T atomicCAS(T *address, emulator::Same<T> expected, emulator::Same<T> value)
{
    std::atomic_ref<T>(*address).compare_exchange_strong(expected, value, std::memory_order_relaxed);
    return expected;  // what was found there
}

// ---- barriers and warp operations ----

inline void __syncthreads() { emulator::barrier(false); }
inline int __syncthreads_count(int predicate)
{
    emulator::barrier(predicate != 0);
    return int(emulator::barrier_count());
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
inline int __syncthreads_and(int predicate)
{
    emulator::barrier(predicate != 0);
    return emulator::barrier_count() == emulator::barrier_arrived();
}

namespace emulator {

constexpr uint64_t POISON_BITS = 0xCDCDCDCDCDCDCDCD;  // what a lane that is not there hands over

inline uint64_t vote(const uint64_t *operands, unsigned taking_part, unsigned, int)
{
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if (taking_part >> lane & 1 && operands[lane]) votes |= 1u << lane;
    return votes | uint64_t(taking_part) << 32;
}

// Source lane of a shuffle inside its segment of `width` lanes; its own lane if that lies outside.
enum class Shuffle { INDEX, UP, DOWN, XOR };
template <Shuffle kind> uint64_t shuffle(const uint64_t *operands, unsigned taking_part, unsigned lane, int argument)
{
    const int width = argument >> 16, by = static_cast<int16_t>(argument), self = int(lane);
    const int first = self & ~(width - 1), last = first + width - 1;
    int source = self;
    if constexpr (kind == Shuffle::INDEX) source = first + (by & (width - 1));
    if constexpr (kind == Shuffle::UP) source = self - by < first ? self : self - by;
    if constexpr (kind == Shuffle::DOWN) source = self + by > last ? self : self + by;
    if constexpr (kind == Shuffle::XOR) source = (self ^ by) > last ? self : self ^ by;
    return taking_part >> source & 1 ? operands[source] : POISON_BITS;
}

template <Shuffle kind, typename T> T shuffled(unsigned mask, T value, int by, int width)
{
    static_assert(arithmetic<T>, "warp shuffles take numbers");
    const int clipped = kind == Shuffle::INDEX ? by & 31 : by < 0 || by > 32 ? 32 : by;
    return from_bits<T>(warp_operation(mask, to_bits(value), width << 16 | clipped, shuffle<kind>));
}

inline uint64_t match(const uint64_t *operands, unsigned taking_part, unsigned lane, int)
{
    unsigned equal = 0;
    for (unsigned other = 0; other < 32; other++)
        if (taking_part >> other & 1 && operands[other] == operands[lane]) equal |= 1u << other;
    return equal | uint64_t(taking_part) << 32;
}

template <typename T, T (*operation)(T, T)>
uint64_t reduce(const uint64_t *operands, unsigned taking_part, unsigned, int)
{
    unsigned lane = unsigned(std::countr_zero(taking_part));
    T total = from_bits<T>(operands[lane]);
    while (++lane < 32)
        if (taking_part >> lane & 1) total = operation(total, from_bits<T>(operands[lane]));
    return to_bits(total);
}

template <typename T> T plus(T a, T b) { return T(unsigned(a) + unsigned(b)); }
template <typename T> T lesser(T a, T b) { return a < b ? a : b; }
template <typename T> T greater(T a, T b) { return a > b ? a : b; }
template <typename T> T both(T a, T b) { return a & b; }
template <typename T> T either(T a, T b) { return a | b; }
template <typename T> T differing(T a, T b) { return a ^ b; }

template <typename T, T (*operation)(T, T)> T reduced(unsigned mask, T value)
{
    return from_bits<T>(warp_operation(mask, to_bits(value), 0, reduce<T, operation>));
}

}  // namespace emulator

inline void __syncwarp(unsigned mask = 0xffffffff) { emulator::warp_operation(mask, 0, 0, nullptr); }

inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return unsigned(emulator::warp_operation(mask, predicate != 0, 0, emulator::vote));
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate)
{
    const uint64_t votes = emulator::warp_operation(mask, predicate != 0, 0, emulator::vote);
    return unsigned(votes) == unsigned(votes >> 32);
}

template <typename T> inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    return emulator::shuffled<emulator::Shuffle::INDEX>(mask, value, lane, width);
}
template <typename T> inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32)
{
    return emulator::shuffled<emulator::Shuffle::UP>(mask, value, int(by), width);
}
template <typename T> inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32)
{
    return emulator::shuffled<emulator::Shuffle::DOWN>(mask, value, int(by), width);
}
template <typename T> inline T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32)
{
    return emulator::shuffled<emulator::Shuffle::XOR>(mask, value, by, width);
}

template <emulator::register_sized T> inline unsigned __match_any_sync(unsigned mask, T value)
{
    return unsigned(emulator::warp_operation(mask, emulator::to_bits(value), 0, emulator::match));
}
template <emulator::register_sized T> inline unsigned __match_all_sync(unsigned mask, T value, int *all)
{
    const uint64_t found = emulator::warp_operation(mask, emulator::to_bits(value), 0, emulator::match);
    *all = unsigned(found) == unsigned(found >> 32);
    return *all ? unsigned(found) : 0;
}

template <emulator::one_of<int, unsigned> T> inline T __reduce_add_sync(unsigned mask, T value)
{
    return emulator::reduced<T, emulator::plus<T>>(mask, value);
}
template <emulator::one_of<int, unsigned> T> inline T __reduce_min_sync(unsigned mask, T value)
{
    return emulator::reduced<T, emulator::lesser<T>>(mask, value);
}
template <emulator::one_of<int, unsigned> T> inline T __reduce_max_sync(unsigned mask, T value)
{
    return emulator::reduced<T, emulator::greater<T>>(mask, value);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value)
{
    return emulator::reduced<unsigned, emulator::both<unsigned>>(mask, value);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value)
{
    return emulator::reduced<unsigned, emulator::either<unsigned>>(mask, value);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value)
{
    return emulator::reduced<unsigned, emulator::differing<unsigned>>(mask, value);
}

// ---- what cannot be emulated ----

#define EMULATOR_CANNOT(declaration, name, reason) \
    [[gnu::error("the emulator cannot run " name ": " reason)]] declaration;
EMULATOR_CANNOT(unsigned __activemask(), "__activemask", "which lanes run together is not defined here")
EMULATOR_CANNOT(void __nanosleep(unsigned), "__nanosleep", "a waiting thread does not let the others run")
EMULATOR_CANNOT(long long clock64(), "clock64", "emulated time means nothing")
EMULATOR_CANNOT(int emulator_clock(), "clock", "emulated time means nothing")
#define clock emulator_clock
#define cudaLaunchDevice static_assert(false, "the emulator cannot run dynamic parallelism");

// ---- what ends a launch with an error ----

// glibc's assert calls this
#define __assert_fail(text, file, line, function) emulator::fail("assertion failed: " text)
inline void __trap() { emulator::fail("__trap was called"); }

// ---- registering kernels ----

namespace emulator {

// The type of a parameter in a word: what Python checks arguments against.
template <typename T> std::string describe()
{
    if constexpr (std::is_pointer_v<T>) {
        using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
        if constexpr (arithmetic<Target>)
            return "P" + describe<Target>();
        else
            return "P";
    } else {
        static_assert(arithmetic<T>, "the emulator cannot run kernels with a parameter that is no number or pointer");
        const char *kind = std::is_same_v<T, bool>             ? "b"
                           : std::is_floating_point_v<T> ? "f"
                           : std::is_signed_v<T>         ? "i"
                                                         : "u";
        return kind + std::to_string(sizeof(T));
    }
}

template <auto kernel> struct Emulated;

template <typename... P, void (*kernel)(P...)> struct Emulated<kernel> {
    template <size_t... i> static void run([[maybe_unused]] void **arguments, std::index_sequence<i...>)
    {
        const std::tuple<P...> values{*static_cast<P *>(arguments[i])...};
        while (begin_thread()) {
            kernel(std::get<i>(values)...);
            end_thread();
        }
    }

    // flatten: the kernel's own code goes into the loop over threads
    [[gnu::flatten]] static void run_threads(void **arguments) { run(arguments, std::index_sequence_for<P...>()); }

    static std::string parameters() { return ((describe<P>() + " ") + ... + std::string()); }
};

}  // namespace emulator

// As a C function, so that Python finds a kernel by its name. Its result is never freed, and is no static variable:
// those are set back whenever the file is loaded again.
#define EMULATE(name)                                                                                             \
    extern "C" const emulator::Kernel *emulated_##name()                                                          \
    {                                                                                                             \
        using Emulated = emulator::Emulated<&name>;                                                               \
        return new emulator::Kernel{#name, strdup(Emulated::parameters().c_str()), Emulated::run_threads};        \
    }
