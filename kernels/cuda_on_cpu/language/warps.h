// Warp operations: each lane passes an operand, and the last lane to arrive computes all results.

#pragma once

#include <bit>

#include "../runtime.h"
#include "types.h"

namespace emulator {

constexpr uint64_t POISON_BITS = 0xCDCDCDCDCDCDCDCD;  // the operand of a lane that does not take part

inline uint64_t vote(const uint64_t *operands, unsigned taking_part, unsigned, int)
{
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if (taking_part >> lane & 1 && operands[lane]) votes |= 1u << lane;
    return votes | uint64_t(taking_part) << 32;
}

// Finds the source lane of a shuffle inside the segment of `width` lanes; a lane outside the segment reads itself.
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
