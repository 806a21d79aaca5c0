// The arcs of a shortest path for stcon/cluster, found in its labels by a pass over all arcs after the search, unless the
// search was so short that it has found them itself.
//
// Report   none; ours.
// Mapping  the grid takes turns over the arcs, a few per thread, so that a vertex of many arcs takes no longer than others.
// Trick    one pass over the arcs, each given by the indices of two labels, serves both searches: labels.cuh. What is left
//          from another search, no path leads to.

#include "labels.cuh"

constexpr unsigned IN_FLIGHT = 4;  // arcs of a thread in a turn

// `length`: that of the path, behind the labels.
extern "C" __global__ void find_path(unsigned arcs, const unsigned *tails, const unsigned *heads, const unsigned *labels,
                                     const unsigned *length, int *toward_end, unsigned long long *joint)
{
    const Path path{toward_end, joint};
    const unsigned turn = IN_FLIGHT * blockDim.x, path_length = *length;
    for (unsigned base = blockIdx.x * turn; base < arcs; base += gridDim.x * turn) {
        unsigned tail[IN_FLIGHT], head[IN_FLIGHT], at_tail[IN_FLIGHT], at_head[IN_FLIGHT];
#pragma unroll
        for (unsigned i = 0; i < IN_FLIGHT; i++) {  // behind the last arc one from a vertex to itself, which is on no path
            const unsigned arc = base + i * blockDim.x + threadIdx.x;
            tail[i] = arc < arcs ? tails[arc] : 0;
            head[i] = arc < arcs ? heads[arc] : 0;
        }
#pragma unroll
        for (unsigned i = 0; i < IN_FLIGHT; i++) {
            at_tail[i] = labels[tail[i]];
            at_head[i] = labels[head[i]];
        }
#pragma unroll
        for (unsigned i = 0; i < IN_FLIGHT; i++) path.note(tail[i], head[i], at_tail[i], at_head[i], path_length);
    }
}
