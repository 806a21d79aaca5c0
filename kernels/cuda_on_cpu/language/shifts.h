// Shifts by any amount, with a GPU's result (PTX ISA, shl and shr): the amount is an unsigned 32-bit number, and one of
// the width or more shifts out all bits but copies of the sign.
//
// gpu_values.py makes `a << emulator::by << n` of `a << n`, and `a <<= emulator::by <<= n` of `a <<= n`. The
// operands stay the same: `a << emulator::by` keeps a until n comes, and `emulator::by <<= n` keeps n until a comes.

#pragma once

#include <type_traits>

namespace emulator {

struct By {};
inline constexpr By by{};

template <typename T> struct Kept {
    T operand;
};

// Numbers that C++ promotes to integers.
template <typename T>
concept whole = std::is_integral_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, long long>);

// Results are always defined, so they need no check.
#define EMULATOR_SHIFT [[gnu::always_inline, gnu::no_sanitize("shift-exponent")]] constexpr

template <whole T> EMULATOR_SHIFT T shifted_left(T a, unsigned n) { return n < 8 * sizeof a ? a << n : 0; }
template <whole T> EMULATOR_SHIFT T shifted_right(T a, unsigned n)
{
    return n < 8 * sizeof a ? a >> n : a < 0 ? T(-1) : 0;
}

template <whole A> EMULATOR_SHIFT Kept<A> operator<<(A a, By) { return {a}; }
template <whole A> EMULATOR_SHIFT Kept<A> operator>>(A a, By) { return {a}; }
template <typename A, whole N> EMULATOR_SHIFT auto operator<<(Kept<A> a, N n)
{
    return shifted_left(+a.operand, unsigned(n));
}
template <typename A, whole N> EMULATOR_SHIFT auto operator>>(Kept<A> a, N n)
{
    return shifted_right(+a.operand, unsigned(n));
}

template <whole N> EMULATOR_SHIFT Kept<N> operator<<=(By, N n) { return {n}; }
template <whole N> EMULATOR_SHIFT Kept<N> operator>>=(By, N n) { return {n}; }
template <typename A, typename N> EMULATOR_SHIFT A &operator<<=(A &a, Kept<N> n)
{
    return a = static_cast<A>(shifted_left(+a, unsigned(n.operand))), a;
}
template <typename A, typename N> EMULATOR_SHIFT A &operator>>=(A &a, Kept<N> n)
{
    return a = static_cast<A>(shifted_right(+a, unsigned(n.operand))), a;
}

}  // namespace emulator
