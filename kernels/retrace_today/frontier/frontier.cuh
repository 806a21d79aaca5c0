// What searches in one cooperative launch share: a frontier as a queue of arcs, divided evenly among all warps.
//
// Pieces   a vertex enters the queue as entries of at most `piece` arcs each: one as a rule, many for a hub, so that no
//          warp has to go through a hub by itself.
// Arcs     a warp takes up to 32 entries, one per lane, and puts their arcs in a row. Each lane then takes every 32nd of
//          the row, whichever entry it belongs to.
// Queue    a block collects its entries in shared memory and moves them to the queue of the next level with one addition
//          to its length. Entries that do not fit go there directly. A warp reserves places for all its entries at once
//          and writes them together, whichever lane's they are: a hub's may be hundreds.
// Team     the grid, or block 0 alone while a level is small: a barrier of the block costs less than one of the grid.

#pragma once

#include <cooperative_groups.h>
#include <type_traits>

#include "../../offset.h"

namespace cg = cooperative_groups;

constexpr unsigned ALL_LANES = 0xFFFFFFFF;
constexpr unsigned LANES = 32;
constexpr Offset NO_ARC = ~Offset(0);
constexpr int MOST_THREADS = 1024;  // of a block
constexpr int UNSPILLED = 768;      // of a multiprocessor, with 80 registers each, which is all that a search wants

__device__ inline unsigned lane_number() { return threadIdx.x % LANES; }

// The warps that share the work of a level, and their barrier.
struct Team {
    bool alone;  // this block; else the grid

    __device__ unsigned thread() const { return (alone ? 0 : blockIdx.x * blockDim.x) + threadIdx.x; }
    __device__ unsigned threads() const { return (alone ? 1 : gridDim.x) * blockDim.x; }
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

// An entry of a queue: a vertex and the first arc of a piece, or that arc and the number of arcs.
using Entry = std::conditional_t<sizeof(Offset) == sizeof(unsigned), uint2, ulonglong2>;

// A queue in global memory.
struct Queue {
    Entry *entries;
    unsigned *length;
};

// Places for a warp's entries: the first `fitting` in shared memory, the others in global memory.
struct Places {
    Entry *here, *beyond;
    unsigned fitting;

    __device__ Entry *at(unsigned i) const { return i < fitting ? here + i : beyond + (i - fitting); }
};

// Returns the sum of the values of the lanes up to this one. All lanes call it together.
__device__ inline unsigned sum_up_to(unsigned value)
{
    for (unsigned by = 1; by < LANES; by *= 2) {
        const unsigned before = __shfl_up_sync(ALL_LANES, value, by);
        if (lane_number() >= by) value += before;
    }
    return value;
}

// Returns the lane whose part of a row holds a place, if a lane's part ends at `end`. All lanes call it together.
__device__ inline unsigned owner_of(unsigned place, unsigned end)
{
    unsigned owner = 0;
    for (unsigned step = LANES / 2; step > 0; step /= 2)  // passes the parts that end at `place` or before
        if (__shfl_sync(ALL_LANES, end, owner + step - 1) <= place) owner += step;
    return owner;
}

// What this block adds to a queue.
struct BlockQueue {
    Queue queue;
    Entry *own;  // `size` entries in shared memory
    unsigned size;
    unsigned *tail;  // in shared memory: the number of entries that were added here, of which some may not have fitted

    // Reserves places for so many entries of a warp.
    __device__ Places reserve(unsigned count) const
    {
        unsigned first = lane_number() == 0 ? atomicAdd(tail, count) : 0;
        first = __shfl_sync(ALL_LANES, first, 0);
        const unsigned fitting = first < size ? min(count, size - first) : 0;
        unsigned beyond = 0;
        if (fitting < count) {
            if (lane_number() == 0) beyond = atomicAdd(queue.length, count - fitting);
            beyond = __shfl_sync(ALL_LANES, beyond, 0);
        }
        return {own + first, queue.entries + beyond, fitting};
    }

    // Adds the arcs begin[b] to end[b] - 1 of each lane in pieces. entry(b, lane, first, length) makes the entry of a
    // piece of a lane's arcs. All lanes call both together; those with nothing to add have begin = end.
    template <int BATCH, typename Make>
    __device__ void add(const Offset (&begin)[BATCH], const Offset (&end)[BATCH], unsigned piece, Make entry) const
    {
        unsigned adding[BATCH], total = 0;
        bool has_more = false;  // arcs than make a piece
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            adding[b] = __ballot_sync(ALL_LANES, begin[b] < end[b]);
            total += __popc(adding[b]);
            has_more |= end[b] - begin[b] > piece;
        }
        if (total == 0) return;
        if (__any_sync(ALL_LANES, has_more)) {
#pragma unroll
            for (int b = 0; b < BATCH; b++)
                add_pieces(begin[b], end[b], piece, [&](unsigned lane, Offset first, unsigned length) {
                    return entry(b, lane, first, length);
                });
            return;
        }
        const Places places = reserve(total);
        unsigned before = 0;
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            const Entry own_entry = entry(b, lane_number(), begin[b], unsigned(end[b] - begin[b]));
            const unsigned lower = adding[b] & ((1u << lane_number()) - 1);
            if (begin[b] < end[b]) *places.at(before + __popc(lower)) = own_entry;
            before += __popc(adding[b]);
        }
    }

    // Adds the arcs begin to end - 1 of each lane in pieces, which the warp writes together.
    template <typename Make>
    __device__ void add_pieces(Offset begin, Offset end, unsigned piece, Make entry) const
    {
        const unsigned pieces = (end - begin + piece - 1) / piece, pieces_end = sum_up_to(pieces);
        const unsigned total = __shfl_sync(ALL_LANES, pieces_end, LANES - 1);
        if (total == 0) return;
        const Places places = reserve(total);
        for (unsigned base = 0; base < total; base += LANES) {
            const unsigned place = min(base + lane_number(), total - 1), lane = owner_of(place, pieces_end);
            const unsigned before = __shfl_sync(ALL_LANES, pieces_end - pieces, lane);
            const Offset first = __shfl_sync(ALL_LANES, begin, lane) + Offset(place - before) * piece;
            const Offset left = __shfl_sync(ALL_LANES, end, lane) - first;
            *places.at(place) = entry(lane, first, unsigned(min(Offset(piece), left)));
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
template <int BATCH, typename Visit> __device__ void for_each_arc(Offset begin, unsigned length, Visit visit)
{
    const unsigned end = sum_up_to(length);  // of this lane's arcs in the row
    const unsigned total = __shfl_sync(ALL_LANES, end, LANES - 1);
    const Offset shift = begin - (end - length);  // from a place in the row to an arc of this lane's piece
    for (unsigned base = 0; base < total; base += BATCH * LANES) {
        Offset arc[BATCH];
        unsigned owner[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            arc[i] = NO_ARC;
            owner[i] = 0;
            if (base + i * LANES >= total) continue;
            const unsigned place = base + i * LANES + lane_number();
            owner[i] = owner_of(place, end);
            const Offset found = place + __shfl_sync(ALL_LANES, shift, owner[i]);
            if (place < total) arc[i] = found;
        }
        visit(arc, owner);
    }
}

// Returns where the bit is that has so many set bits below it.
__device__ inline unsigned place_of_bit(unsigned word, unsigned below)
{
    unsigned place = 0;
    for (unsigned width = 16; width > 0; width /= 2) {
        const unsigned count = __popc(word >> place & ((1u << width) - 1));
        if (below < count) continue;
        below -= count;
        place += width;
    }
    return place;
}

// Puts the bits that are set in a word of each lane in a row, and calls visit(is_set, lane, bit) for every 32 of them,
// where `lane` is the one whose word has the bit; is_set is false behind the end. All lanes call both together.
template <typename Visit> __device__ void for_each_bit(unsigned word, Visit visit)
{
    for_each_arc<1>(0, __popc(word), [&](const Offset *rank, const unsigned *lane) {
        const unsigned there = __shfl_sync(ALL_LANES, word, lane[0]);
        const bool is_set = rank[0] != NO_ARC;
        visit(is_set, lane[0], is_set ? place_of_bit(there, unsigned(rank[0])) : 0);
    });
}

// Adds up a number of each thread into `sum` in shared memory. All lanes call it together.
__device__ inline void add_over_warp(unsigned long long *sum, unsigned long long value)
{
    if (!__any_sync(ALL_LANES, value != 0)) return;
    for (unsigned by = LANES / 2; by > 0; by /= 2) value += __shfl_xor_sync(ALL_LANES, value, by);
    if (lane_number() == 0) atomicAdd(sum, value);
}
