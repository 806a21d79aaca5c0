// limits/read-host-scattered: the bandwidth of the link when a kernel reads lines of the host's memory all over the place.
//
// Method   as limits/read-host, each line once per pass, in an order in which neighbouring lines are far apart. If the
//          array is larger than the part whose addresses the GPU keeps translated, most lines wait for a translation.

#include "read.cuh"

constexpr unsigned IN_LINE = 8;  // vectors of 16 bytes in 128

extern "C" __global__ void lay(uint4 *words, unsigned vectors) { number_words(words, vectors); }

// Returns a place for each of 2^n numbers, n up to 29, no place twice: each step can be undone.
static inline __device__ unsigned scattered(unsigned number, unsigned mask)
{
    number = number * 0x9e3779b1u & mask;
    number ^= number >> (__popc(mask) + 1) / 2;
    return number * 0x85ebca6bu & mask;
}

extern "C" __global__ void read_host_scattered(const uint4 *words, unsigned vectors, unsigned passes,
                                               unsigned long long *sum)
{
    const unsigned mask = vectors / IN_LINE - 1;  // of the number of lines, a power of two
    add_up(vectors, passes, sum,
           [=](unsigned i) { return __ldcs(words + scattered(i / IN_LINE, mask) * IN_LINE + i % IN_LINE); });
}
