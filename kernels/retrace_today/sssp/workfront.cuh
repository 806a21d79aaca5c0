// What sssp/workfront-sweep and sssp/edge-classes share: a sweep over workfronts, in one cooperative launch.
//
// Idea     a workfront has the vertices whose distance fell in the last iteration, each once. An iteration relaxes the
//          arcs that leave them, and no others; the search ends when no distance falls.
// Mapping  the arcs of a workfront are divided evenly among all warps: frontier.cuh.
// Once     a bitmap for even iterations and one for odd ones keep a vertex out of a workfront that it is in.
// Atomics  none is waited for: whether a distance falls follows from what was read before. If it had fallen further
//          meanwhile, its vertex is in the next workfront as well, where the bitmap lets it in once.
// Barriers one of the grid per iteration, one before and one after. Three lengths take turns: that of this workfront,
//          that of the next, and one that becomes 0.
// Arcs     head and weight are one load of 8 bytes. An Arc is made of these, and tells what it is and how it is relaxed.

#pragma once

#include "../frontier/frontier.cuh"
#include "../../unreachable.h"

constexpr int IN_FLIGHT = 4;  // arcs of a lane

template <typename Arc> struct Sweep {
    unsigned vertices, words, source;
    const Offset *indptr;
    const int2 *arcs;
    int *distance;
    unsigned *queued;  // bitmaps, for the workfronts of even iterations and for those of odd ones
    Entry *queues;     // as well, of `capacity` entries each: a vertex, and the first arc of a piece
    unsigned capacity, piece;
    unsigned *lengths;  // lengths[i % 3] is the number of entries of workfront i

    // Sets all distances, and makes the source the first workfront.
    __device__ void start() const
    {
        const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
        for (unsigned v = thread; v < vertices; v += threads) distance[v] = v == source ? 0 : UNREACHABLE;
        for (unsigned word = thread; word < 2 * words; word += threads) queued[word] = 0;
        const Offset begin = indptr[source];
        const unsigned pieces = (indptr[source + 1] - begin + piece - 1) / piece;
        for (unsigned i = thread; i < pieces; i += threads) queues[i] = {source, begin + Offset(i) * piece};
        if (thread < 3) lengths[thread] = thread == 0 ? pieces : 0;
    }

    // Relaxes the arcs of workfront i, and adds the vertices whose distance falls to `next`. Returns the number of arcs
    // of the entries that this thread has taken.
    __device__ unsigned long long relax(const Team &grid, unsigned i, const BlockQueue &next) const
    {
        const Entry *const front = queues + i % 2 * capacity;
        unsigned *const taken = queued + i % 2 * words, *const added = queued + (i + 1) % 2 * words;
        const unsigned entries = lengths[i % 3], share = grid.share(entries);
        unsigned long long relaxed = 0;
        for (unsigned first = grid.warp() * share; first < entries; first += grid.warps() * share) {
            const unsigned place = first + lane_number();
            const bool has = lane_number() < share && place < entries;
            const Entry own = has ? front[place] : Entry{0, 0};
            const unsigned from_source = has ? __ldcg(&distance[own.x]) : 0;
            const unsigned length = has ? min(Offset(piece), __ldg(&indptr[own.x + 1]) - own.y) : 0;
            if (has) taken[own.x / 32] = 0;  // all that it holds is taken in this iteration
            relaxed += length;
            for_each_arc<IN_FLIGHT>(own.y, length, [&](const Offset *which, const unsigned *owner) {
                Arc arc[IN_FLIGHT];
                unsigned through[IN_FLIGHT], known[IN_FLIGHT];  // the distance of the head by this arc, and as it is
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++)
                    arc[b] = {which[b] == NO_ARC ? make_int2(0, 0) : __ldcs(&arcs[which[b]])};
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    const unsigned u = __shfl_sync(ALL_LANES, unsigned(own.x), owner[b]);
                    const bool relaxes = which[b] != NO_ARC && arc[b].may_shorten(u, source);
                    through[b] = __shfl_sync(ALL_LANES, from_source, owner[b]) + arc[b].weight();
                    known[b] = relaxes ? __ldcg(&distance[arc[b].head()]) : 0;
                }
                Offset begin[IN_FLIGHT], end[IN_FLIGHT];
                unsigned before[IN_FLIGHT];  // what was queued
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    const unsigned v = arc[b].head();
                    const bool falls = through[b] < known[b], leads_on = falls && arc[b].leads_on();
                    begin[b] = leads_on ? __ldg(&indptr[v]) : 0;
                    end[b] = leads_on ? __ldg(&indptr[v + 1]) : 0;
                    before[b] = leads_on ? atomicOr(&added[v / 32], 1u << v % 32) : ALL_LANES;
                    if (falls) arc[b].lower(&distance[v], int(through[b]));
                }
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++)
                    if (before[b] >> arc[b].head() % 32 & 1) end[b] = begin[b];
                next.add(begin, end, piece, [&](int b, unsigned lane, Offset first_arc, unsigned) {
                    return Entry{__shfl_sync(ALL_LANES, arc[b].head(), lane), first_arc};
                });
            });
        }
        return relaxed;
    }

    // Finds all distances; observed are the iterations, and how many arcs were relaxed.
    __device__ void find_distances(unsigned block_queue_size, unsigned long long *all_relaxed,
                                   long long *observed) const
    {
        extern __shared__ Entry block_queue[];
        __shared__ unsigned tail;
        __shared__ unsigned long long sum;
        const Team grid{false};
        const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
        if (threadIdx.x == 0) tail = 0, sum = 0;
        if (first_thread) *all_relaxed = 0;
        start();
        grid.sync();

        unsigned i = 0;
        unsigned long long relaxed = 0;
        for (; lengths[i % 3] > 0; i++) {
            const Queue queue{queues + (i + 1) % 2 * capacity, &lengths[(i + 1) % 3]};
            const BlockQueue next{queue, block_queue, block_queue_size, &tail};
            relaxed += relax(grid, i, next);
            __syncthreads();
            next.flush();
            if (first_thread) lengths[(i + 2) % 3] = 0;
            grid.sync();
        }

        add_over_warp(&sum, relaxed);
        __syncthreads();
        if (threadIdx.x == 0) atomicAdd(all_relaxed, sum);
        grid.sync();
        if (first_thread) {
            observed[0] = i;
            observed[1] = *all_relaxed;
        }
    }
};

// Defines a kernel for threads of so many registers: 64 are all that it wants; with 32, a multiprocessor runs twice as
// many threads.
#define SWEEP_KERNEL(name, Arc, registers)                                                                            \
    extern "C" __global__ void __launch_bounds__(1024, 64 / registers) name##_##registers(                            \
        int vertices, const Offset *indptr, const int2 *arcs, int source, int *distance, unsigned *queued,            \
        Entry *queues, unsigned capacity, unsigned *lengths, unsigned long long *all_relaxed, unsigned piece,         \
        unsigned block_queue_size, long long *observed)                                                               \
    {                                                                                                                 \
        const Sweep<Arc> sweep{unsigned(vertices), (unsigned(vertices) + 31) / 32, unsigned(source), indptr, arcs,    \
                               distance, queued, queues, capacity, piece, lengths};                                   \
        sweep.find_distances(block_queue_size, all_relaxed, observed);                                                \
    }
