// Barriers of a block, and sleep.

#pragma once

#include "../runtime.h"

inline void __nanosleep(unsigned) { emulator::let_others_run(); }

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
