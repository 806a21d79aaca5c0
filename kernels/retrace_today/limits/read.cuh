// Reading an array again and again with all threads of a GPU.

#pragma once

constexpr int LOADS = 4;  // of 16 bytes each, in flight at the same time

// Writes the number of each word into it.
inline __device__ void number_words(uint4 *words, unsigned vectors)
{
    const unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += threads)
        words[i] = make_uint4(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
}

// Adds all words to `sum`, `passes` times. `vectors`, their number over 4, is a power of two. load(i) reads four words.
// All passes are one row of loads, so that there is no pause between two of them.
template <typename Load>
__device__ void add_up(unsigned vectors, unsigned passes, unsigned long long *sum, Load load)
{
    const unsigned long long threads = 1ull * gridDim.x * blockDim.x, all = 1ull * vectors * passes;
    unsigned long long own = 0;
    for (unsigned long long first = blockIdx.x * blockDim.x + threadIdx.x; first < all; first += LOADS * threads) {
        uint4 read[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const unsigned long long at = first + i * threads;
            read[i] = at < all ? load(unsigned(at) & (vectors - 1)) : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int i = 0; i < LOADS; i++) own += 0ull + read[i].x + read[i].y + read[i].z + read[i].w;
    }
    for (int by = 16; by > 0; by /= 2) own += __shfl_xor_sync(0xffffffff, own, by);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}
