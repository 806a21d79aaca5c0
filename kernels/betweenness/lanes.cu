// betweenness/lanes: betweenness centrality of 32 sources at a time, a lane each; ours, not from a report.
//
// Idea     "The More the Merrier" (Then et al., VLDB 2014): searches from many sources share what they read. A vertex's
//          path counts for 32 sources are one row of memory, so that a warp reads them at once, and one word tells in
//          which of the searches the vertex is on the level.
// Mapping  one block for 32 sources, on the compacted graph, from start to end; one warp a vertex, lane i on source i.
//          The lanes first look at 32 arcs, one each, for words with a bit that matters. They then go through the
//          neighbours that have one together, each lane adding its own column of the neighbour's row.
// Atomics  none but for the scores, one for 32 sources: a vertex that is not reached yet asks its predecessors, instead
//          of being told by them, so that only its own warp writes to its row. That takes the arcs that enter it.
// Memory   a block's arrays: sigma, delta and d of 32 columns, then the words seen, now and next. delta is as
//          brandes.cuh says.

#include "brandes.cuh"

constexpr unsigned ALL_LANES = 0xFFFFFFFF;
constexpr int LANES = 32;
constexpr int IN_FLIGHT = 4;  // rows that are read before the first is needed

struct Neighbourhood {
    const int *indptr, *indices;

    // Adds up the columns of the neighbours of v: in lane i those with bit i in both `word` and `wanted`.
    template <typename Real>
    __device__ Real add_rows(int v, const Real *rows, const unsigned *word, unsigned wanted, int lane) const
    {
        Real sum = 0;
        const int end = __ldg(&indptr[v + 1]);
        for (int chunk = __ldg(&indptr[v]); chunk < end; chunk += LANES) {
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

template <typename Real>
__device__ void add_scores_of_lanes(int vertices, Neighbourhood entering, Neighbourhood leaving,
                                    CompactedGraph weights, const Batch<Real> &batch)
{
    __shared__ bool cont;
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;

    Real *const sigma = reinterpret_cast<Real *>(batch.workspace + blockIdx.x * batch.block_bytes);
    Real *const delta = sigma + size_t(vertices) * LANES;
    int *const d = reinterpret_cast<int *>(delta + size_t(vertices) * LANES);
    unsigned *const seen = reinterpret_cast<unsigned *>(d + size_t(vertices) * LANES);
    unsigned *now = seen + vertices, *next = now + vertices;

    for (int first = batch.first + int(blockIdx.x) * LANES; first < batch.last; first += int(gridDim.x) * LANES) {
        const int source = first + lane < batch.last ? batch.sources[first + lane] : UNSEEN;
        const unsigned used = __ballot_sync(ALL_LANES, source != UNSEEN);
        const Real count = source == UNSEEN ? 0 : weights.source_count(source);
        for (int v = warp; v < vertices; v += warps) {
            const size_t own = size_t(v) * LANES + lane;
            sigma[own] = v == source;
            d[own] = v == source ? 0 : UNSEEN;
            const unsigned starts = __ballot_sync(ALL_LANES, v == source);
            if (lane == 0) seen[v] = now[v] = starts;
        }
        if (threadIdx.x == 0) cont = false;
        __syncthreads();

        int level = 0;
        for (;; level++) {
            for (int v = warp; v < vertices; v += warps) {
                const unsigned before = seen[v];
                unsigned reached = 0;
                if (used & ~before) {
                    const size_t own = size_t(v) * LANES + lane;
                    const Real paths = entering.add_rows(v, sigma, now, ~before, lane);
                    reached = __ballot_sync(ALL_LANES, paths != 0);
                    if (reached >> lane & 1) {
                        sigma[own] = paths;
                        d[own] = level + 1;
                    }
                }
                if (lane == 0) {
                    next[v] = reached;
                    if (reached) {
                        seen[v] = before | reached;
                        cont = true;
                    }
                }
            }
            __syncthreads();
            const bool more = cont;
            __syncthreads();
            if (threadIdx.x == 0) cont = false;
            unsigned *const other = now;
            now = next;
            next = other;
            if (!more) break;  // now[] is 0 throughout
            __syncthreads();
        }

        for (; level > 0; level--) {  // now[] tells of the level below
            for (int u = warp; u < vertices; u += warps) {
                const size_t own = size_t(u) * LANES + lane;
                const bool here = d[own] == level;
                const unsigned on_level = __ballot_sync(ALL_LANES, here);
                if (lane == 0) next[u] = on_level;
                if (!on_level) continue;
                const Real sum = leaving.add_rows(u, delta, now, on_level, lane);
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
            }
            __syncthreads();
            unsigned *const other = now;
            now = next;
            next = other;
        }
    }
}

#define LANES_KERNEL(Real)                                                                                       \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real(                                    \
        int vertices, const int *indptr, const int *indices, const int *in_indptr, const int *in_indices,        \
        const int *reach, const int *source_count,                                                               \
        BATCH_PARAMETERS(Real))                                                                                  \
    {                                                                                                            \
        add_scores_of_lanes(vertices, Neighbourhood{in_indptr, in_indices}, Neighbourhood{indptr, indices},      \
                            CompactedGraph{reach, source_count}, BATCH(Real));                                   \
    }

LANES_KERNEL(float)
LANES_KERNEL(double)
