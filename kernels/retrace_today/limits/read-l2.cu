// limits/read-l2: the bandwidth of the L2 cache when it is read.
//
// Method   as many blocks as run at the same time read an array of a quarter of the cache or less, again and again, and
//          add up its words. The loads pass L1 by (`ld.global.cg`).

#include "read.cuh"

extern "C" __global__ void lay(uint4 *words, unsigned vectors) { number_words(words, vectors); }

extern "C" __global__ void read_l2(const uint4 *words, unsigned vectors, unsigned passes, unsigned long long *sum)
{
    add_up(vectors, passes, sum, [=](unsigned i) { return __ldcg(words + i); });
}
