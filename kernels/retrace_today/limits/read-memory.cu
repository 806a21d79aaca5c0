// limits/read-memory: the bandwidth of device memory when it is read.
//
// Method   as many blocks as run at the same time read an array of 16 times the L2 cache, again and again, and add up its
//          words. No word is in the cache any more when its turn comes.

#include "read.cuh"

extern "C" __global__ void lay(uint4 *words, unsigned vectors) { number_words(words, vectors); }

extern "C" __global__ void read_memory(const uint4 *words, unsigned vectors, unsigned passes, unsigned long long *sum)
{
    add_up(vectors, passes, sum, [=](unsigned i) { return __ldcs(words + i); });
}
