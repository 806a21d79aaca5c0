// Predecessors for bfs/cluster, found in the levels by a pass over all arcs after the search.
//
// Report   none; ours, as the pass of sssp/mask-predecessor-pass.cu, for arcs of length 1.
// Mapping  one thread per vertex. A warp puts the arcs of its 32 vertices in a row, which its lanes share: frontier.cuh.
// Trick    an arc u->v with level[v] = level[u] + 1 makes u a predecessor of v; of several that write, any is right.
//          Nobody else writes the predecessor of the source or of a vertex that is not reached, so that these threads set
//          their own to -1, and nothing has to be filled before.

#include "../frontier/frontier.cuh"
#include "../unreachable.h"

constexpr int IN_FLIGHT = 4;  // arcs of a lane

extern "C" __global__ void take_level_predecessors(int vertices, const unsigned *indptr, const unsigned *indices,
                                                   const int *level, int *predecessor)
{
    const unsigned u = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_vertex = u < unsigned(vertices);
    const int own = is_vertex ? level[u] : UNREACHABLE;
    if (is_vertex && (own == 0 || own == UNREACHABLE)) predecessor[u] = -1;
    const unsigned begin = own < UNREACHABLE ? indptr[u] : 0, end = own < UNREACHABLE ? indptr[u + 1] : 0;
    for_each_arc<IN_FLIGHT>(begin, end - begin, [&](const unsigned *arc, const unsigned *owner) {
        unsigned head[IN_FLIGHT];
        int found[IN_FLIGHT];
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) head[b] = arc[b] == NO_ARC ? 0 : __ldg(&indices[arc[b]]);
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) found[b] = arc[b] == NO_ARC ? 0 : __ldg(&level[head[b]]);
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) {
            const unsigned tail = __shfl_sync(ALL_LANES, u, owner[b]);
            if (found[b] - 1 == __shfl_sync(ALL_LANES, own, owner[b])) predecessor[head[b]] = int(tail);
        }
    });
}
