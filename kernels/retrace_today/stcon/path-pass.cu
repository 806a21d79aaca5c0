// The arcs of a shortest path for stcon/cluster, found in its labels by a pass over all arcs after the search, unless the
// search was so short that it has found them itself.
//
// Report   none; ours.
// Mapping  one thread per arc, so that a vertex of many arcs takes no longer than others.
// Trick    one pass over the arcs, each given by the indices of two labels, serves both searches: labels.cuh. What is left
//          from another search, no path leads to. Arcs are loaded so that they do not push the records of the next search
//          out of L2.

#include "labels.cuh"

// `length`: that of the path, behind the labels.
extern "C" __global__ void find_path(int arcs, const unsigned *tails, const unsigned *heads, const unsigned *labels,
                                     const unsigned *length, int *toward_end, unsigned long long *joint)
{
    const int arc = blockIdx.x * blockDim.x + threadIdx.x;
    if (arc >= arcs) return;
    const unsigned tail = __ldcs(&tails[arc]), head = __ldcs(&heads[arc]);
    const Path path{toward_end, joint};
    path.note(tail, head, labels[tail], labels[head], *length);
}
