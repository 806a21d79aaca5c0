// Shared by the kernels of tuwien-sssp: the relaxation of a vertex's arcs. See mask.cu.

#pragma once

#include "../label.cuh"
#include "path_length.h"

// Relaxes the arcs of u if it is masked. ALWAYS: with an atomic for each arc, as line 8 of Algorithm 1. Otherwise a plain
// read first skips arcs that cannot lower the distance: it only falls, so that a value which is out of date is too large.
// Without that read, an equal distance must not set the predecessor, which could close a cycle of weight 0: a predecessor
// of -1 is the largest, and whoever lowered the distance sets its own.
template <bool ALWAYS>
__device__ inline void relax_arcs(int u, const int *indptr, const int *indices, const int *weights, bool *mask,
                                  Label *label)
{
    if (!mask[u]) return;
    mask[u] = false;
    __threadfence();
    const int distance = distance_of(*(volatile Label *)&label[u]);
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc], sum = through(distance, weights[arc]);
        if (!ALWAYS && sum >= distance_of(label[v])) continue;
        const Label before = atomicMin(&label[v], make_label(sum, ALWAYS ? -1 : u));
        if (sum >= distance_of(before)) continue;
        if (ALWAYS) atomicMin(&label[v], make_label(sum, u));
        mask[v] = true;
    }
}
