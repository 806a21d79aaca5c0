// Exclusive prefix sums on the device; they turn the degrees of the vertices into indptr.
//
// Report   domitrz-brandes, "Computing prefix sums on GPU", which gives no algorithm. The second generator of
//          tuwien-sssp needs prefix sums as well (generate/random-degree).
// Mapping  one thread per CHUNK entries. sum_chunks runs from the finest level to the coarsest, where one chunk holds
//          all entries; scan_chunks runs back. 2^23 entries take three launches of each kernel and no transfer.

#include "../offset.h"

constexpr int CHUNK = 256;

extern "C" __global__ void sum_chunks(int size, const Offset *values, Offset *sums)
{
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk > (size - 1) / CHUNK) return;
    const int begin = chunk * CHUNK, length = min(CHUNK, size - begin);
    Offset sum = 0;
    for (int i = begin; i < begin + length; i++) sum += values[i];
    sums[chunk] = sum;
}

// Replaces each value by the sum of all values before it; `before` holds the same sums for whole chunks.
extern "C" __global__ void scan_chunks(int size, Offset *values, const Offset *before)
{
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk > (size - 1) / CHUNK) return;
    const int begin = chunk * CHUNK, length = min(CHUNK, size - begin);
    Offset sum = before[chunk];
    for (int i = begin; i < begin + length; i++) {
        const Offset value = values[i];
        values[i] = sum;
        sum += value;
    }
}
