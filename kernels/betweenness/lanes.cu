// betweenness/lanes: betweenness centrality of 32 sources at a time, a lane each; ours, not from a report.
//
// Idea     "The More the Merrier" (Then et al., VLDB 2014): searches from many sources share what they read. A vertex's
//          path counts for 32 sources are one row of memory, so that a warp reads them at once, and one word tells in
//          which of the searches the vertex is on the level. Sources come in an order in which neighbours are together:
//          their searches reach a vertex at like levels, and more lanes need the same row.
// Mapping  one block for 32 sources, on the compacted graph, from start to end. A warp looks at 32 vertices, a lane
//          each, for those that matter at the level; then all of it takes these one by one, lane i on source i. The
//          lanes first look at 32 arcs, one each, for words with a bit that matters. They then go through the
//          neighbours that have one together, each lane adding its own column of the neighbour's row.
// Atomics  none on rows: a vertex that is not reached yet asks its predecessors, instead of being told by them, so that
//          only its own warp writes to its row. That takes the arcs that enter it. The vertices of a small level first
//          mark the words of their neighbours, and no others ask. A score has one atomic addition for 32 sources.
// Memory   a block's arrays: sigma, delta and d of 32 columns, then words: seen, now, next, and levels, which has bit
//          l % 32 if the vertex is on level l in any search. Rows hold nothing where seen does not say so. delta is as
//          brandes.cuh says.

#include "brandes.cuh"

constexpr unsigned ALL_LANES = 0xFFFFFFFF;
constexpr int LANES = 32;
constexpr int IN_FLIGHT = 4;  // rows that are read before the first is needed
constexpr int SMALL = 8;      // one in so many of the vertices and arcs: a level worth marking from

struct Neighbourhood {
    const int *indptr, *indices;

    // Adds up the columns of the neighbours on the arcs from begin to end - 1: in lane i those with bit i in both
    // `word` and `wanted`.
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

// Each lane looks at the bits of a vertex of its own; all lanes together then visit(v, its bits, its first arc, the end
// of its arcs) each vertex that has some. What visit returns, or 0, one lane stores. Neighbouring vertices, among which
// those of many arcs often are, go to different warps.
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
    __shared__ unsigned found;  // vertices of a level, and arcs that leave them
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
        if (int(threadIdx.x) == lane && source != UNSEEN) {  // the first warp; no two lanes have the same source
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
            if (size == 0) break;  // now[] is 0 throughout
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

        while (--level > 0) {  // now[] tells of the level below
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
