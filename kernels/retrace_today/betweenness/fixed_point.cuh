// Shared by betweenness/lane-queues-fixed and bitmap-queue-fixed: a score as a fixed-point number of 128 bits.
//
// Why         an addition of integers has the same result in any order and grouping; one of doubles does not. What the
//             addends are must not depend on the schedule either: each kernel says why its own do not.
// Range       a score is at most the number of ordered pairs of vertices, below 2^62. The resolution is 2^-64.
// Rounding    what an addend has below 2^-64 is cut off: nothing of one of 2^-12 or more, all of whose 53 bits lie above,
//             and less than 2^-64 of any other.
// Atomics     two additions, of which the first one's old value tells the carry. Between the two, a reader would see too
//             little; nothing reads a score before the launch ends.

#pragma once

struct alignas(16) FixedPoint {
    unsigned long long fraction;  // in units of 2^-64
    unsigned long long whole;
};

// An addend is not negative. One of 2^62 or more is of a search with too many paths, whose scores are refused.
__device__ inline void atomicAdd(FixedPoint *sum, double addend)
{
    if (!(addend < 0x1p62)) return;
    const double floored = floor(addend);
    const auto fraction = static_cast<unsigned long long>((addend - floored) * 0x1p64);
    const bool carry = atomicAdd(&sum->fraction, fraction) + fraction < fraction;
    const auto whole = static_cast<unsigned long long>(floored) + carry;
    if (whole != 0) atomicAdd(&sum->whole, whole);
}
