// bfs/block-queue: breadth-first search in which each block collects its part of the next frontier in shared memory.
//
// Report   hong-bfs, the kernel BFS_Bqueue_kernel and its host code.
// Mapping  one thread per frontier vertex, one launch per level. The host reads the size of the frontier in between.
// Departs  the tail of a full queue is clamped when it is read. In print, every thread that finds the queue full resets
//          the tail, a plain write that races with other threads' atomics (bfs/block-queue-published, docs/errata.md).
//          visited is uploaded, of zeros, and the first kernel marks the source; in print a kernel fills it. The two
//          frontiers are arrays of their own, in print halves of one.
//          The number of blocks comes from a division of integers; in print, of floats, which lose vertices of a large
//          frontier.
//          label is int, with -1 for an unreached vertex, as in the sequential function of the slides.

#include "block_queue.cuh"

extern "C" __global__ void block_queue_expand(const int *previous, const int *previous_tail, int *current, int *tail,
                                              const int *indptr, const int *indices, int *label, int *visited,
                                              int size)
{
    expand_block<false>(previous, previous_tail, current, tail, indptr, indices, label, visited, size);
}
