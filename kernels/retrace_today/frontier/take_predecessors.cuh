// Predecessors found in distances by a pass over all arcs after the search.
//
// Used by  bfs/predecessor-pass.cu, where an arc has length 1, and sssp/positive-predecessor-pass.cu.
// Mapping  one thread per vertex. A warp puts the arcs of its 32 vertices in a row, which its lanes share: frontier.cuh.
// Trick    an arc u->v that is as long as v is farther than u makes u a predecessor of v; of several that write, any is
//          right. If no arc has length 0, nobody else writes the predecessor of the source or of a vertex that is not
//          reached, so that these threads set their own to -1, and nothing has to be filled before. Heads are loaded so that
//          they do not push out of L2 what the next search reads.

#pragma once

#include "../../unreachable.h"
#include "frontier.cuh"

// `length` tells that of an arc; those of length 0 are left out, and so is an arc that is none, of any length but 0.
template <typename Length>
__device__ void take_predecessors(int vertices, const unsigned *indptr, const unsigned *indices, Length length,
                                  const int *distance, int *predecessor)
{
    constexpr int IN_FLIGHT = 4;  // arcs of a lane
    const unsigned u = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_vertex = u < unsigned(vertices);
    const int own = is_vertex ? distance[u] : UNREACHABLE;
    if (is_vertex && (own == 0 || own == UNREACHABLE)) predecessor[u] = -1;
    const unsigned begin = own < UNREACHABLE ? indptr[u] : 0, end = own < UNREACHABLE ? indptr[u + 1] : 0;
    for_each_arc<IN_FLIGHT>(begin, end - begin, [&](const Offset *arc, const unsigned *owner) {
        unsigned head[IN_FLIGHT];
        int found[IN_FLIGHT], by[IN_FLIGHT];
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) {
            head[b] = arc[b] == NO_ARC ? 0 : __ldcs(&indices[arc[b]]);
            by[b] = arc[b] == NO_ARC ? 1 : length(arc[b]);
        }
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) found[b] = arc[b] == NO_ARC ? 0 : __ldg(&distance[head[b]]);
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) {
            const unsigned tail = __shfl_sync(ALL_LANES, u, owner[b]);
            const bool fits = found[b] - by[b] == __shfl_sync(ALL_LANES, own, owner[b]);
            if (by[b] > 0 && fits) predecessor[head[b]] = int(tail);
        }
    });
}
