// Shared by betweenness/edge and betweenness/edge-comp: one thread per arc.

#pragma once

#include "brandes.cuh"

struct Edge : NothingKept {
    int vertices, arcs;
    const int *tails, *heads;

    __device__ Edge(int vertices, int arcs, const int *tails, const int *heads)
        : vertices(vertices), arcs(arcs), tails(tails), heads(heads)
    {
    }

    template <typename Search> __device__ void expand(const Search &search, int level) const
    {
        for (int arc = threadIdx.x; arc < arcs; arc += blockDim.x) {
            const int u = __ldg(&tails[arc]);
            if (search.d[u] != level) continue;
            const int v = __ldg(&heads[arc]);
            search.visit(v, search.d[v], level + 1, search.sigma[u]);
        }
    }

    template <typename Search> __device__ void collect(const Search &search, int level) const
    {
        for (int arc = threadIdx.x; arc < arcs; arc += blockDim.x) {
            const int u = __ldg(&tails[arc]);
            if (search.d[u] != level) continue;
            const int v = __ldg(&heads[arc]);
            if (search.d[v] == level + 1) atomicAdd(&search.delta[u], search.delta[v]);
        }
        __syncthreads();
        search.finish_level(vertices, level);
    }
};
