// One thread a virtual vertex, of up to mdeg arcs: what the variants on Virtual-CSR and Stride-CSR share. How both lie
// in memory: retrace.graphs.virtual.

#pragma once

#include "brandes.cuh"

// The two constants of the graph that every thread needs, where a kernel's parameters are.
struct AsParameters {
    int number_of_vertices, number_of_virtual;
    __device__ int vertices() const { return number_of_vertices; }
    __device__ int virtual_vertices() const { return number_of_virtual; }
};

struct Arcs {
    int begin, end, step;
};

// Virtual-CSR: a virtual vertex has arcs that lie one behind the other.
struct VirtualCSR {
    const int *vptr;
    __device__ Arcs arcs(int i, int) const { return {__ldg(&vptr[i]), __ldg(&vptr[i + 1]), 1}; }
};

// Stride-CSR: a vertex's virtual ones take its arcs in turns, so that neighbouring threads read neighbouring arcs.
struct StrideCSR {
    const int *offset, *nvir, *indptr;
    __device__ Arcs arcs(int i, int u) const
    {
        return {__ldg(&indptr[u]) + __ldg(&offset[i]), __ldg(&indptr[u + 1]), __ldg(&nvir[u])};
    }
};

template <typename Sizes, typename Layout> struct Virtual : NothingKept {
    Sizes sizes;
    Layout layout;
    const int *vmap, *indices;

    __device__ Virtual(Sizes sizes, Layout layout, const int *vmap, const int *indices)
        : sizes(sizes), layout(layout), vmap(vmap), indices(indices)
    {
    }

    template <typename Search> __device__ void expand(const Search &search, int level) const
    {
        for (int i = threadIdx.x; i < sizes.virtual_vertices(); i += blockDim.x) {
            const int u = __ldg(&vmap[i]);
            if (search.d[u] != level) continue;
            const auto paths = search.sigma[u];
            const Arcs arcs = layout.arcs(i, u);
            for (int arc = arcs.begin; arc < arcs.end; arc += arcs.step)
                search.visit(__ldg(&indices[arc]), level + 1, paths);
        }
    }

    template <typename Search> __device__ void collect(const Search &search, int level) const
    {
        for (int i = threadIdx.x; i < sizes.virtual_vertices(); i += blockDim.x) {
            const int u = __ldg(&vmap[i]);
            if (search.d[u] != level) continue;
            typename Search::Number sum = 0;
            const Arcs arcs = layout.arcs(i, u);
            for (int arc = arcs.begin; arc < arcs.end; arc += arcs.step) {
                const int v = __ldg(&indices[arc]);
                if (search.d[v] == level + 1) sum += search.delta[v];
            }
            if (sum != 0) atomicAdd(&search.delta[u], sum);
        }
        __syncthreads();
        search.finish_level(sizes.vertices(), level);
    }
};
