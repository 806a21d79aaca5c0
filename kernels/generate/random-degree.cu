// generate/random-degree: a random number of arcs for each vertex, and random heads for them. Not promised connected.
//
// Report   tuwien-sssp, Graph Generation, the second: all memory is allocated beforehand, heads are drawn on the GPU.
// Mapping  degrees: one thread an arc. Heads: one thread a vertex. In between, scan/prefix-sums.cu makes indptr of the
//          degrees.
// Departs  the report's host may draw the degrees; here the device does. Degrees are those of arcs drawn from all pairs
//          without repetition, so that they add up to just the arcs asked for and none passes n - 1.
//          A vertex's heads are distinct and never the vertex itself: the first `degree` images of a permutation of
//          its own, drawn again while they fall outside the n - 1 others ("cycle walking").

#include "random_graph.h"

// Counts, in degree[], the arcs of each tail. Adding is commutative: the order of the threads changes nothing.
extern "C" __global__ void random_degrees(int vertices, int arcs, const RandomKeys *keys, int *degree)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= unsigned(arcs)) return;
    const unsigned n = unsigned(vertices);
    atomicAdd(&degree[permute({i % n, i / n}, n, n - 1, keys->arcs).left], 1);
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
