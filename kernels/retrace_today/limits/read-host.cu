// limits/read-host: the bandwidth of the link when a kernel reads the host's memory in order.
//
// Method   as many blocks as run at the same time read an array in page-locked memory, again and again, and add up its
//          words, 128 bytes of neighbouring lanes at a time.

#include "read.cuh"

extern "C" __global__ void lay(uint4 *words, unsigned vectors) { number_words(words, vectors); }

extern "C" __global__ void read_host(const uint4 *words, unsigned vectors, unsigned passes, unsigned long long *sum)
{
    add_up(vectors, passes, sum, [=](unsigned i) { return __ldcs(words + i); });
}
