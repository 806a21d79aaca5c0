// The arcs of a shortest path for stcon/cluster, found in its labels by a pass over all arcs after the search.
//
// Report   none; ours.
// Mapping  one thread per vertex. A warp puts the arcs of its 32 vertices in a row, which its lanes share: frontier.cuh.
//          Vertices without a label have no arcs here: where the two searches are short, the pass is.
// Trick    one pass over the arcs that leave a vertex serves both searches. An arc u->v leads red from one round to the
//          next, or green from a round to the one before: then u is the vertex before v, or v the one after u. It joins
//          both searches if u is red and v is green; on a shortest path their distances and this arc are the length. Such
//          a path has one: the vertices up to its middle are red, as the source is no farther from them, and those beyond
//          are green. For the same reason the path goes on along vertices of the same colour at both ends of the arc.
// Writes   what is before a red vertex, and after a green one, in one array, as no vertex is both. Of several that write,
//          any is right. What is left from another search, no path leads to.

#include "../cluster/parts.cuh"
#include "../frontier/frontier.cuh"
#include "labels.cuh"

constexpr int IN_FLIGHT = 4;  // arcs of a lane

// `labels` has those of each part, and then the length of the path; `place` says where a vertex has its own.
extern "C" __global__ void find_path(int vertices, const unsigned *indptr, const unsigned *indices, const unsigned *place,
                                     int parts, int positions, const unsigned *labels, int *toward_end, int *joint)
{
    const auto label_of = [&](unsigned v) {
        const unsigned at = __ldg(&place[v]);
        return labels[part_of(at) * positions + position_of(at)];
    };
    const unsigned u = blockIdx.x * blockDim.x + threadIdx.x, length = labels[parts * positions];
    const unsigned own = u < unsigned(vertices) ? label_of(u) : NO_LABEL;
    const unsigned begin = own == NO_LABEL ? 0 : indptr[u], end = own == NO_LABEL ? 0 : indptr[u + 1];
    for_each_arc<IN_FLIGHT>(begin, end - begin, [&](const unsigned *arc, const unsigned *owner) {
        unsigned head[IN_FLIGHT], at_head[IN_FLIGHT];
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) head[b] = arc[b] == NO_ARC ? 0 : __ldg(&indices[arc[b]]);
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) at_head[b] = arc[b] == NO_ARC ? NO_LABEL : label_of(head[b]);
#pragma unroll
        for (int b = 0; b < IN_FLIGHT; b++) {
            const unsigned tail = __shfl_sync(ALL_LANES, u, owner[b]), at_tail = __shfl_sync(ALL_LANES, own, owner[b]);
            if (!is_green(at_tail) && at_head[b] == at_tail + 2) toward_end[head[b]] = int(tail);
            if (is_green(at_tail) && at_tail == at_head[b] + 2) toward_end[tail] = int(head[b]);
            if (!is_green(at_tail) && is_green(at_head[b]) && at_tail / 2 + 1 + at_head[b] / 2 == length)
                *joint = int(arc[b]);
        }
    });
}
