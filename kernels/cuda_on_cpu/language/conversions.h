// Conversions of floating-point numbers to integers, with a GPU's result for every number.
//
// gpu_values.py makes `emulator::to<int>(x)` of `int(x)` and `static_cast<int>(x)`, and of `(int)x` makes
// `emulator::Cast<int>{} ->* x`: no other operator that code may define between two operands binds as tightly.

#pragma once

#include <limits>
#include <type_traits>

#include "types.h"

namespace emulator {

template <typename T>
concept integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// What an instruction cvt.rzi gives (PTX ISA): numbers out of range become the nearest in range; what is not a number
// becomes 0 or, if one of the types has 64 bits, the highest bit alone. nvcc converts to 8 or 16 bits by way of 32.
template <integer To, typename From>
[[gnu::always_inline, gnu::no_sanitize("float-cast-overflow")]] constexpr To converted(From x)
{
    using Word = std::conditional_t<sizeof(To) >= 4, To, std::conditional_t<std::is_signed_v<To>, int, unsigned>>;
    using Limits = std::numeric_limits<Word>;
    constexpr auto highest_bit = std::make_unsigned_t<Word>(1) << (8 * sizeof(Word) - 1);
    if (x != x) return To(sizeof(From) == 8 || sizeof(To) == 8 ? Word(highest_bit) : 0);
    if (x <= From(Limits::min())) return To(Limits::min());
    return To(x >= From(Limits::max()) ? Limits::max() : Word(x));
}

// T(from...)
template <typename T, typename... From>
[[gnu::always_inline]] constexpr T to(From &&...from)
{
    return T(static_cast<From &&>(from)...);
}
template <typename T, arithmetic From>
    requires(!std::is_reference_v<T>)
[[gnu::always_inline]] constexpr T to(From x)
{
    if constexpr (integer<std::remove_cv_t<T>> && std::is_floating_point_v<From>)
        return converted<std::remove_cv_t<T>>(x);
    else
        return T(x);
}

// A number that becomes an integer without a cast: implicit_conversions.py marks it.
template <typename From> struct Real {
    From x;

    template <arithmetic T> [[gnu::always_inline]] constexpr operator T() const { return to<T>(x); }
};
template <typename From> [[gnu::always_inline]] constexpr Real<From> real(From x) { return {x}; }
template <arithmetic T, typename From> [[gnu::always_inline]] constexpr T &operator+=(T &a, Real<From> b)
{
    return a = to<T>(a + b.x);
}
template <arithmetic T, typename From> [[gnu::always_inline]] constexpr T &operator-=(T &a, Real<From> b)
{
    return a = to<T>(a - b.x);
}
template <arithmetic T, typename From> [[gnu::always_inline]] constexpr T &operator*=(T &a, Real<From> b)
{
    return a = to<T>(a * b.x);
}
template <arithmetic T, typename From> [[gnu::always_inline]] constexpr T &operator/=(T &a, Real<From> b)
{
    return a = to<T>(a / b.x);
}

// `(A)(B)x` is Cast<A>{} ->* Cast<B>{} ->* x, which from left to right is Cast<B, A>{} ->* x.
template <typename B, typename... A> struct Cast {};

template <typename B, typename... A, typename C> constexpr Cast<C, B, A...> operator->*(Cast<B, A...>, Cast<C>)
{
    return {};
}
template <typename B, typename... A, typename From>
[[gnu::always_inline]] constexpr decltype(auto) operator->*(Cast<B, A...>, From &&x)
{
    if constexpr (sizeof...(A) == 0)
        return to<B>(static_cast<From &&>(x));
    else
        return Cast<A...>{} ->* to<B>(static_cast<From &&>(x));
}

}  // namespace emulator
