// Shared by bfs/block-queue and bfs/block-queue-published; see block-queue.cu.

#pragma once

extern "C" __global__ void block_queue_start(int source, int *previous, int *previous_tail, int *tail, int *label,
                                             int *visited)
{
    visited[source] = 1;
    label[source] = 0;
    previous[0] = source;
    *previous_tail = 1;
    *tail = 0;
}

// Visits the neighbours of the previous frontier and collects the newly visited vertices as the current frontier.
// A block's queue has `size` entries: BLOCK_QUEUE_SIZE, which the slides do not give.
template <bool AS_PRINTED>
__device__ void expand_block(const int *previous, const int *previous_tail, int *current, int *tail,
                             const int *indptr, const int *indices, int *label, int *visited, int size)
{
    extern __shared__ int queue[];
    __shared__ int queue_tail, our_tail;
    if (threadIdx.x == 0) queue_tail = 0;
    __syncthreads();

    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < *previous_tail) {
        const int u = previous[tid];
        for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
            const int v = indices[arc];
            if (atomicExch(&visited[v], 1)) continue;
            label[v] = label[u] + 1;
            const int place = atomicAdd(&queue_tail, 1);
            if (place < size) {
                queue[place] = v;
            } else {  // the block's queue is full: use the global queue
                if (AS_PRINTED) queue_tail = size;
                current[atomicAdd(tail, 1)] = v;
            }
        }
    }
    __syncthreads();

    const int queued = AS_PRINTED ? queue_tail : min(queue_tail, size);
    if (threadIdx.x == 0) our_tail = atomicAdd(tail, queued);
    __syncthreads();
    for (int i = threadIdx.x; i < queued; i += blockDim.x) current[our_tail + i] = queue[i];
}

extern "C" __global__ void block_queue_next(int *previous_tail, int *tail)
{
    *previous_tail = *tail;
    *tail = 0;
}
