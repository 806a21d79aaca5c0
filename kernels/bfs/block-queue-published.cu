// bfs/block-queue-published: bfs/block-queue, with the tail of the shared queue handled as printed.
//
// Report   hong-bfs, the kernel BFS_Bqueue_kernel and its host code.
// Mapping  as bfs/block-queue.
// Departs  only in names, in int for unsigned int, and on the host as bfs/block-queue.

#include "block_queue.cuh"

extern "C" __global__ void block_queue_expand(const int *previous, const int *previous_tail, int *current, int *tail,
                                              const int *indptr, const int *indices, int *label, int *visited,
                                              int size)
{
    expand_block<true>(previous, previous_tail, current, tail, indptr, indices, label, visited, size);
}
