// Shared by betweenness/vert-queue and vert-queue-comp: one thread per vertex of the queue.

#pragma once

#include "vert.cuh"

struct VertQueue {
    Neighbours neighbours;
    int *queue, *ends;  // level l occupies queue[ends[l]] to queue[ends[l + 1] - 1]

    __device__ VertQueue(const int *indptr, const int *indices) : neighbours{indptr, indices} {}

    // Places the queue (`vertices` entries) and `ends` (`vertices` + 2 entries: 0, the end of each level, and the end
    // of the empty level that ends the search).
    __device__ void keep(int *memory, int vertices)
    {
        queue = memory;
        ends = memory + vertices;
    }

    __device__ void start(int source) const
    {
        queue[0] = source;
        ends[0] = 0;
        ends[1] = 1;
    }

    template <typename Search> __device__ void expand(const Search &search, int level) const
    {
        __shared__ int tail;
        const int begin = ends[level], end = ends[level + 1];
        if (threadIdx.x == 0) tail = end;
        __syncthreads();
        for (int i = begin + int(threadIdx.x); i < end; i += blockDim.x) {
            const int u = queue[i];
            const auto paths = search.sigma[u];
            const int last = __ldg(&neighbours.indptr[u + 1]);
            for (int arc = __ldg(&neighbours.indptr[u]); arc < last; arc++) {
                const int v = __ldg(&neighbours.indices[arc]);
                int found = search.d[v];
                if (found == UNSEEN) {
                    found = atomicCAS(&search.d[v], UNSEEN, level + 1);
                    if (found == UNSEEN) {
                        queue[atomicAdd(&tail, 1)] = v;
                        *search.cont = true;
                        found = level + 1;
                    }
                }
                if (found == level + 1) atomicAdd(&search.sigma[v], paths);
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) ends[level + 2] = tail;
    }

    template <typename Search> __device__ void collect(const Search &search, int level) const
    {
        for (int i = ends[level] + int(threadIdx.x); i < ends[level + 1]; i += blockDim.x)
            neighbours.collect(search, queue[i], level);
    }
};
