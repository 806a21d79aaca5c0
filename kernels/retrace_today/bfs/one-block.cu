// bfs/one-block: breadth-first search of a deep graph in one launch of one block, for GPUs without clusters.
//
// Report   none; ours.
// Mapping  a round is a level. An entry of its queue is a vertex, whose record of four arcs one, two or four lanes
//          share; a head whose bit of `visited` was not set enters the queue of the next round. Bits are in shared
//          memory if they fit, and so are the first entries of both queues.
// Chain    of a round: its length and the entry; the record, from L2; an atomic OR with an answer; a counter, once a
//          warp; the barrier. A level is stored after all that, and nobody waits for it.
// Trick    three counters take turns, so that a round needs one barrier: one is read, one counts the next round's
//          entries, and one is set to 0. Nothing is filled before the search: the bits tell afterwards what it has not
//          visited.
// Tree     whoever sets a vertex's bit stores its predecessor: of several threads, one does.

#include "../one-block/rounds.cuh"
#include "../../unreachable.h"

template <int SLOTS, bool IN_SHARED, bool TREE>
__device__ void search(unsigned vertices, const unsigned *packed, unsigned source, unsigned room, unsigned *bits,
                       unsigned *queues, int *level, int *predecessor, int *count)
{
    using Arcs = Records<SLOTS, 1>;
    using Own = typename Arcs::Own;
    using Visited = Bits<1, IN_SHARED>;
    struct Entry {
        bool has;
        unsigned vertex;
        Own arcs;
    };
    __shared__ Length lengths[3];
    const Arcs records{packed};
    const unsigned words = Visited::count_words(vertices);
    const Visited visited{IN_SHARED ? shared_memory : bits};
    unsigned *const here = shared_memory + (IN_SHARED ? words : 0);
    Queue now{here, queues, room}, next{here + room + 1, queues + vertices, room};

    for (unsigned word = threadIdx.x; word < words; word += blockDim.x) visited.words[word] = 0;
    if (threadIdx.x < 3) lengths[threadIdx.x].count() = threadIdx.x == 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        visited.word(source) = Visited::bit(source);
        now.set(0, source);
        if (TREE) predecessor[source] = -1;
    }
    __syncthreads();

    int round = 0;
    for (;; round++) {
        const unsigned length = lengths[round % 3].count();
        if (length == 0) break;
        Length &next_length = lengths[(round + 1) % 3];
        if (threadIdx.x == 0) lengths[(round + 2) % 3].count() = 0;
        for_each_entry<Arcs::SHARES>(
            length,
            [&](unsigned i) {
                Entry entry{i < length, 0, {}};
                if (!entry.has) return entry;
                entry.vertex = now[i];
                entry.arcs = records.load(entry.vertex);
                return entry;
            },
            [] {},
            [&](const Entry &entry) {
                records.for_each_arc(entry.has, entry.arcs, [&](const Own &arcs, const bool(&is_arc)[SLOTS]) {
                    unsigned before[SLOTS];
                    bool found[SLOTS];
#pragma unroll
                    for (int slot = 0; slot < SLOTS; slot++)
                        before[slot] = visited.set_if(is_arc[slot], arcs.head(slot), Visited::bit(arcs.head(slot)));
#pragma unroll
                    for (int slot = 0; slot < SLOTS; slot++) {
                        found[slot] = is_arc[slot] && !(before[slot] & Visited::bit(arcs.head(slot)));
                        if (TREE && found[slot]) predecessor[arcs.head(slot)] = int(entry.vertex);
                    }
                    next.add(next_length, found, arcs.words);
                });
                if (entry.has && threadIdx.x % Arcs::SHARES == 0) level[entry.vertex] = round;
            });
        __syncthreads();
        const Queue before = now;
        now = next;
        next = before;
    }

    if (threadIdx.x == 0) *count = round;
    for (unsigned word = threadIdx.x; word < words; word += blockDim.x)
        for (unsigned left = ~visited.words[word]; left; left &= left - 1) {
            const unsigned v = Visited::vertex(word, __ffs(left) - 1);
            if (v >= vertices) break;
            level[v] = UNREACHABLE;
            if (TREE) predecessor[v] = -1;
        }
}

// `shared`: the bits are in shared memory, before the queues' `room` entries each. `queues` has two entries for each
// vertex.
#define KERNEL(NAME, SLOTS, IN_SHARED, TREE)                                                                          \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                             \
        NAME(int vertices, const unsigned *records, int source, int room, unsigned *bits, unsigned *queues,           \
             int *level, int *predecessor, int *count)                                                                \
    {                                                                                                                 \
        search<SLOTS, IN_SHARED, TREE>(unsigned(vertices), records, unsigned(source), unsigned(room), bits, queues,   \
                                       level, predecessor, count);                                                    \
    }
#define KERNELS(LANES, SLOTS)                                                                                         \
    KERNEL(one_block_bfs_shared_##LANES, SLOTS, true, false)                                                          \
    KERNEL(one_block_bfs_global_##LANES, SLOTS, false, false)                                                         \
    KERNEL(one_block_bfs_tree_shared_##LANES, SLOTS, true, true)                                                      \
    KERNEL(one_block_bfs_tree_global_##LANES, SLOTS, false, true)
KERNELS(1, 4)
KERNELS(2, 2)
KERNELS(4, 1)
