// Atomic operations, for the types on which CUDA offers them.

#pragma once

#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

#include "types.h"

namespace emulator {

// Replaces *address by update(*address) atomically; returns the old value.
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

// Flushes a subnormal float to 0, as a GPU does when it adds floats in global memory. In shared memory a GPU keeps
// subnormals; a kernel that relies on that gives a different result here.
inline float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }

}  // namespace emulator

template <emulator::addable T> inline T atomicAdd(T *address, emulator::Same<T> value)
{
    if constexpr (std::is_same_v<T, float>)
        return emulator::exchange_by(
            address, [value](float old) { return emulator::flushed(emulator::flushed(old) + emulator::flushed(value)); });
    else
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
    return expected;  // the old value
}
