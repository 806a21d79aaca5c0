// The arcs that enter each vertex, made of those that leave it, by counting: ours, for bfs/direction.
//
// Mapping  count_entering: one thread per arc. place_entering: one warp per vertex, whose lanes take its arcs. In
//          between, scan/prefix-sums.cu turns the counts into places. count_entered: one thread per vertex.
// Trick    ends[v + 1] counts the arcs that enter v, becomes the place of the first of them, and, when each arc has
//          taken a place, is the end of the last: then `ends` is the indptr of the entering arcs.
// Order    the arcs that enter a vertex have no particular order.

#include "../../offset.h"

extern "C" __global__ void count_entering(Offset arcs, const int *indices, Offset *ends)
{
    const Offset arc = Offset(blockIdx.x) * blockDim.x + threadIdx.x;
    if (arc < arcs) atomicAdd(&ends[indices[arc] + 1], Offset(1));
}

extern "C" __global__ void place_entering(int vertices, const Offset *indptr, const int *indices, Offset *ends,
                                          int *tails)
{
    const unsigned u = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (u >= unsigned(vertices)) return;
    for (Offset arc = indptr[u] + threadIdx.x % 32; arc < indptr[u + 1]; arc += 32)
        tails[atomicAdd(&ends[indices[arc] + 1], Offset(1))] = u;
}

// Counts the vertices that an arc enters, given their `ends`.
extern "C" __global__ void count_entered(int vertices, const Offset *ends, unsigned *entered)
{
    const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned here = __syncthreads_count(v < unsigned(vertices) && ends[v] < ends[v + 1]);
    if (threadIdx.x == 0) atomicAdd(entered, here);
}
