// generate/random-degree: a random number of arcs per vertex, with random heads. The graph may not be connected.
//
// Report   tuwien-sssp, Graph Generation, second generator: memory is allocated beforehand, heads are drawn on the GPU.
// Mapping  degrees: one thread per arc. Heads: one thread per vertex. In between, scan/prefix-sums.cu turns the degrees
//          into indptr.
// Departs  the device draws the degrees; in the report the host may do so. The degrees are those of arcs drawn from all
//          pairs without repetition, so that their sum is exactly the requested number and none exceeds n - 1.
//          The heads of a vertex are distinct and never the vertex itself. They are the first `degree` images of a
//          permutation of its own; an image outside the n - 1 other vertices is permuted again ("cycle walking").

#include "random_graph.h"

// Counts the arcs of each tail in degree[]. The order of the threads does not change the result.
extern "C" __global__ void random_degrees(int vertices, int arcs, const RandomKeys *keys, int *degree)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= unsigned(arcs)) return;
    const unsigned n = unsigned(vertices);
    atomicAdd(&degree[permute({i % n, i / n}, n, n - 1, keys->arcs).left], 1);
}

// Draws the heads and weights of each vertex's arcs. `side` * `side` must be at least n - 1.
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
