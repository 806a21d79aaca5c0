// A cycle through the numbers below a power of two, for chains of dependent loads: the address of each load is the value
// of the one before, so nothing overlaps.
//
// The successor of i is (MULTIPLIER * i + INCREMENT) mod words. It passes every number, because the increment is odd and
// the multiplier 1 mod 4 (Hull and Dobell, SIAM Review 4, 1962), and where it is after any number of steps is known in
// closed form.

#pragma once

constexpr unsigned MULTIPLIER = 1664525, INCREMENT = 1013904223;

// Called by `threads` threads: puts the successor of each number into `next`.
inline __device__ void lay_cycle(unsigned *next, unsigned words, unsigned thread, unsigned threads)
{
    for (unsigned i = thread; i < words; i += threads) next[i] = (MULTIPLIER * i + INCREMENT) & (words - 1);
}

// Returns the number that is `steps` steps after `at`; load(i) reads the successor of i.
template <typename Load> __device__ unsigned follow(unsigned at, unsigned steps, Load load)
{
#pragma unroll 16
    for (unsigned step = 0; step < steps; step++) at = load(at);
    return at;
}
