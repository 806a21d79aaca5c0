// What searches in one cooperative launch share: a frontier as a queue of arcs, divided evenly among all warps.
//
// Pieces   a vertex enters the queue as entries of at most `piece` arcs each: one as a rule, many for a hub, so that no
//          warp has to go through a hub by itself.
// Arcs     a warp takes up to 32 entries, one per lane, and puts their arcs in a row. Each lane then takes every 32nd of
//          the row, whichever entry it belongs to.
// Queue    a block collects its entries in shared memory and moves them to the queue of the next level with one addition
//          to its length. Entries that do not fit go there directly.
// Team     the grid, or block 0 alone while a level is small: a barrier of the block costs less than one of the grid.

#pragma once

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned ALL_LANES = 0xFFFFFFFF;
constexpr unsigned LANES = 32;
constexpr unsigned NO_ARC = 0xFFFFFFFF;

__device__ inline unsigned lane_number() { return threadIdx.x % LANES; }

// The warps that share the work of a level, and their barrier.
struct Team {
    bool alone;  // block 0; else the grid

    __device__ unsigned warps() const { return (alone ? 1 : gridDim.x) * (blockDim.x / LANES); }

    // Warps of consecutive numbers are in different blocks, so that little work is spread over many multiprocessors.
    __device__ unsigned warp() const
    {
        const unsigned own = threadIdx.x / LANES;
        return alone ? own : own * gridDim.x + blockIdx.x;
    }

    __device__ void sync() const
    {
        if (alone)
            __syncthreads();
        else
            cg::this_grid().sync();
    }

    // The number of entries that a warp takes at a time.
    __device__ unsigned share(unsigned entries) const { return min(LANES, (entries + warps() - 1) / warps()); }
};

// A queue in global memory.
struct Queue {
    uint2 *entries;
    unsigned *length;
};

// What this block adds to a queue.
struct BlockQueue {
    Queue queue;
    uint2 *own;  // `size` entries in shared memory
    unsigned size;
    unsigned *tail;  // in shared memory: the number of entries that were added here, of which some may not have fitted

    // Adds the arcs begin to end - 1 in pieces; entry(first, length) makes a piece's entry. All lanes call it together,
    // those with nothing to add with begin = end.
    template <typename Entry> __device__ void add(unsigned begin, unsigned end, unsigned piece, Entry entry) const
    {
        const unsigned adding = __ballot_sync(ALL_LANES, begin < end);
        if (!adding) return;
        const unsigned leader = __ffs(adding) - 1;
        unsigned place = lane_number() == leader ? atomicAdd(tail, unsigned(__popc(adding))) : 0;
        place = __shfl_sync(ALL_LANES, place, leader) + __popc(adding & ((1u << lane_number()) - 1));
        if (begin >= end) return;
        const auto length_from = [&](unsigned first) { return min(piece, end - first); };
        if (place < size)
            own[place] = entry(begin, length_from(begin));
        else
            queue.entries[atomicAdd(queue.length, 1u)] = entry(begin, length_from(begin));

        const unsigned more = (end - begin - 1) / piece;  // 0 but for hubs
        if (more == 0) return;
        place = atomicAdd(tail, more);
        const unsigned fitting = place < size ? min(more, size - place) : 0;
        const unsigned beyond = fitting < more ? atomicAdd(queue.length, more - fitting) : 0;
        for (unsigned i = 0; i < more; i++) {
            const unsigned first = begin + (i + 1) * piece;
            uint2 *const to = i < fitting ? own + place + i : queue.entries + beyond + (i - fitting);
            *to = entry(first, length_from(first));
        }
    }

    // Moves the block's entries to the queue; all threads of the block call it together, after a barrier.
    __device__ void flush() const
    {
        __shared__ unsigned first;
        const unsigned count = min(*tail, size);
        if (threadIdx.x == 0 && count) first = atomicAdd(queue.length, count);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) queue.entries[first + i] = own[i];
        if (threadIdx.x == 0) *tail = 0;
    }
};

// Puts the arcs of 32 pieces, one per lane, in a row. For every BATCH * 32 arcs of it, visit(arc, owner) is called with
// BATCH arcs of each lane, NO_ARC behind the end of the row, and the lanes whose pieces they belong to.
template <int BATCH, typename Visit> __device__ void for_each_arc(unsigned begin, unsigned length, Visit visit)
{
    unsigned end = length;  // of this lane's arcs in the row: an inclusive prefix sum
    for (unsigned by = 1; by < LANES; by *= 2) {
        const unsigned before = __shfl_up_sync(ALL_LANES, end, by);
        if (lane_number() >= by) end += before;
    }
    const unsigned total = __shfl_sync(ALL_LANES, end, LANES - 1);
    const unsigned shift = begin - (end - length);  // from a place in the row to an arc of this lane's piece
    for (unsigned base = 0; base < total; base += BATCH * LANES) {
        unsigned arc[BATCH], owner[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            arc[i] = NO_ARC;
            owner[i] = 0;
            if (base + i * LANES >= total) continue;
            const unsigned place = base + i * LANES + lane_number();
            for (unsigned step = LANES / 2; step > 0; step /= 2)  // passes the pieces that end at `place` or before
                if (__shfl_sync(ALL_LANES, end, owner[i] + step - 1) <= place) owner[i] += step;
            const unsigned found = place + __shfl_sync(ALL_LANES, shift, owner[i]);
            if (place < total) arc[i] = found;
        }
        visit(arc, owner);
    }
}

// Adds up a number of each thread into `sum` in shared memory. All lanes call it together.
__device__ inline void add_over_warp(unsigned long long *sum, unsigned long long value)
{
    if (!__any_sync(ALL_LANES, value != 0)) return;
    for (unsigned by = LANES / 2; by > 0; by /= 2) value += __shfl_xor_sync(ALL_LANES, value, by);
    if (lane_number() == 0) atomicAdd(sum, value);
}
