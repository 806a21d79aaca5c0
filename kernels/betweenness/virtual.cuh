// Shared by the variants on Virtual-CSR and Stride-CSR: one thread per virtual vertex, which has up to mdeg arcs.
// host/virtual_vertices.cpp writes both layouts.
//
// Departs  registers are limited to 32 per thread, so that two blocks fit on a multiprocessor.
//          On Stride-CSR, the index of each virtual vertex's first arc is stored. (The paper stores the vertex's
//          rank among those of its original vertex and adds indptr.) The loop reads four arcs ahead
//          (docs/experiments, 10).

#pragma once

#include "brandes.cuh"

// The two sizes of the graph that every thread needs, as kernel parameters.
struct AsParameters {
    int number_of_vertices, number_of_virtual;
    __device__ int vertices() const { return number_of_vertices; }
    __device__ int virtual_vertices() const { return number_of_virtual; }
};

// A multiprocessor holds 2048 threads: two blocks of MAX_THREADS, with 32 registers per thread.
#define TWO_BLOCKS __launch_bounds__(MAX_THREADS, 2)

// Consecutive arcs. The compiler unrolls this loop and requests four heads at once.
struct Consecutive {
    int begin, end;

    // Calls visit(head, distance of the head) for each arc.
    template <typename Visit> __device__ void for_each(const int *indices, const int *d, Visit visit) const
    {
        for (int arc = begin; arc < end; arc++) {
            const int head = __ldg(&indices[arc]);
            visit(head, d[head]);
        }
    }
};

constexpr int IN_FLIGHT = 4;  // arcs whose heads, and then distances, are requested before the first one is used
constexpr int NO_HEAD = -1;

// Arcs at a fixed step. The compiler does not know the step and does not unroll a plain loop: each load of a head would
// wait for the previous one.
struct Strided {
    unsigned begin, end, step;  // unsigned, because the read-ahead goes past the end

    template <typename Visit> __device__ void for_each(const int *indices, const int *d, Visit visit) const
    {
        for (unsigned arc = begin; arc < end;) {
            int heads[IN_FLIGHT], found[IN_FLIGHT];
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++, arc += step) heads[i] = arc < end ? __ldg(&indices[arc]) : NO_HEAD;
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++) found[i] = heads[i] == NO_HEAD ? UNSEEN : d[heads[i]];
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++)
                if (heads[i] != NO_HEAD) visit(heads[i], found[i]);
        }
    }
};

// Virtual-CSR: a virtual vertex has consecutive arcs.
struct VirtualCSR {
    const int *vptr;
    __device__ Consecutive arcs(int i, int) const { return {__ldg(&vptr[i]), __ldg(&vptr[i + 1])}; }
};

// Stride-CSR: the virtual vertices of a vertex take its arcs in turn, so that neighbouring threads read neighbouring
// arcs.
struct StrideCSR {
    const int *begin, *nvir, *indptr;
    __device__ Strided arcs(int i, int u) const
    {
        return {unsigned(__ldg(&begin[i])), unsigned(__ldg(&indptr[u + 1])), unsigned(__ldg(&nvir[u]))};
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
            layout.arcs(i, u).for_each(
                indices, search.d, [&](int v, int found) { search.visit(v, found, level + 1, paths); });
        }
    }

    template <typename Search> __device__ void collect(const Search &search, int level) const
    {
        for (int i = threadIdx.x; i < sizes.virtual_vertices(); i += blockDim.x) {
            const int u = __ldg(&vmap[i]);
            if (search.d[u] != level) continue;
            typename Search::Number sum = 0;
            layout.arcs(i, u).for_each(indices, search.d, [&](int v, int found) {
                if (found == level + 1) sum += search.delta[v];
            });
            if (sum != 0) atomicAdd(&search.delta[u], sum);
        }
        __syncthreads();
        search.finish_level(sizes.vertices(), level);
    }
};
