// Concepts for types, and conversion of values to bits.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

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
