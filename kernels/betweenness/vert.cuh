// Shared by betweenness/vert, vert-queue and levels, with or without compaction: one thread takes all arcs of a vertex.

#pragma once

#include "brandes.cuh"

struct Neighbours {
    const int *indptr, *indices;

    template <typename Search> __device__ void expand(const Search &search, int u, int level) const
    {
        const auto paths = search.sigma[u];
        const int end = __ldg(&indptr[u + 1]);
        for (int arc = __ldg(&indptr[u]); arc < end; arc++) {
            const int v = __ldg(&indices[arc]);
            search.visit(v, search.d[v], level + 1, paths);
        }
    }

    template <typename Search> __device__ void collect(const Search &search, int u, int level) const
    {
        typename Search::Number sum = 0;
        const int end = __ldg(&indptr[u + 1]);
        for (int arc = __ldg(&indptr[u]); arc < end; arc++) {
            const int v = __ldg(&indices[arc]);
            if (search.d[v] == level + 1) sum += search.delta[v];
        }
        search.finish(u, sum);
    }
};

// Each thread scans its share of all vertices for those on the level.
struct Vert : NothingKept {
    int vertices;
    Neighbours neighbours;

    __device__ Vert(int vertices, const int *indptr, const int *indices)
        : vertices(vertices), neighbours{indptr, indices}
    {
    }

    template <typename Search> __device__ void expand(const Search &search, int level) const
    {
        for (int u = threadIdx.x; u < vertices; u += blockDim.x)
            if (search.d[u] == level) neighbours.expand(search, u, level);
    }

    template <typename Search> __device__ void collect(const Search &search, int level) const
    {
        for (int u = threadIdx.x; u < vertices; u += blockDim.x)
            if (search.d[u] == level) neighbours.collect(search, u, level);
    }
};
