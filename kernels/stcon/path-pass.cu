// The arcs of a shortest path for stcon/cluster, found in its labels by a pass over all arcs after the search, unless the
// search was so short that it has found them itself.
//
// Report   none; ours.
// Mapping  one thread per vertex. A warp puts the arcs of its 32 vertices in a row, which its lanes share: frontier.cuh.
//          Vertices without a label have no arcs here: where the two searches are short, the pass is.
// Trick    one pass over the arcs that leave a vertex serves both searches: labels.cuh. What is left from another search,
//          no path leads to.

#include "../cluster/parts.cuh"
#include "../frontier/frontier.cuh"
#include "labels.cuh"

constexpr int IN_FLIGHT = 4;  // arcs of a lane

// `labels` has those of each part, and then the length of the path; `place` says where a vertex has its own.
extern "C" __global__ void find_path(int vertices, const unsigned *indptr, const unsigned *indices, const unsigned *place,
                                     int parts, int positions, const unsigned *labels, int *toward_end,
                                     unsigned long long *joint)
{
    const auto index_of = [&](unsigned v) {
        const unsigned at = __ldg(&place[v]);
        return part_of(at) * positions + position_of(at);
    };
    const Path path{toward_end, joint};
    const unsigned v = blockIdx.x * blockDim.x + threadIdx.x, length = labels[parts * positions];
    const bool is_vertex = v < unsigned(vertices);
    const unsigned u = is_vertex ? index_of(v) : 0, own = is_vertex ? labels[u] : NO_LABEL;
    const unsigned begin = own == NO_LABEL ? 0 : indptr[v], end = own == NO_LABEL ? 0 : indptr[v + 1];
    for_each_arc<IN_FLIGHT>(begin, end - begin, [&](const unsigned *arc, const unsigned *owner) {
        unsigned head[IN_FLIGHT], at_head[IN_FLIGHT];
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) head[b] = arc[b] == NO_ARC ? 0 : __ldg(&indices[arc[b]]);
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) head[b] = index_of(head[b]);
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) at_head[b] = arc[b] == NO_ARC ? NO_LABEL : labels[head[b]];
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) {
            const unsigned tail = __shfl_sync(ALL_LANES, u, owner[b]), at_tail = __shfl_sync(ALL_LANES, own, owner[b]);
            path.note(tail, head[b], at_tail, at_head[b], length);
        }
    });
}
