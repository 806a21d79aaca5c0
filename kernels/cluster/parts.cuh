// What searches inside one thread-block cluster share: places of vertices, records of arcs, and how blocks agree.
//
// The graph is cut into as many parts as the cluster has blocks (kernels/host/cluster_parts.cpp). A block keeps the
// state of its part in shared memory. "Look at vertex v next" is a bit in the shared memory of v's owner, which any
// block sets by an atomic OR that nobody waits for: there are no queues, so none overflows, and no counters.

#pragma once

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned NONE = 0xffffffff;  // no arc
constexpr int PART_SHIFT = 28;
constexpr int MOST_BLOCKS = 16;

inline __device__ unsigned part_of(unsigned place) { return place >> PART_SHIFT; }
inline __device__ unsigned position_of(unsigned place) { return place & ((1u << PART_SHIFT) - 1); }

// Records of four heads in global memory.
struct GlobalArcs {
    const uint4 *records;  // of this block's part
    unsigned positions;
    using Record = uint4;
    __device__ Record load(unsigned record) const { return __ldg(records + record); }
    __device__ uint4 heads(Record record) const { return record; }
};

// The same in shared memory, 16 bits a head: a record of this part, or an index into `outside`.
struct SharedArcs {
    const uint2 *records;
    const unsigned *outside;  // places of heads in other parts
    unsigned positions, own, here;  // vertices and records of this part; its number, shifted as in a place
    using Record = uint2;
    __device__ Record load(unsigned record) const { return records[record]; }
    __device__ unsigned head(unsigned name) const
    {
        return name < own ? here | name : name == 0xffff ? NONE : outside[name - own];
    }
    __device__ uint4 heads(Record two) const
    {
        return {head(two.x & 0xffff), head(two.x >> 16), head(two.y & 0xffff), head(two.y >> 16)};
    }
};

// What each block reads of a packed graph: its records begin at `first_record`, its list of outside places likewise.
struct LongRecords {
    const int *first_record;
    const unsigned *records;

    __device__ GlobalArcs of_block(unsigned here, int words) const
    {
        return {reinterpret_cast<const uint4 *>(records) + first_record[here], 32u * words};
    }
};

struct ShortRecords {
    const int *first_record;
    const unsigned short *names;
    const int *first_outside;
    const unsigned *outside;

    // Copies them to `free` in shared memory, and moves it on. The caller passes a barrier before they are used.
    __device__ SharedArcs of_block(unsigned here, int words, unsigned *&free) const
    {
        const int begin = first_record[here], own = first_record[here + 1] - begin;
        const int first = first_outside[here], others = first_outside[here + 1] - first;
        uint2 *const my_names = reinterpret_cast<uint2 *>(free);
        unsigned *const my_outside = free + 2 * own;
        for (int i = threadIdx.x; i < own; i += blockDim.x)
            my_names[i] = reinterpret_cast<const uint2 *>(names)[begin + i];
        for (int i = threadIdx.x; i < others; i += blockDim.x) my_outside[i] = outside[first + i];
        free = my_outside + others + (others & 1);
        return {my_names, my_outside, 32u * words, unsigned(own), here << PART_SHIFT};
    }
};

// Bits that stand for vertices: an array of words in each block's shared memory, at the same address.
struct Marks {
    unsigned *words;
    unsigned here;  // this block's number

    __device__ void set(unsigned place) const
    {
        const unsigned position = position_of(place), bit = 1u << (position & 31), of = part_of(place);
        unsigned *const word = words + (position >> 5);
        if (of == here)
            atomicOr(word, bit);
        else
            atomicOr(cg::this_cluster().map_shared_rank(word, of), bit);
    }
};

// Marks the heads of a vertex's arcs. `record` is its first; the others follow one by one.
template <typename Arcs> __device__ void mark_heads(const Arcs &arcs, typename Arcs::Record record, Marks marks)
{
    for (;;) {
        const uint4 heads = arcs.heads(record);
        if (heads.x != NONE) marks.set(heads.x);
        if (heads.y != NONE) marks.set(heads.y);
        if (heads.z != NONE) marks.set(heads.z);
        if (heads.w == NONE) return;
        if (part_of(heads.w) != marks.here || position_of(heads.w) < arcs.positions) {
            marks.set(heads.w);
            return;
        }
        record = arcs.load(position_of(heads.w));
    }
}

// Calls `fetch` and then `use` for each bit that is set in a thread's words. `fetch` is given the number of the bit and
// of the word, `use` what it returned. Up to TOGETHER bits, two of each word or one, are fetched before the first is
// used, so that one wait for memory serves them all.
template <int TOGETHER, int WORDS, typename Fetch, typename Use>
__device__ __forceinline__ void for_each_bit(const unsigned (&bits)[WORDS], Fetch fetch, Use use)
{
    constexpr int EACH = WORDS == 1 || 2 * WORDS <= TOGETHER ? 2 : 1;  // of a word at once
    constexpr int AT_ONCE = WORDS * EACH < TOGETHER ? WORDS : TOGETHER / EACH;  // words
#pragma unroll
    for (int begin = 0; begin < WORDS; begin += AT_ONCE) {
        unsigned left[AT_ONCE], any = 0;
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) any |= left[i] = bits[begin + i];
        while (any) {
            int bit[AT_ONCE * EACH];  // -1 for none
            decltype(fetch(0, 0)) fetched[AT_ONCE * EACH];
            any = 0;
#pragma unroll
            for (int i = 0; i < AT_ONCE * EACH; i++) {
                unsigned &word = left[i / EACH];
                bit[i] = __ffs(word) - 1;
                word &= word - 1;
                if (i % EACH == EACH - 1) any |= word;
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE * EACH; i++)
                if (bit[i] >= 0) fetched[i] = fetch(bit[i], begin + i / EACH);
#pragma unroll
            for (int i = 0; i < AT_ONCE * EACH; i++)
                if (bit[i] >= 0) use(fetched[i]);
        }
    }
}

// What each block tells all others, once in a while. A value that is told in one round may be read after the next
// cluster barrier; `slots` rounds later its place is used again.
struct Board {
    unsigned (*values)[MOST_BLOCKS];  // in shared memory: a row a slot

    // Called by all threads of a block with the same value.
    __device__ void tell(int slot, unsigned value) const
    {
        const cg::cluster_group cluster = cg::this_cluster();
        for (unsigned block = threadIdx.x; block < cluster.num_blocks(); block += blockDim.x)
            *cluster.map_shared_rank(&values[slot][cluster.block_rank()], block) = value;
    }
    __device__ unsigned any(int slot) const
    {
        unsigned all = 0;
        for (unsigned block = 0; block < cg::this_cluster().num_blocks(); block++) all |= values[slot][block];
        return all;
    }
    __device__ unsigned least(int slot) const
    {
        unsigned least = 0xffffffff;
        for (unsigned block = 0; block < cg::this_cluster().num_blocks(); block++)
            least = min(least, values[slot][block]);
        return least;
    }
};
