// Shared by the CUDA variants of domitrz-brandes: Brandes' algorithm, with one block per source.
//
// Report   domitrz-brandes, "Algorithm": each block takes a source (coarse-grained parallelism). The threads of the
//          block share each level of its search (fine-grained), with __syncthreads() between levels. One launch
//          handles all sources.
// Mapping  block b takes the sources b, b + gridDim.x, b + 2 gridDim.x, ... of its batch. Each variant decides how the
//          threads share a level: its expand() goes one level forward, its collect() one level back.
// Memory   one allocation holds the arrays of all blocks, one block after the other: sigma, delta, d, and the arrays
//          that the variant adds. `cont` and `level` are in shared memory, as in the report. The report also keeps the
//          pointers into the allocation there; they are the same in all threads and need no memory.
// Departs  delta. Let reach[w] be 1 or, in a compacted graph, the number of vertices that w stands for. Textbooks add
//          sigma[v] / sigma[w] * (reach[w] + delta[w]) to delta[v] for each arc v->w. Divided by sigma[v], this is a
//          sum of (reach[w] + delta[w]) / sigma[w], which depends on w only. finish() computes this quotient once and
//          stores it in delta[w], so that each arc costs one addition. Sariyuce et al. (GPGPU-6, 2013), whom the report
//          follows, start delta at 1 / sigma and subtract 1 at the end. That subtraction cancels: scores that should be
//          0 are not.
//          Each score is added when its vertex is finished. Where one thread adds up a vertex's sum (vert, vert-queue),
//          that takes no pass of its own. Where several threads do (edge, virt), finish_level() sweeps all vertices
//          at the end of each level.

#pragma once

#include "double_atomics.cuh"

constexpr int UNSEEN = -1;        // d of a vertex that the search has not reached
constexpr int MAX_THREADS = 1024;  // per block

// The largest path count. delta holds inverses of path counts, and atomicAdd on floats in global memory treats
// subnormal numbers as 0; the inverse of this value is still normal.
__device__ inline float largest(float) { return 0x1p126f; }
__device__ inline double largest(double) { return 0x1p1022; }

// The whole graph: each vertex counts once as a source and once as a target.
struct WholeGraph {
    __device__ int reach(int) const { return 1; }
    __device__ int source_count(int) const { return 1; }
};

// A compacted graph, whose vertices also stand for removed ones; see host/compact.cpp.
struct CompactedGraph {
    const int *reaches, *source_counts;
    __device__ int reach(int v) const { return __ldg(&reaches[v]); }
    __device__ int source_count(int s) const { return __ldg(&source_counts[s]); }
};

// An array whose entries lie one after the other.
template <typename T> using Adjacent = T *;

// The search from one source.
template <typename Real, typename Weights, template <typename> class Array = Adjacent> struct Search {
    using Number = Real;
    Array<Real> sigma;  // number of shortest paths from the source
    Array<Real> delta;  // sum over the successors; after finish(), the value that the predecessors add up
    Array<int> d;       // distance from the source, in arcs
    bool *cont;   // whether this level reached a new vertex
    Real *score;
    int *overflow;  // receives a source with more than largest() paths to some vertex
    Weights weights;
    int source;

    __device__ void start(int v) const
    {
        sigma[v] = v == source;
        delta[v] = 0;
        d[v] = v == source ? 0 : UNSEEN;
    }

    // Follows an arc to v from a vertex on level `level - 1` that `paths` shortest paths reach. `found` is d[v], read
    // before this call.
    __device__ void visit(int v, int found, int level, Real paths) const
    {
        if (found == UNSEEN) {  // several threads may get here; they write the same values
            d[v] = level;
            *cont = true;
        }
        if (found == UNSEEN || found == level) atomicAdd(&sigma[v], paths);
    }

    // Finishes u once all its successors are finished; `sum` is the sum of their delta.
    __device__ void finish(int u, Real sum) const
    {
        const Real paths = sigma[u];
        if (paths > largest(paths)) *overflow = source;
        if (sum != 0) atomicAdd(&score[u], weights.source_count(source) * (sum * paths));
        delta[u] = sum + weights.reach(u) / paths;
    }

    // Finishes all vertices of a level; delta holds their sums.
    __device__ void finish_level(int vertices, int level) const
    {
        for (int u = threadIdx.x; u < vertices; u += blockDim.x)
            if (d[u] == level) finish(u, delta[u]);
    }
};

// The arguments of a kernel besides the graph. The kernel handles sources[first] to sources[last - 1].
template <typename Real, typename Score = Real> struct Batch {
    const int *sources;
    int first, last;
    unsigned char *workspace;
    unsigned long long block_bytes;  // bytes of workspace per block
    Score *score;
    int *overflow;
};

#define BATCH_PARAMETERS(Score)                                                                             \
    const int *sources, int first, int last, unsigned char *workspace, unsigned long long block_bytes,      \
        Score *score, int *overflow
#define BATCH(...) Batch<__VA_ARGS__>{sources, first, last, workspace, block_bytes, score, overflow}

// Adds the dependencies on each source of the batch to the scores, with the arrays of this block. `arcs` is the variant.
template <template <typename> class Array, typename Real, typename Arcs, typename Weights>
__device__ void search_with(Array<Real> sigma, Array<Real> delta, Array<int> d, int vertices, Arcs arcs, Weights weights,
                            const Batch<Real> &batch)
{
    __shared__ bool cont;
    __shared__ int level;

    for (int k = batch.first + int(blockIdx.x); k < batch.last; k += gridDim.x) {
        const Search<Real, Weights, Array> search{sigma,       delta,          d,       &cont,
                                                  batch.score, batch.overflow, weights, batch.sources[k]};
        for (int v = threadIdx.x; v < vertices; v += blockDim.x) search.start(v);
        if (threadIdx.x == 0) {
            arcs.start(search.source);
            cont = false;
            level = 0;
        }
        __syncthreads();

        for (;;) {
            arcs.expand(search, level);
            __syncthreads();
            if (!cont) break;
            __syncthreads();
            if (threadIdx.x == 0) {
                cont = false;
                level++;
            }
            __syncthreads();
        }

        while (level > 0) {  // level 0 is skipped: the source's own dependency does not count
            arcs.collect(search, level);
            __syncthreads();
            if (threadIdx.x == 0) level--;
            __syncthreads();
        }
    }
}

// The same with the block's own part of the workspace.
template <typename Real, typename Arcs, typename Weights>
__device__ void add_scores(int vertices, Arcs arcs, Weights weights, const Batch<Real> &batch)
{
    Real *const sigma = reinterpret_cast<Real *>(batch.workspace + blockIdx.x * batch.block_bytes);
    Real *const delta = sigma + vertices;
    int *const d = reinterpret_cast<int *>(delta + vertices);
    arcs.keep(d + vertices, vertices);
    search_with<Adjacent>(sigma, delta, d, vertices, arcs, weights, batch);
}

// Base of the variants that add no arrays.
struct NothingKept {
    __device__ void keep(int *, int) const {}
    __device__ void start(int) const {}
};
