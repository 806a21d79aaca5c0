// What the CUDA variants of domitrz-brandes share: Brandes' algorithm with a block for each source, from start to end.
//
// Report   domitrz-brandes, "Algorithm": blocks take sources (coarse grain), and the threads of a block share each
//          level of its search (fine grain), with __syncthreads() in between. One launch serves all sources.
// Mapping  block b takes the sources b, b + gridDim.x, b + 2 gridDim.x, ... of its batch. How the threads share a
//          level is the variant's own: it brings expand(), which goes a level forward, and collect(), a level back.
// Memory   one allocation holds every block's arrays, a block's one after the other: sigma, delta, d, and what a
//          variant keeps besides. `cont` and `level` are shared, as in the report; the pointers into the allocation,
//          which the report keeps there too, are the same in all threads and need no memory.
// Departs  delta. Let reach[w] be 1 (or, in a compacted graph, how many vertices w stands for). Textbooks add
//          sigma[v] / sigma[w] * (reach[w] + delta[w]) for each arc v->w. Divided by sigma[v] that is a sum of
//          (reach[w] + delta[w]) / sigma[w], a number of w alone: finish() computes it once and leaves it in delta[w],
//          so that an arc costs one addition. Sariyuce et al. (GPGPU-6, 2013), whom the report follows, reach the same
//          by starting delta at 1 / sigma and taking 1 off at the end, which cancels: scores that are 0 are not.
//          Scores are added up as vertices are finished, not by another pass.

#pragma once

constexpr int UNSEEN = -1;        // d of a vertex that the search has not reached
constexpr int MAX_THREADS = 1024;  // a block

// The largest number whose inverse, which delta holds, is a normal one: atomicAdd takes a smaller float in global memory
// for 0.
__device__ inline float largest(float) { return 0x1p126f; }
__device__ inline double largest(double) { return 0x1p1022; }

// The whole graph: each vertex is one source and one target.
struct WholeGraph {
    __device__ int reach(int) const { return 1; }
    __device__ int source_count(int) const { return 1; }
};

// A compacted graph, whose vertices stand for others as well; see retrace.graphs.reductions.
struct CompactedGraph {
    const int *reaches, *source_counts;
    __device__ int reach(int v) const { return __ldg(&reaches[v]); }
    __device__ int source_count(int s) const { return __ldg(&source_counts[s]); }
};

// The search from one source.
template <typename Real, typename Weights> struct Search {
    using Number = Real;
    Real *sigma;  // number of shortest paths from the source
    Real *delta;  // sum over the successors; after finish() what the predecessors add up
    int *d;       // distance from the source, in arcs
    bool *cont;   // whether a vertex was reached at this level
    Real *score;
    int *overflow;  // a source from which there are more paths than largest()
    Weights weights;
    int source;

    __device__ void start(int v) const
    {
        sigma[v] = v == source;
        delta[v] = 0;
        d[v] = v == source ? 0 : UNSEEN;
    }

    // An arc leads to v from a vertex one level above `level`, to which `paths` lead; d[v] was `found` before or is.
    __device__ void visit(int v, int found, int level, Real paths) const
    {
        if (found == UNSEEN) {  // several threads may find it so: they write the same
            d[v] = level;
            *cont = true;
        }
        if (found == UNSEEN || found == level) atomicAdd(&sigma[v], paths);
    }

    // All successors of u are finished, and this is the sum of their delta.
    __device__ void finish(int u, Real sum) const
    {
        const Real paths = sigma[u];
        if (paths > largest(paths)) *overflow = source;
        if (sum != 0) atomicAdd(&score[u], weights.source_count(source) * (sum * paths));
        delta[u] = sum + weights.reach(u) / paths;
    }

    // Finishes the vertices of a level whose sums stand in delta.
    __device__ void finish_level(int vertices, int level) const
    {
        for (int u = threadIdx.x; u < vertices; u += blockDim.x)
            if (d[u] == level) finish(u, delta[u]);
    }
};

// What a kernel is asked for, beside the graph: sources[first] to sources[last - 1].
template <typename Real> struct Batch {
    const int *sources;
    int first, last;
    unsigned char *workspace;
    unsigned long long block_bytes;  // of the workspace, for each block
    Real *score;
    int *overflow;
};

#define BATCH_PARAMETERS(Real)                                                                              \
    const int *sources, int first, int last, unsigned char *workspace, unsigned long long block_bytes,      \
        Real *score, int *overflow
#define BATCH(Real) Batch<Real>{sources, first, last, workspace, block_bytes, score, overflow}

// Adds to the scores what each source of the batch brings. `arcs` is the variant.
template <typename Real, typename Arcs, typename Weights>
__device__ void add_scores(int vertices, Arcs arcs, Weights weights, const Batch<Real> &batch)
{
    __shared__ bool cont;
    __shared__ int level;

    Real *const sigma = reinterpret_cast<Real *>(batch.workspace + blockIdx.x * batch.block_bytes);
    Real *const delta = sigma + vertices;
    int *const d = reinterpret_cast<int *>(delta + vertices);
    arcs.keep(d + vertices, vertices);

    for (int k = batch.first + int(blockIdx.x); k < batch.last; k += gridDim.x) {
        const Search<Real, Weights> search{sigma,       delta,          d,       &cont,
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

        while (level > 0) {  // the deepest has no successors; the source's own share is not counted
            arcs.collect(search, level);
            __syncthreads();
            if (threadIdx.x == 0) level--;
            __syncthreads();
        }
    }
}

// A variant that keeps nothing besides.
struct NothingKept {
    __device__ void keep(int *, int) const {}
    __device__ void start(int) const {}
};
