// What searches inside one thread-block cluster share: places of vertices, records of arcs, and how blocks agree.
//
// The graph is cut into as many parts as the cluster has blocks (pack-arcs.cu). A block keeps the
// state of its part in shared memory. "Look at vertex v next" is a bit in the shared memory of v's owner, which any
// block sets by an atomic OR that nobody waits for: there are no queues, so none overflows, and no counters.
//
// An arc is followed without a test: the owner's block and one's own are addressed alike, slots that are left over
// repeat an arc, and only a record's last slot may hold a link instead. Tests of each head made up most of a round.

#pragma once

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int MOST_BLOCKS = 16;

extern __shared__ __align__(16) unsigned shared_memory[];

// A place has the part above `shift` bits, and the position below.
constexpr int PART_SHIFT = 28;
inline __device__ unsigned part_of(unsigned place, int shift = PART_SHIFT) { return place >> shift; }
inline __device__ unsigned position_of(unsigned place, int shift = PART_SHIFT) { return place & ((1u << shift) - 1); }

// Atomics without an answer on a word in the shared memory of a block of the cluster, perhaps of one's own. In C++ the
// compiler takes them for atomics on any memory, which it has to tell apart first. Those with a condition are not
// branched around, which takes longer than they do.
#ifdef CUDA_ON_CPU
inline __device__ void or_in_block(unsigned *word, unsigned bits, unsigned block)
{
    atomicOr(cg::this_cluster().map_shared_rank(word, block), bits);
}
inline __device__ void or_in_block_if(bool condition, unsigned *word, unsigned bits, unsigned block)
{
    if (condition) or_in_block(word, bits, block);
}
inline __device__ void min_in_block_if(bool condition, unsigned *word, unsigned value, unsigned block)
{
    if (condition) atomicMin(cg::this_cluster().map_shared_rank(word, block), value);
}
#else
inline __device__ unsigned address_in_block(unsigned *word, unsigned block)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(unsigned(__cvta_generic_to_shared(word))), "r"(block));
    return there;
}
inline __device__ void or_in_block(unsigned *word, unsigned bits, unsigned block)
{
    asm volatile("red.relaxed.cluster.shared::cluster.or.b32 [%0], %1;" ::"r"(address_in_block(word, block)), "r"(bits)
                 : "memory");
}
inline __device__ void or_in_block_if(bool condition, unsigned *word, unsigned bits, unsigned block)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0;"
                 "@p red.relaxed.cluster.shared::cluster.or.b32 [%1], %2; }" ::"r"(unsigned(condition)),
                 "r"(address_in_block(word, block)), "r"(bits)
                 : "memory");
}
inline __device__ void min_in_block_if(bool condition, unsigned *word, unsigned value, unsigned block)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0;"
                 "@p red.relaxed.cluster.shared::cluster.min.u32 [%1], %2; }" ::"r"(unsigned(condition)),
                 "r"(address_in_block(word, block)), "r"(value)
                 : "memory");
}
#endif

// Bits that stand for vertices: an array of words in each block's shared memory, at the same address.
struct Marks {
    unsigned *words;

    __device__ void set(unsigned part, unsigned position) const
    {
        or_in_block(words + (position >> 5), 1u << (position & 31), part);
    }
    __device__ void set_if(bool condition, unsigned part, unsigned position) const
    {
        or_in_block_if(condition, words + (position >> 5), 1u << (position & 31), part);
    }
};

// Records in global memory, of four places; a link is marked by bit 27.
struct LongRecords {
    using Record = uint4;
    static constexpr int SLOTS = 4;
    static constexpr unsigned LINK = 1u << 27;
    const uint4 *records;  // of this block's part

    __device__ Record load(unsigned record) const { return __ldg(records + record); }
    // Tells the heads of one record, perhaps some of them twice; returns the record that follows it, 0 if none does.
    __device__ unsigned unpack(Record record, unsigned (&part)[SLOTS], unsigned (&position)[SLOTS]) const
    {
        const bool goes_on = record.w & LINK;
        const unsigned heads[] = {record.x, record.y, record.z, goes_on ? record.x : record.w};
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++) {
            part[slot] = part_of(heads[slot]);
            position[slot] = position_of(heads[slot]);
        }
        return goes_on ? record.w & (LINK - 1) : 0;
    }
    // Calls use(part, position) for each head, of the records that follow as well.
    template <typename Use> __device__ void for_each_head(Record record, Use use) const
    {
        const auto head = [&](unsigned place) { use(part_of(place), position_of(place)); };
        for (;;) {
            head(record.x);
            head(record.y);
            head(record.z);
            if (!(record.w & LINK)) break;
            record = load(record.w & (LINK - 1));
        }
        head(record.w);
    }
};

// Records in shared memory, of three places of 21 bits; a link is marked by bit 63.
struct ShortRecords {
    using Record = unsigned long long;
    static constexpr int SLOTS = 3, SHIFT = 17, BITS = 21;
    static constexpr unsigned LINK = 1u << BITS;  // in the last slot, which has 22 bits
    const Record *records;

    // Copies the records of a part; the caller passes a barrier before they are used.
    static __device__ ShortRecords copy(const Record *records, unsigned count, unsigned *to)
    {
        Record *const own = reinterpret_cast<Record *>(to);
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) own[i] = records[i];
        return {own};
    }
    __device__ Record load(unsigned record) const { return records[record]; }
    __device__ unsigned unpack(Record record, unsigned (&part)[SLOTS], unsigned (&position)[SLOTS]) const
    {
        const unsigned last = unsigned(record >> 2 * BITS);
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++) {
            const unsigned head = unsigned(record >> (slot == 2 && last & LINK ? 0 : slot * BITS)) & (LINK - 1);
            part[slot] = part_of(head, SHIFT);
            position[slot] = position_of(head, SHIFT);
        }
        return last & LINK ? last & (LINK - 1) : 0;
    }
    template <typename Use> __device__ void for_each_head(Record record, Use use) const
    {
        const auto head = [&](unsigned place) { use(part_of(place, SHIFT), position_of(place, SHIFT)); };
        for (;;) {
            head(unsigned(record) & (LINK - 1));
            head(unsigned(record >> BITS) & (LINK - 1));
            const unsigned last = unsigned(record >> 2 * BITS);
            if (!(last & LINK)) {
                head(last);
                return;
            }
            record = load(last & (LINK - 1));
        }
    }
};

// Marks all heads of a record, and of those that follow it.
template <typename Records>
inline __device__ void mark_heads(const Records &records, typename Records::Record record, Marks marks)
{
    records.for_each_head(record, [&](unsigned part, unsigned position) { marks.set(part, position); });
}

// The bits of a thread's words, `blockDim.x` apart, which it takes one by one.
template <int WORDS> struct Bits {
    unsigned words[WORDS];

    __device__ bool any() const
    {
        unsigned all = 0;
#pragma unroll
        for (int k = 0; k < WORDS; k++) all |= words[k];
        return all;
    }

    // Returns the number of the bit in its word, and of the word among the thread's; -1 if none is left. Only one word is
    // searched for its bit: a multiprocessor does so for 16 threads at a time, and all else for 64 or 128.
    __device__ int take(int &word)
    {
        unsigned first = 0;
#pragma unroll
        for (int k = WORDS - 1; k >= 0; k--)
            if (words[k]) {
                word = k;
                first = words[k];
            }
        const unsigned rest = first & (first - 1);
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            if (k == word) words[k] = rest;
        return __ffs(first) - 1;
    }
};

// What each block tells all others, once in a while. A value that is told in one round may be read after the next
// cluster barrier; `slots` rounds later its place is used again.
struct Board {
    unsigned (*values)[MOST_BLOCKS];  // in shared memory: a row a slot

    // Fills the rows with what blocks that do not exist tell; the caller passes a cluster barrier before any tells.
    __device__ void fill(int slots, unsigned value) const
    {
        for (int i = threadIdx.x; i < slots * MOST_BLOCKS; i += blockDim.x) values[i / MOST_BLOCKS][i % MOST_BLOCKS] = value;
    }
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
#pragma unroll
        for (int block = 0; block < MOST_BLOCKS; block++) all |= values[slot][block];
        return all;
    }
    // Called by a whole warp, whenever it likes: what other blocks have told it by now.
    __device__ bool all(int slot) const
    {
        const int block = threadIdx.x & 31;
        return __all_sync(0xffffffff, block >= MOST_BLOCKS || *(volatile unsigned *)&values[slot][block]);
    }
    __device__ unsigned least(int slot) const
    {
        unsigned least = values[slot][0];
#pragma unroll
        for (int block = 1; block < MOST_BLOCKS; block++) least = min(least, values[slot][block]);
        return least;
    }
    __device__ unsigned most(int slot) const
    {
        unsigned most = values[slot][0];
#pragma unroll
        for (int block = 1; block < MOST_BLOCKS; block++) most = max(most, values[slot][block]);
        return most;
    }
};
