// betweenness/lanes: betweenness centrality of 32 sources at a time, one per lane; ours, not from a report.
//
// Idea     "The More the Merrier" (Then et al., VLDB 2014): searches from many sources share their reads. The path
//          counts of one vertex for 32 sources form one row of memory, which a warp reads at once. One word per vertex
//          has a bit for each search in which the vertex is on the current level. The sources are ordered so that
//          neighbours come together: their searches reach a vertex at similar levels, and more lanes need the same row.
// Mapping  one block per 32 sources, on the graph or what compaction leaves of it, from the first level to the last
//          score. A warp examines 32 vertices, one per lane, for those that are relevant at the level. The whole
//          warp then handles these one after the other, lane i for source i: the lanes first examine 32 arcs,
//          one each, for neighbours with a relevant bit; then all lanes read the rows of these neighbours, each lane its own column.
// Atomics  none on rows. An unreached vertex pulls path counts from its predecessors, over the arcs that enter it, so
//          that only its own warp writes its row. On a small level, the vertices first mark their neighbours, and only
//          marked vertices pull. A score costs one atomic addition per 32 sources.
// Memory   the arrays of a block: sigma, delta and d with 32 columns each, then one word per vertex for each of seen,
//          now, next and levels. Bit l % 32 of `levels` is set if the vertex is on level l in any search. An entry of
//          a row is valid only where its bit in `seen` is set. delta is defined in brandes.cuh.

#include "../../betweenness/brandes.cuh"

constexpr unsigned ALL_LANES = 0xFFFFFFFF;
constexpr int LANES = 32;
constexpr int IN_FLIGHT = 4;  // rows requested before the first one is used
constexpr int SMALL = 8;      // a level with less than 1 / SMALL of all vertices and arcs marks its neighbours

struct Neighbourhood {
    const int *indptr, *indices;

    // Adds up the rows of the neighbours on the arcs begin to end - 1. Lane i adds column i of the neighbours that have
    // bit i set in both `word` and `wanted`.
    template <typename Real>
    __device__ Real add_rows(int begin, int end, const Real *rows, const unsigned *word, unsigned wanted,
                             int lane) const
    {
        Real sum = 0;
        for (int chunk = begin; chunk < end; chunk += LANES) {
            const int arc = chunk + lane;
            const int neighbour = arc < end ? __ldg(&indices[arc]) : 0;
            const unsigned bits = arc < end ? word[neighbour] & wanted : 0;
            unsigned left = __ballot_sync(ALL_LANES, bits != 0);
            while (left) {
#pragma unroll
                for (int i = 0; i < IN_FLIGHT; i++) {
                    const int from = left ? __ffs(left) - 1 : 0;
                    const unsigned lanes = left ? __shfl_sync(ALL_LANES, bits, from) : 0;
                    const int w = __shfl_sync(ALL_LANES, neighbour, from);
                    if (lanes >> lane & 1) sum += rows[size_t(w) * LANES + lane];
                    left &= left - 1;
                }
            }
        }
        return sum;
    }
};

// Each lane reads the bits of one vertex. For each vertex with any bit set, all lanes together call
// visit(vertex, bits, first arc, end of arcs). One lane then stores the result, or 0 for a vertex without bits.
// Neighbouring vertices go to different warps, because vertices with many arcs are often neighbours.
template <typename BitsOf, typename Visit, typename Store>
__device__ void for_each_vertex(int vertices, const int *indptr, BitsOf bits_of, Visit visit, Store store)
{
    const int lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
    for (int base = threadIdx.x / LANES; base < vertices; base += blockDim.x) {
        const int own = base + lane * warps;
        const unsigned own_bits = own < vertices ? bits_of(own) : 0;
        const int own_begin = own_bits ? __ldg(&indptr[own]) : 0, own_end = own_bits ? __ldg(&indptr[own + 1]) : 0;
        if (own < vertices && !own_bits) store(own, 0u);
        for (unsigned left = __ballot_sync(ALL_LANES, own_bits != 0); left; left &= left - 1) {
            const int from = __ffs(left) - 1;
            const unsigned bits = __shfl_sync(ALL_LANES, own_bits, from);
            const int begin = __shfl_sync(ALL_LANES, own_begin, from), end = __shfl_sync(ALL_LANES, own_end, from);
            const int v = base + from * warps;
            const unsigned found = visit(v, bits, begin, end);
            if (lane == from) store(v, found);
        }
    }
}

template <typename Real>
__device__ void add_scores_of_lanes(int vertices, Neighbourhood entering, Neighbourhood leaving,
                                    CompactedGraph weights, const Batch<Real> &batch)
{
    __shared__ unsigned found;  // number of vertices on a level plus number of arcs that leave them
    const unsigned all = unsigned(vertices) + __ldg(&leaving.indptr[vertices]);
    const int lane = threadIdx.x % LANES;

    Real *const sigma = reinterpret_cast<Real *>(batch.workspace + blockIdx.x * batch.block_bytes);
    Real *const delta = sigma + size_t(vertices) * LANES;
    int *const d = reinterpret_cast<int *>(delta + size_t(vertices) * LANES);
    unsigned *const seen = reinterpret_cast<unsigned *>(d + size_t(vertices) * LANES);
    unsigned *const levels = seen + vertices;
    unsigned *now = levels + vertices, *next = now + vertices;
    const auto add_found = [&](int v) {
        atomicAdd(&found, 1u + __ldg(&leaving.indptr[v + 1]) - __ldg(&leaving.indptr[v]));
    };
    const auto swap_words = [&] {
        unsigned *const other = now;
        now = next;
        next = other;
    };

    for (int first = batch.first + int(blockIdx.x) * LANES; first < batch.last; first += int(gridDim.x) * LANES) {
        const int source = first + lane < batch.last ? batch.sources[first + lane] : UNSEEN;
        const unsigned used = __ballot_sync(ALL_LANES, source != UNSEEN);
        const Real count = source == UNSEEN ? 0 : weights.source_count(source);
        for (int v = threadIdx.x; v < vertices; v += blockDim.x) seen[v] = levels[v] = now[v] = 0;
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
        if (int(threadIdx.x) == lane && source != UNSEEN) {  // in the first warp; all its lanes have different sources
            seen[source] = now[source] = 1u << lane;
            sigma[size_t(source) * LANES + lane] = 1;
            d[size_t(source) * LANES + lane] = 0;
            add_found(source);
        }
        __syncthreads();

        int level = 0;
        for (;; level++) {
            const unsigned size = found;
            __syncthreads();
            if (size == 0) break;  // all of now[] is 0
            if (threadIdx.x == 0) found = 0;
            const bool marked = size < all / SMALL;
            if (marked) {
                for (int v = threadIdx.x; v < vertices; v += blockDim.x) next[v] = 0;
                __syncthreads();
                const auto on_level = [&](int u) { return now[u]; };
                const auto mark = [&](int, unsigned lanes, int begin, int end) {
                    for (int arc = begin + lane; arc < end; arc += LANES)
                        atomicOr(&next[__ldg(&leaving.indices[arc])], lanes);
                    return 0u;
                };
                for_each_vertex(vertices, leaving.indptr, on_level, mark, [](int, unsigned) {});
            }
            __syncthreads();
            const auto missing = [&](int v) { return used & ~seen[v] & (marked ? next[v] : ALL_LANES); };
            const auto reach = [&](int v, unsigned wanted, int begin, int end) {
                const Real paths = entering.add_rows(begin, end, sigma, now, wanted, lane);
                if (paths != 0) {
                    sigma[size_t(v) * LANES + lane] = paths;
                    d[size_t(v) * LANES + lane] = level + 1;
                }
                return __ballot_sync(ALL_LANES, paths != 0);
            };
            for_each_vertex(vertices, entering.indptr, missing, reach, [&](int v, unsigned reached) {
                next[v] = reached;
                if (reached) {
                    seen[v] |= reached;
                    levels[v] |= 1u << (level + 1) % 32;
                    add_found(v);
                }
            });
            __syncthreads();
            swap_words();
        }

        while (--level > 0) {  // now[] describes level + 1
            const auto perhaps = [&](int u) { return levels[u] >> level % 32 & 1 ? seen[u] : 0; };
            const auto finish = [&](int u, unsigned reached, int begin, int end) {
                const size_t own = size_t(u) * LANES + lane;
                const bool here = reached >> lane & 1 && d[own] == level;
                const unsigned on_level = __ballot_sync(ALL_LANES, here);
                if (!on_level) return on_level;
                const Real sum = leaving.add_rows(begin, end, delta, now, on_level, lane);
                Real share = 0;
                if (here) {
                    const Real paths = sigma[own];
                    if (paths > largest(paths)) *batch.overflow = source;
                    share = count * (sum * paths);
                    delta[own] = sum + weights.reach(u) / paths;
                }
                for (int distance = LANES / 2; distance > 0; distance /= 2)
                    share += __shfl_xor_sync(ALL_LANES, share, distance);
                if (lane == 0 && share != 0) atomicAdd(&batch.score[u], share);
                return on_level;
            };
            for_each_vertex(vertices, leaving.indptr, perhaps, finish, [&](int u, unsigned on) { next[u] = on; });
            __syncthreads();
            swap_words();
        }
    }
}

#define LANES_KERNEL(Real)                                                                                       \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS, 2) brandes_##Real(                                 \
        int vertices, const int *indptr, const int *indices, const int *in_indptr, const int *in_indices,        \
        const int *reach, const int *source_count,                                                               \
        BATCH_PARAMETERS(Real))                                                                                  \
    {                                                                                                            \
        add_scores_of_lanes(vertices, Neighbourhood{in_indptr, in_indices}, Neighbourhood{indptr, indices},      \
                            CompactedGraph{reach, source_count}, BATCH(Real));                                   \
    }

LANES_KERNEL(float)
LANES_KERNEL(double)
