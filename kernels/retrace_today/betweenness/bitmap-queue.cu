// betweenness/bitmap-queue: betweenness centrality with one small block per source; ours, for graphs of many levels.
//
// Idea     that of domitrz-brandes' brandes-par-vert-queue.cu: the queue of all levels leads back. A level of a road graph
//          has a few hundred vertices, so a block has 256 threads, and several blocks share a multiprocessor.
// Tricks   A bitmap in shared memory takes the place of the distances. On the way forward it shows the vertices of this
//          and earlier levels, on the way back those of the level behind. No array is read for arcs that lead elsewhere.
//          Adding to a path count also tells who has found a vertex: the one that added to 0.
//          delta takes the place of sigma: the predecessors of a finished vertex read its delta only.
//          Each vertex has a record of four arcs, one load instead of two that depend on each other.
// Mapping  a block draws its sources from a counter; one thread per vertex of the level.
// Atomics  one addition per arc of a shortest path forward, one per vertex back, to the score. A score is the sum over up
//          to all sources: it is a double, also where path counts are floats, or fixed-point.
// Memory   of a block: a number, an entry of the queue and the end of a level per vertex; the bitmap too if it does not fit
//          into shared memory. delta is defined in brandes.cuh.

#include "../../betweenness/brandes.cuh"
#include "passes.cuh"

#ifndef SCORE  // bitmap-queue-fixed.cu has another
#define SCORE double
#endif

// Whether nothing that is added to a score may depend on the order of atomic additions.
template <typename Score> constexpr bool IN_ORDER = true;
template <> constexpr bool IN_ORDER<double> = false;

// Below it, path counts are whole numbers that have not been rounded.
__device__ inline float exact_below(float) { return 0x1p24f; }
__device__ inline double exact_below(double) { return 0x1p53; }

constexpr int NONE = -1, MANY = -2;  // in a record: no arc, and in the first place: more than four

// The arcs that leave each vertex: its first four, or MANY, the first and the end of those in `indices`.
struct Records {
    const int4 *records;
    const int *indices;

    // Calls visit(v) with four neighbours of u at a time, NONE in place of those that are missing.
    template <typename Visit> __device__ void for_each_four(int u, Visit visit) const
    {
        const int4 record = __ldg(&records[u]);
        if (record.x != MANY) {
            const int v[4] = {record.x, record.y, record.z, record.w};
            visit(v);
            return;
        }
        for (int arc = record.y; arc < record.z; arc += 4) {
            int v[4];
            for (int i = 0; i < 4; i++) v[i] = arc + i < record.z ? __ldg(&indices[arc + i]) : NONE;
            visit(v);
        }
    }
};

struct Bitmap {
    unsigned *words;

    __device__ bool has(int v) const { return words[v / 32] >> v % 32 & 1; }
    __device__ void flip(int v) const { atomicXor(&words[v / 32], 1u << v % 32); }
};

template <typename Real, typename Score, typename Weights>
__device__ void add_scores_of_sources(int vertices, Records leaving, Records entering, Weights weights,
                                      const Batch<Real, Score> &batch, int *next_source, bool in_shared)
{
    extern __shared__ unsigned shared_words[];
    __shared__ int queued;

    Real *const value = reinterpret_cast<Real *>(batch.workspace + blockIdx.x * batch.block_bytes);  // sigma, then delta
    int *const queue = reinterpret_cast<int *>(value + vertices);
    int *const ends = queue + vertices;  // of the levels, in the queue
    const Bitmap shown{in_shared ? shared_words : reinterpret_cast<unsigned *>(ends + vertices)};
    const auto show_none = [&] {
        for (int i = threadIdx.x; i < (vertices + 31) / 32; i += blockDim.x) shown.words[i] = 0;
    };
    const auto sum_of_shown = [&](const Records &arcs, int u) {  // in the order of the arcs
        Real sum = 0;
        arcs.for_each_four(u, [&](const int(&v)[4]) {
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (v[k] != NONE && shown.has(v[k])) sum += value[v[k]];
        });
        return sum;
    };

    const int sources = batch.last - batch.first;
    for (int drawn; (drawn = draw_pass(next_source, sources)) < sources;) {
        const int source = batch.sources[batch.first + drawn], source_count = weights.source_count(source);
        for (int v = threadIdx.x; v < vertices; v += blockDim.x) value[v] = v == source;
        show_none();
        if (threadIdx.x == 0) {
            queue[0] = source;
            queued = 1;
        }
        __syncthreads();

        int depth = 0, first = 0, last = 1;  // the level has the entries first to last - 1
        for (;; depth++) {
            if (threadIdx.x == 0) ends[depth] = last;
            for (int i = first + threadIdx.x; i < last; i += blockDim.x) shown.flip(queue[i]);
            __syncthreads();
            for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
                const int u = queue[i];
                const Real paths = value[u];
                leaving.for_each_four(u, [&](const int(&v)[4]) {
                    Real before[4];
#pragma unroll
                    for (int k = 0; k < 4; k++)
                        before[k] = v[k] != NONE && !shown.has(v[k]) ? atomicAdd(&value[v[k]], paths) : 1;
#pragma unroll
                    for (int k = 0; k < 4; k++)
                        if (before[k] == 0) queue[atomicAdd(&queued, 1)] = v[k];
                });
            }
            __syncthreads();
            first = last;
            last = queued;
            if (first == last) break;
            if constexpr (IN_ORDER<Score>) {  // only the level before is both shown and next to what was found
                for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
                    Real &paths = value[queue[i]];
                    if (paths >= exact_below(paths)) paths = sum_of_shown(entering, queue[i]);
                }
                __syncthreads();
            }
        }

        show_none();
        __syncthreads();
        for (; depth > 0; depth--) {  // the source's own dependency does not count
            const int behind = last;  // the level behind, which is shown, has the entries ends[depth] to behind - 1
            first = ends[depth - 1];
            last = ends[depth];
            for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
                const int u = queue[i];
                const Real paths = value[u], sum = sum_of_shown(leaving, u);
                if (paths > largest(paths)) *batch.overflow = source;
                if (sum != 0) atomicAdd(&batch.score[u], source_count * double(sum * paths));
                value[u] = sum + weights.reach(u) / paths;
            }
            __syncthreads();
            for (int i = first + threadIdx.x; i < behind; i += blockDim.x) shown.flip(queue[i]);  // both levels
            __syncthreads();
        }
    }
}

// Makes a record of each vertex.
extern "C" __global__ void record_arcs(int vertices, const int *indptr, const int *indices, int4 *records)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices) return;
    const int begin = indptr[u], end = indptr[u + 1];
    const auto arc = [&](int i) { return begin + i < end ? indices[begin + i] : NONE; };
    records[u] = end - begin > 4 ? make_int4(MANY, begin, end, NONE) : make_int4(arc(0), arc(1), arc(2), arc(3));
}

#define BITMAP_QUEUE(Real)                                                                                  \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real(                               \
        int vertices, const int4 *records, const int *indices, BATCH_PARAMETERS(SCORE), int *next_source,   \
        int in_shared, const int4 *in_records, const int *in_indices)                                       \
    {                                                                                                       \
        add_scores_of_sources(vertices, Records{records, indices}, Records{in_records, in_indices},         \
                              WholeGraph{}, BATCH(Real, SCORE), next_source, in_shared);                    \
    }                                                                                                       \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real##_compacted(                   \
        int vertices, const int4 *records, const int *indices, const int *reach, const int *source_count,   \
        BATCH_PARAMETERS(SCORE), int *next_source, int in_shared, const int4 *in_records,                   \
        const int *in_indices)                                                                              \
    {                                                                                                       \
        add_scores_of_sources(vertices, Records{records, indices}, Records{in_records, in_indices},         \
                              CompactedGraph{reach, source_count}, BATCH(Real, SCORE), next_source,         \
                              in_shared);                                                                   \
    }

BITMAP_QUEUE(float)
BITMAP_QUEUE(double)
