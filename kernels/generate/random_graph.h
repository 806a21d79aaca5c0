// Random numbers for both generators; the same code on host, GPU and emulator. Each number is an integer function of
// the seed and of its position, so that a graph depends neither on the threads nor on the machine.
//
// Random words are splitmix64 (Steele, Lea and Flood, 2014) of a key and a counter, as in retrace.graphs.generators.
// Distinct arcs come from a permutation, so that no search for duplicates is needed: a Feistel network whose halves are
// added modulo any two bounds (Black and Rogaway, CT-RSA 2002) permutes the pairs of [0, lefts) x [0, rights).

#pragma once

#if !defined(__CUDACC__) && !defined(CUDA_ON_CPU)  // plain C++
#define __device__
#endif

using Word = unsigned long long;

struct RandomKeys {
    Word tree, way, arcs, heads, weights;  // one stream of random words per purpose
};

struct Pair {
    unsigned left, right;
};

__device__ inline Word splitmix64(Word word)
{
    word += 0x9E3779B97F4A7C15;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
}

// Maps a word to a number below `bound`, by its upper half.
__device__ inline unsigned below(unsigned bound, Word word) { return unsigned((word >> 32) * bound >> 32); }

// (a + b) modulo `bound`, without overflow; a and b must be below `bound`.
__device__ inline unsigned add_modulo(unsigned a, unsigned b, unsigned bound)
{
    const unsigned room = bound - b;
    return a < room ? a + b : a - room;
}

// Permutes the pairs of [0, lefts) x [0, rights). With fewer than six rounds, the first few thousand images of a large
// domain can be distinguished from random ones.
__device__ inline Pair permute(Pair pair, unsigned lefts, unsigned rights, Word key)
{
    for (Word round = 0; round < 6; round += 2) {
        pair.left = add_modulo(pair.left, below(lefts, splitmix64(key ^ (round << 32 | pair.right))), lefts);
        pair.right = add_modulo(pair.right, below(rights, splitmix64(key ^ ((round + 1) << 32 | pair.left))), rights);
    }
    return pair;
}

// Returns vertex number `place` in the list of all vertices except u.
__device__ inline int skip(unsigned place, int u) { return int(place) + (int(place) >= u); }

__device__ inline int weight_of(int tail, int head, int low, int high, Word key)
{
    return low + int(below(unsigned(high - low) + 1, splitmix64(key ^ (Word(tail) << 32 | unsigned(head)))));
}
