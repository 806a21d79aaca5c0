// bfs/block-queue: breadth-first search whose blocks gather their part of the next frontier in shared memory.
//
// Report   hong-bfs, the kernel BFS_Bqueue_kernel and its host code.
// Mapping  one thread a frontier vertex, a launch a level; the host reads the frontier's size in between.
// Departs  a full queue's tail is cut when it is read. As printed, every thread that finds the queue full sets it
//          back, a plain write beside the others' atomics (bfs/block-queue-published, docs/errata.md).
//          label is int, -1 for a vertex not reached, as in the slides' sequential function.

#include "block_queue.cuh"

extern "C" __global__ void block_queue_expand(const int *previous, const int *previous_tail, int *current, int *tail,
                                              const int *indptr, const int *indices, int *label, int *visited)
{
    expand_block<false>(previous, previous_tail, current, tail, indptr, indices, label, visited);
}
