// generate/random-degree: a random number of arcs for each vertex, and random heads for them. Not promised connected.
//
// Report   tuwien-sssp, Graph Generation, the second: all memory is allocated beforehand, heads are drawn on the GPU.
// Mapping  degrees: one thread an arc. Sums: one thread for CHUNK entries. Heads: one thread a vertex.
// Departs  the report's host may draw the degrees; here the device does. Degrees are those of arcs drawn from all pairs
//          without repetition, so that they add up to just the arcs asked for and none passes n - 1.
//          A vertex's heads are distinct and never the vertex itself: the first `degree` images of a permutation of
//          its own, drawn again while they fall outside the n - 1 others ("cycle walking").
//
// The sums that make degrees into indptr are taken on the device too: sum_chunks from fine to coarse until a chunk
// holds all, then scan_chunks from coarse to fine. 2^23 vertices need three levels of each, and no transfer.

#include "random_graph.h"

constexpr int CHUNK = 256;

// Counts, in degree[], the arcs of each tail. Adding is commutative: the order of the threads changes nothing.
extern "C" __global__ void random_degrees(int vertices, int arcs, const RandomKeys *keys, int *degree)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= unsigned(arcs)) return;
    const unsigned n = unsigned(vertices);
    atomicAdd(&degree[permute({i % n, i / n}, n, n - 1, keys->arcs).left], 1);
}

extern "C" __global__ void sum_chunks(int size, const int *values, int *sums)
{
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk > (size - 1) / CHUNK) return;
    const int begin = chunk * CHUNK, length = min(CHUNK, size - begin);
    int sum = 0;
    for (int i = begin; i < begin + length; i++) sum += values[i];
    sums[chunk] = sum;
}

// Turns values into the sums of all before each, given such sums of the chunks.
extern "C" __global__ void scan_chunks(int size, int *values, const int *before)
{
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk > (size - 1) / CHUNK) return;
    const int begin = chunk * CHUNK, length = min(CHUNK, size - begin);
    int sum = before[chunk];
    for (int i = begin; i < begin + length; i++) {
        const int value = values[i];
        values[i] = sum;
        sum += value;
    }
}

// `side` squared is n - 1 at least.
extern "C" __global__ void random_heads(int vertices, const int *indptr, int side, int low, int high,
                                        const RandomKeys *keys, int *indices, int *weights)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices) return;
    const unsigned others = unsigned(vertices) - 1, base = unsigned(side);
    const Word key = splitmix64(keys->heads ^ Word(u));
    const int first = indptr[u];
    for (int arc = first; arc < indptr[u + 1]; arc++) {
        unsigned place = unsigned(arc - first);
        do {
            const Pair drawn = permute({place / base, place % base}, base, base, key);
            place = drawn.left * base + drawn.right;
        } while (place >= others);
        const int v = skip(place, u);
        indices[arc] = v;
        weights[arc] = weight_of(u, v, low, high, keys->weights);
    }
}
