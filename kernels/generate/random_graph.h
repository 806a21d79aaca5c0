// What both generators draw from, the same on the host, the GPU and the emulator: integers only, each number a
// function of the seed and of its place, so that neither threads nor machines can change a graph.
//
// Words are splitmix64 (Steele, Lea and Flood, 2014) of a key and a counter, as in retrace.graphs.generators.
// Distinct arcs come from a permutation instead of a search for duplicates: a Feistel network whose halves are added
// modulo any two bounds (Black and Rogaway, CT-RSA 2002) maps the pairs of [0, lefts) x [0, rights) one to one.

#pragma once

#if !defined(__CUDACC__) && !defined(RETRACE_EMULATOR)  // plain C++
#define __device__
#endif

using Word = unsigned long long;

struct RandomKeys {
    Word tree, way, arcs, heads, weights;  // one stream of words for each purpose
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

// A number below the bound, by the word's upper half.
__device__ inline unsigned below(unsigned bound, Word word) { return unsigned((word >> 32) * bound >> 32); }

// `a + b` modulo `bound`, both below it.
__device__ inline unsigned add_modulo(unsigned a, unsigned b, unsigned bound)
{
    const unsigned room = bound - b;
    return a < room ? a + b : a - room;
}

// Six rounds: with fewer, the first few thousand images of a large domain can be told from random ones.
__device__ inline Pair permute(Pair pair, unsigned lefts, unsigned rights, Word key)
{
    for (Word round = 0; round < 6; round += 2) {
        pair.left = add_modulo(pair.left, below(lefts, splitmix64(key ^ (round << 32 | pair.right))), lefts);
        pair.right = add_modulo(pair.right, below(rights, splitmix64(key ^ ((round + 1) << 32 | pair.left))), rights);
    }
    return pair;
}

// The vertex number `place` of all but u, in order.
__device__ inline int skip(unsigned place, int u) { return int(place) + (int(place) >= u); }

__device__ inline int weight_of(int tail, int head, int low, int high, Word key)
{
    return low + int(below(unsigned(high - low) + 1, splitmix64(key ^ (Word(tail) << 32 | unsigned(head)))));
}
