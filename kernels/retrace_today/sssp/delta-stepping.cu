// sssp/delta-stepping: single-source shortest paths by buckets of distances, with light and heavy arcs.
//
// Paper    U. Meyer and P. Sanders, "Δ-stepping: a parallelizable shortest path algorithm", Journal of Algorithms 49,
//          2003.
// Idea     bucket i has the vertices whose distance is i * delta or more, and less than (i + 1) * delta. An arc is light
//          if its weight is at most delta, else heavy. Phases take the vertices out of the least bucket and relax their
//          light arcs, which may put others into it, or the same again, until it stays empty. Then the heavy arcs of all
//          that were in it are relaxed, once: their distances are final, and no heavy arc leads into the same bucket.
// Buckets  a queue has what is in the current bucket. All later buckets are one bitmap, which is gone through when the
//          current one is done: the least distance in it says which bucket is next. Another bitmap has the vertices that
//          have been in the current bucket.
// Arcs     `sort_by_class` puts the light arcs of each vertex before the heavy ones, once a graph, as in the paper. Head
//          and weight are one load of 8 bytes.
// Mapping  the arcs of the vertices in a queue are divided evenly among all warps: frontier.cuh. Of a bitmap, a warp
//          takes as many words as any other, up to 32, and puts the vertices in them in a row, a lane for each.
//          sort_by_class: one warp per vertex, whose lanes take its arcs.
// Atomics  none on a distance is waited for, as in workfront.cuh.
// Barriers one of the grid per phase, and up to three per bucket: its members are queued, their heavy arcs are relaxed,
//          the next bucket is queued. Three lengths of queues take turns, and two least distances.
// Departs  from the paper in the one bitmap for all later buckets, in place of one list each; in that a request to lower
//          a distance is carried out at once by an atomic minimum, in place of being kept until all arcs of the phase
//          have been gone through; and in that a vertex without arcs of the class that is relaxed enters no queue.

#include "../frontier/frontier.cuh"
#include "../../unreachable.h"

constexpr int IN_FLIGHT = 4;  // arcs of a lane

enum Class { LIGHT, HEAVY };  // of arcs

// What stays the same during a search. Queues and bitmaps for steps take turns: step i reads queue i % 2.
struct Search {
    unsigned vertices, words;
    const Offset *begins;  // begins[2 * v + HEAVY] is the first heavy arc of v, the one before it the first light one
    const int2 *arcs;      // head and weight of each
    int *distance;
    unsigned *later, *members;  // bitmaps: what is in later buckets, and what has been in the current one
    unsigned *queued;           // two more, of what is in the queues
    Entry *queues;              // of `capacity` entries each: a vertex, and the first arc of a piece
    unsigned capacity, piece;
    unsigned *lengths;  // lengths[i % 3] is the number of entries that step i reads
    int *least;         // least[k % 2] is the least distance in later buckets when the k-th is done
    unsigned block_queue_size;
    Entry *block_queue;  // this and the following are in shared memory
    unsigned *tail;
    int *least_here;

    // The queue of the step after this one.
    __device__ BlockQueue queue_after(unsigned step) const
    {
        const Queue queue{queues + (step + 1) % 2 * capacity, &lengths[(step + 1) % 3]};
        return {queue, block_queue, block_queue_size, tail};
    }

    // Ends a step of the grid, and tells others what this block has found in it.
    __device__ void finish(const Team &grid, unsigned &step, unsigned bucket) const
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            if (*least_here < UNREACHABLE) atomicMin(&least[bucket % 2], *least_here);
            *least_here = UNREACHABLE;
        }
        queue_after(step).flush();
        if (blockIdx.x == 0 && threadIdx.x == 0) lengths[(step + 2) % 3] = 0;
        grid.sync();
        step++;
    }

    // Relaxes the arcs of a class of the vertices in this step's queue. Heads whose distance falls below the limit are in
    // the current bucket, and queued; others are in later ones. Returns the number of arcs of the entries that this
    // thread has taken.
    __device__ unsigned long long relax(const Team &grid, unsigned step, Class of, unsigned limit) const
    {
        const Entry *const removed = queues + step % 2 * capacity;
        unsigned *const taken = queued + step % 2 * words, *const added = queued + (step + 1) % 2 * words;
        const BlockQueue next = queue_after(step);
        const unsigned entries = lengths[step % 3], share = grid.share(entries);
        unsigned long long relaxed = 0;
        int least_later = UNREACHABLE;
        for (unsigned first = grid.warp() * share; first < entries; first += grid.warps() * share) {
            const unsigned place = first + lane_number();
            const bool has = lane_number() < share && place < entries;
            const Entry own = has ? removed[place] : Entry{0, 0};
            const unsigned from_source = has ? __ldcg(&distance[own.x]) : 0;
            const unsigned length = has ? min(Offset(piece), __ldg(&begins[2 * unsigned(own.x) + of + 1]) - own.y) : 0;
            if (has) taken[own.x / 32] = 0;  // all that it holds is taken in this step
            relaxed += length;
            for_each_arc<IN_FLIGHT>(own.y, length, [&](const Offset *which, const unsigned *owner) {
                int2 to[IN_FLIGHT];  // head and weight
                unsigned through[IN_FLIGHT], known[IN_FLIGHT];
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++)
                    to[b] = which[b] == NO_ARC ? make_int2(0, 0) : __ldcs(&arcs[which[b]]);
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    known[b] = which[b] == NO_ARC ? 0 : __ldcg(&distance[to[b].x]);
                    through[b] = __shfl_sync(ALL_LANES, from_source, owner[b]) + unsigned(to[b].y);
                }
                Offset begin[IN_FLIGHT], end[IN_FLIGHT];
                unsigned before[IN_FLIGHT];  // what was queued
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    const unsigned v = to[b].x, bit = 1u << v % 32;
                    const bool falls = through[b] < known[b], is_current = falls && through[b] < limit;
                    begin[b] = is_current ? __ldg(&begins[2 * v]) : 0;
                    end[b] = is_current ? __ldg(&begins[2 * v + HEAVY]) : 0;
                    before[b] = is_current ? atomicOr(&added[v / 32], bit) : ALL_LANES;
                    if (falls) {
                        atomicMin(&distance[v], int(through[b]));
                        atomicOr(&(is_current ? members : later)[v / 32], bit);
                        if (!is_current) least_later = min(least_later, int(through[b]));
                    }
                }
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++)
                    if (before[b] >> to[b].x % 32 & 1) end[b] = begin[b];
                next.add(begin, end, piece, [&](int b, unsigned lane, Offset first_arc, unsigned) {
                    return Entry{unsigned(__shfl_sync(ALL_LANES, to[b].x, lane)), first_arc};
                });
            });
        }
        if (of == HEAVY && least_later < UNREACHABLE) atomicMin(least_here, least_later);
        return relaxed;
    }

    // Calls visit(first, word, has) for every 32 words of the bitmaps or fewer, one of each lane that has one.
    template <typename Visit> __device__ void for_each_word(const Team &grid, Visit visit) const
    {
        const unsigned share = grid.share(words);
        for (unsigned first = grid.warp() * share; first < words; first += grid.warps() * share) {
            const unsigned word = first + lane_number();
            visit(first, word, lane_number() < share && word < words);
        }
    }

    // Queues the arcs of a class of a vertex of each lane. All lanes call it together.
    __device__ void queue_arcs(const BlockQueue &next, bool is_queued, unsigned v, Class of) const
    {
        const Offset begin[] = {is_queued ? __ldg(&begins[2 * v + of]) : 0};
        const Offset end[] = {is_queued ? __ldg(&begins[2 * v + of + 1]) : 0};
        next.add(begin, end, piece, [&](int, unsigned lane, Offset first_arc, unsigned) {
            return Entry{__shfl_sync(ALL_LANES, v, lane), first_arc};
        });
    }

    // Queues the heavy arcs of all that have been in the current bucket, and finds the least distance in later ones,
    // which those have left that came from there.
    __device__ void close_bucket(const Team &grid, unsigned step) const
    {
        const BlockQueue next = queue_after(step);
        int least_left = UNREACHABLE;
        for_each_word(grid, [&](unsigned first, unsigned word, bool has) {
            const unsigned done = has ? members[word] : 0, left = has ? later[word] & ~done : 0;
            if (done) {
                members[word] = 0;
                later[word] = left;
            }
            for_each_bit(done, [&](bool is_member, unsigned owner, unsigned bit) {
                queue_arcs(next, is_member, (first + owner) * 32 + bit, HEAVY);
            });
            for_each_bit(left, [&](bool is_later, unsigned owner, unsigned bit) {
                if (is_later) least_left = min(least_left, __ldcg(&distance[(first + owner) * 32 + bit]));
            });
        });
        if (least_left < UNREACHABLE) atomicMin(least_here, least_left);
    }

    // Makes those of later buckets whose distance is below the limit members of the current one, and queues their light
    // arcs.
    __device__ void open_bucket(const Team &grid, unsigned step, unsigned limit) const
    {
        __shared__ unsigned words_moved[MOST_THREADS];
        unsigned &moved = words_moved[threadIdx.x], *const of_warp = words_moved + threadIdx.x / LANES * LANES;
        const BlockQueue next = queue_after(step);
        for_each_word(grid, [&](unsigned first, unsigned word, bool has) {
            const unsigned before = has ? later[word] : 0;
            moved = 0;
            __syncwarp();
            for_each_bit(before, [&](bool is_later, unsigned owner, unsigned bit) {
                const unsigned v = (first + owner) * 32 + bit;
                const bool is_current = is_later && unsigned(__ldcg(&distance[v])) < limit;
                if (is_current) atomicOr(&of_warp[owner], 1u << bit);
                queue_arcs(next, is_current, v, LIGHT);
            });
            __syncwarp();
            if (moved) members[word] = moved;  // `later` keeps them until the bucket is closed
        });
    }

    // Sets all distances, and puts the source into the first bucket.
    __device__ void start(unsigned source) const
    {
        const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
        for (unsigned v = thread; v < vertices; v += threads) distance[v] = v == source ? 0 : UNREACHABLE;
        for (unsigned word = thread; word < words; word += threads) {
            later[word] = queued[word] = queued[words + word] = 0;
            members[word] = word == source / 32 ? 1u << source % 32 : 0;
        }
        const Offset begin = begins[2 * source];
        const unsigned pieces = (begins[2 * source + HEAVY] - begin + piece - 1) / piece;
        for (unsigned i = thread; i < pieces; i += threads) queues[i] = {source, begin + Offset(i) * piece};
        if (thread < 3) lengths[thread] = thread == 0 ? pieces : 0;
        if (thread < 2) least[thread] = UNREACHABLE;
        if (threadIdx.x == 0) {
            *tail = 0;
            *least_here = UNREACHABLE;
        }
    }

    // Finds all distances; observed are phases, buckets, and how many light and heavy arcs were relaxed.
    __device__ void find_distances(unsigned source, unsigned delta, unsigned long long *relaxed,
                                   long long *observed) const
    {
        __shared__ unsigned long long sums[2];
        const Team grid{false};
        const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
        unsigned step = 0, phases = 0, bucket = 0;
        unsigned long long light = 0, heavy = 0;
        if (threadIdx.x < 2) sums[threadIdx.x] = 0;
        if (first_thread) relaxed[LIGHT] = relaxed[HEAVY] = 0;
        start(source);
        grid.sync();

        for (unsigned limit = delta;;) {
            for (; lengths[step % 3] > 0; phases++) {
                light += relax(grid, step, LIGHT, limit);
                finish(grid, step, bucket);
            }
            if (first_thread) least[(bucket + 1) % 2] = UNREACHABLE;
            close_bucket(grid, step);
            finish(grid, step, bucket);
            if (lengths[step % 3] > 0) {
                heavy += relax(grid, step, HEAVY, limit);
                finish(grid, step, bucket);
            }
            const unsigned left = least[bucket++ % 2];
            if (left == UNREACHABLE) break;
            limit = (left / delta + 1) * delta;
            open_bucket(grid, step, limit);
            finish(grid, step, bucket);
        }

        add_over_warp(&sums[LIGHT], light);
        add_over_warp(&sums[HEAVY], heavy);
        __syncthreads();
        if (threadIdx.x < 2) atomicAdd(&relaxed[threadIdx.x], sums[threadIdx.x]);
        grid.sync();
        if (first_thread) {
            observed[0] = phases;
            observed[1] = bucket;
            observed[2] = relaxed[LIGHT];
            observed[3] = relaxed[HEAVY];
        }
    }
};

// Puts the head and the weight of each arc side by side, and the light arcs of a vertex, of a weight up to delta, before
// its heavy ones.
extern "C" __global__ void sort_by_class(int vertices, const Offset *indptr, const int *indices, const int *weights,
                                         int delta, Offset *begins, int2 *out)
{
    const unsigned u = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
    if (u >= unsigned(vertices)) return;
    const Offset begin = indptr[u], end = indptr[u + 1];
    const unsigned lower_lanes = (1u << lane_number()) - 1;
    Offset light_end = begin, heavy_begin = end;  // what is in between has no arc yet
    for (Offset base = begin; base < end; base += LANES) {
        const Offset arc = base + lane_number();
        const int2 to = arc < end ? make_int2(indices[arc], weights[arc]) : make_int2(0, 0);
        const unsigned light = __ballot_sync(ALL_LANES, arc < end && to.y <= delta);
        const unsigned heavy = __ballot_sync(ALL_LANES, arc < end && to.y > delta);
        if (light >> lane_number() & 1) out[light_end + __popc(light & lower_lanes)] = to;
        if (heavy >> lane_number() & 1) out[heavy_begin - 1 - __popc(heavy & lower_lanes)] = to;
        light_end += __popc(light);
        heavy_begin -= __popc(heavy);
    }
    if (lane_number() > 0) return;
    begins[2 * u] = begin;
    begins[2 * u + HEAVY] = light_end;
    if (u + 1 == unsigned(vertices)) begins[2 * u + 2] = end;
}

// 64 registers are all that the search wants; with 32, a multiprocessor runs twice as many threads.
#define DELTA_STEPPING_KERNEL(registers)                                                                              \
    extern "C" __global__ void __launch_bounds__(1024, 64 / registers) delta_stepping_##registers(                    \
        int vertices, const Offset *begins, const int2 *arcs, int source, unsigned delta, int *distance,              \
        unsigned *bitmaps, Entry *queues, unsigned capacity, unsigned *lengths, int *least,                           \
        unsigned long long *relaxed, unsigned piece, unsigned block_queue_size, long long *observed)                  \
    {                                                                                                                 \
        extern __shared__ Entry block_queue[];                                                                        \
        __shared__ unsigned tail;                                                                                     \
        __shared__ int least_here;                                                                                    \
        const unsigned words = (unsigned(vertices) + 31) / 32;                                                        \
        const Search search{unsigned(vertices), words, begins, arcs, distance, bitmaps, bitmaps + words,              \
                            bitmaps + 2 * words, queues, capacity, piece, lengths, least, block_queue_size,           \
                            block_queue, &tail, &least_here};                                                         \
        search.find_distances(unsigned(source), delta, relaxed, observed);                                            \
    }

DELTA_STEPPING_KERNEL(32)
DELTA_STEPPING_KERNEL(64)
