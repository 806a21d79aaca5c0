// Arithmetic functions.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "conversions.h"
#include "types.h"

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
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    return unsigned((uint64_t(high) << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return unsigned((uint64_t(high) << 32 | low) >> (by & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? low : __funnelshift_l(low, high, by);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? high : __funnelshift_r(low, high, by);
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

inline int __float2int_rz(float x) { return emulator::converted<int>(x); }
inline int __float2int_rn(float x) { return emulator::converted<int>(std::nearbyint(x)); }
inline unsigned __float2uint_rz(float x) { return emulator::converted<unsigned>(x); }
inline int __double2int_rz(double x) { return emulator::converted<int>(x); }
inline int __double2int_rn(double x) { return emulator::converted<int>(std::nearbyint(x)); }
inline float __int2float_rn(int x) { return float(x); }
inline double __int2double_rn(int x) { return x; }
