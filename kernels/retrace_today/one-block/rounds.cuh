// What searches in one block share: bits of vertices, records of arcs, and the queue of a round.
//
// Why      in a deep graph a round has some hundred vertices, and what counts is its chain of dependent steps. Of all
//          barriers, that of a block costs least. One block in an ordinary launch runs on any GPU, as it needs neither
//          thread-block clusters nor a cooperative launch. What a round waits for is in shared memory, if it fits.
// Records  of four slots, as ../cluster/pack-arcs.cu packs them: record v has the first arcs of vertex v. If v
//          has more, the last slot is a link, marked by bit 27, to a record where the list goes on. Slots that are left
//          over repeat an arc. 4 / SLOTS lanes share a record.
// Places   vertices keep their numbers: in a road graph neighbours have similar ones, and a line of the cache serves
//          several. Their bits are in different words, so that atomics on them do not wait for each other.
// Atomics  on shared memory take less time than a branch around them. So all lanes of a warp run them, each on a word
//          that no other lane needs: those that have nothing to add, add nothing.

#pragma once

constexpr unsigned ALL_LANES = 0xffffffff, LANES = 32;
constexpr unsigned LINK = 1u << 27;

extern __shared__ __align__(16) unsigned shared_memory[];

inline __device__ unsigned lane_number() { return threadIdx.x % LANES; }

// Bits of vertices, PER_VERTEX for each, in one word: tiles of 32 words, in which neighbours have different ones.
template <int PER_VERTEX, bool IN_SHARED> struct Bits {
    static constexpr unsigned VERTICES = 32 / PER_VERTEX;  // of a word
    unsigned *words;

    static __device__ unsigned count_words(unsigned vertices)
    {
        return (vertices + 32 * VERTICES - 1) / (32 * VERTICES) * 32;
    }
    static __device__ unsigned vertex(unsigned word, unsigned bit)
    {
        return (word & ~31u) * VERTICES + bit * 32 + (word & 31);
    }
    // A vertex's bit in its word: the first, or the one that is asked for.
    static __device__ unsigned bit(unsigned v, unsigned which = 0)
    {
        return 1u << which * VERTICES << v / 32 % VERTICES;
    }
    __device__ unsigned &word(unsigned v) const { return words[(v / VERTICES & ~31u) | (v & 31)]; }
    // Sets some bits of a vertex's word, if `has`; returns what the word was.
    __device__ unsigned set_if(bool has, unsigned v, unsigned bits) const
    {
        if constexpr (IN_SHARED)
            return atomicOr(&word(has ? v : lane_number()), has ? bits : 0);
        else
            return has ? atomicOr(&word(v), bits) : 0;
    }
};

// This lane's share of a record: of SLOTS slots, PER_SLOT words each, the head of an arc and perhaps its weight.
template <int SLOTS, int PER_SLOT> struct Share {
    unsigned words[SLOTS * PER_SLOT];

    __device__ unsigned head(int slot) const { return words[slot * PER_SLOT]; }
    __device__ unsigned weight(int slot) const { return words[slot * PER_SLOT + 1]; }
};

template <int SLOTS, int PER_SLOT> struct Records {
    using Own = Share<SLOTS, PER_SLOT>;
    static constexpr unsigned SHARES = 4 / SLOTS;
    const unsigned *records;

    __device__ Own load(unsigned record) const
    {
        constexpr int WORDS = SLOTS * PER_SLOT;
        const unsigned *const from = records + 4ll * PER_SLOT * record + WORDS * (threadIdx.x % SHARES);
        Own share;
        if constexpr (WORDS == 1) {
            share.words[0] = __ldg(from);
        } else if constexpr (WORDS == 2) {
            const uint2 two = __ldg(reinterpret_cast<const uint2 *>(from));
            share.words[0] = two.x;
            share.words[1] = two.y;
        } else {
#pragma unroll
            for (int k = 0; k < WORDS; k += 4) {
                const uint4 four = __ldg(reinterpret_cast<const uint4 *>(from + k));
                share.words[k] = four.x;
                share.words[k + 1] = four.y;
                share.words[k + 2] = four.z;
                share.words[k + 3] = four.w;
            }
        }
        return share;
    }

    // Calls use(share, is_arc) for a share that was loaded, if the lane has one, and for those of the records that
    // follow; is_arc tells which slots have an arc. All lanes of a warp call both together.
    template <typename Use> __device__ void for_each_arc(bool has, Own share, Use use) const
    {
        for (;;) {
            unsigned last = share.head(SLOTS - 1);
            const bool is_link = last & LINK;
            if (SHARES > 1) last = __shfl_sync(ALL_LANES, last, lane_number() | (SHARES - 1));
            const bool goes_on = has && last & LINK;
            bool is_arc[SLOTS];
#pragma unroll
            for (int slot = 0; slot < SLOTS; slot++) is_arc[slot] = has && !(slot == SLOTS - 1 && is_link);
            use(share, is_arc);
            if (!__any_sync(ALL_LANES, goes_on)) break;
            has = goes_on;
            if (goes_on) share = load(last & (LINK - 1));
        }
    }
};

// The length of a queue, in shared memory: the sum of the first lanes.
struct Length {
    unsigned sums[LANES];

    __device__ unsigned &count() { return sums[0]; }
    // Adds a number once, and returns the count before. All lanes of a warp call it together.
    __device__ unsigned add(unsigned number)
    {
        const unsigned before = atomicAdd(&sums[lane_number()], lane_number() == 0 ? number : 0);
        return __shfl_sync(ALL_LANES, before, 0);
    }
};

// A queue, whose first entries are in shared memory and all others in global memory.
struct Queue {
    unsigned *here, *beyond;
    unsigned room;  // for entries in shared memory; one place more is there

    __device__ unsigned operator[](unsigned i) const
    {
        unsigned entry = here[min(i, room)];
        if (i >= room) entry = beyond[i];
        return entry;
    }
    __device__ void set(unsigned i, unsigned entry) const
    {
        if (i < room)
            here[i] = entry;
        else
            beyond[i] = entry;
    }
    // Adds the chosen ones of each lane's entries. All lanes of a warp call it together.
    template <int SLOTS>
    __device__ void add(Length &length, const bool (&chosen)[SLOTS], const unsigned (&entry)[SLOTS]) const
    {
        unsigned place[SLOTS], total = 0;
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++) {
            const unsigned votes = __ballot_sync(ALL_LANES, chosen[slot]);
            place[slot] = total + __popc(votes & ((1u << lane_number()) - 1));
            total += __popc(votes);
        }
        if (total == 0) return;
        const unsigned first = length.add(total);
        if (first + total <= room) {
#pragma unroll
            for (int slot = 0; slot < SLOTS; slot++)
                if (chosen[slot]) here[first + place[slot]] = entry[slot];
        } else {
#pragma unroll
            for (int slot = 0; slot < SLOTS; slot++)
                if (chosen[slot]) set(first + place[slot], entry[slot]);
        }
    }
};

// Shares a round's entries out, one to every SHARES lanes: calls use(fetch(i)), and fetches the next one before. All
// threads call ready() after their first fetch, for which i may be no entry's; all lanes of a warp call use together.
template <unsigned SHARES, typename Fetch, typename Ready, typename Use>
__device__ void for_each_entry(unsigned length, Fetch fetch, Ready ready, Use use)
{
    const unsigned step = blockDim.x / SHARES;
    unsigned first = threadIdx.x / LANES * (LANES / SHARES), i = threadIdx.x / SHARES;  // the warp's, and one's own
    auto next = fetch(i);
    ready();
    while (first < length) {
        const auto entry = next;
        first += step;
        i += step;
        if (first < length) next = fetch(i);
        use(entry);
    }
}
