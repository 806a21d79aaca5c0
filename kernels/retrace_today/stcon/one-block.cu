// stcon/one-block: the length of a shortest path between two vertices of a deep graph, in one launch of one block.
//
// Report   none; ours. As bsp-suite's, two breadth-first searches, red from the source and green from the target,
//          which follows arcs backwards.
// Mapping  as bfs/one-block: a round is a level of both searches. An entry of the queue has the colour of its search;
//          the red and the green bit of a vertex are in one word, so that of two searches that reach it, one is told.
// End      with the round in which they meet, or as soon as one of them has found nothing.
// Length   of searches that meet in round r, counted from 1: 2r, or one less if an arc leads from a red vertex of the
//          round before to a green one. To know which, the bits that this round has set are taken back, and its arcs
//          are looked at once more. So nothing but the bits is kept.
// Path     if it is wanted, whoever finds a vertex stores from where: what is before a red one, or after a green one.
//          Whoever finds a vertex that the other search has found stores the arc that joins both.

#include "../one-block/rounds.cuh"
#include "../../unreachable.h"

constexpr unsigned GREEN = 1u << 31;  // in an entry, beside the vertex

// What is before a red vertex, and after a green one; and an arc that joins both searches, its tail in the upper half.
// Of several that write the arc, any is right.
struct Path {
    int *toward_end;
    unsigned long long *joint;

    // An entry's search has come to a head, which is the tail of the arc if it is green.
    __device__ void join(unsigned entry, unsigned head) const
    {
        const unsigned own = entry & ~GREEN;
        *joint = entry & GREEN ? (unsigned long long)(head) << 32 | own : (unsigned long long)(own) << 32 | head;
    }
};

template <int SLOTS, bool IN_SHARED, bool PATH>
__device__ void search(unsigned vertices, const unsigned *forward, const unsigned *backward, unsigned source,
                       unsigned target, unsigned room, unsigned *bits, unsigned *queues, unsigned long long *answer,
                       Path path)
{
    using Arcs = Records<SLOTS, 1>;
    using Own = typename Arcs::Own;
    using Visited = Bits<2, IN_SHARED>;
    struct Vertex {
        bool has;
        unsigned entry;
        Own arcs;
    };
    __shared__ Length lengths[3];
    __shared__ unsigned found[3][2];  // whether red has found what is in the queue of that length, and green
    __shared__ unsigned met[2];       // whether in this round, and in the last
    __shared__ unsigned joined;
    const unsigned words = Visited::count_words(vertices);
    const Visited visited{IN_SHARED ? shared_memory : bits};
    unsigned *const here = shared_memory + (IN_SHARED ? words : 0);
    Queue now{here, queues, room}, next{here + room + 1, queues + 2 * vertices, room};

    for (unsigned word = threadIdx.x; word < words; word += blockDim.x) visited.words[word] = 0;
    if (threadIdx.x < 3) {
        lengths[threadIdx.x].count() = threadIdx.x == 0 ? 2 : 0;
        found[threadIdx.x][0] = found[threadIdx.x][1] = threadIdx.x == 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        met[0] = joined = 0;
        met[1] = source == target;
        now.set(0, source);
        now.set(1, target | GREEN);
        visited.word(source) = Visited::bit(source, 0);
        visited.word(target) |= Visited::bit(target, 1);
    }
    __syncthreads();

    const auto arcs_of = [&](unsigned entry) { return Arcs{entry & GREEN ? backward : forward}; };
    const auto bit_of = [](unsigned head, unsigned colour) { return Visited::bit(head, colour / GREEN); };
    // Calls use(entry, share, is_arc) for the arcs of a round.
    const auto for_each_arc = [&](Queue queue, unsigned length, auto use) {
        for_each_entry<Arcs::SHARES>(
            length,
            [&](unsigned i) {
                Vertex vertex{i < length, 0, {}};
                if (!vertex.has) return vertex;
                vertex.entry = queue[i];
                vertex.arcs = arcs_of(vertex.entry).load(vertex.entry & ~GREEN);
                return vertex;
            },
            [] {},
            [&](const Vertex &vertex) {
                const auto use_share = [&](const Own &arcs, const bool(&is_arc)[SLOTS]) {
                    use(vertex.entry, arcs, is_arc);
                };
                arcs_of(vertex.entry).for_each_arc(vertex.has, vertex.arcs, use_share);
            });
    };

    unsigned round = 0, length;
    bool meet;
    for (;; round++) {
        length = lengths[round % 3].count();
        meet = met[~round & 1];
        if (meet || !found[round % 3][0] || !found[round % 3][1]) break;
        Length &next_length = lengths[(round + 1) % 3];
        unsigned *const next_found = found[(round + 1) % 3];
        if (threadIdx.x == 0) {
            lengths[(round + 2) % 3].count() = 0;
            found[(round + 2) % 3][0] = found[(round + 2) % 3][1] = 0;
        }
        for_each_arc(now, length, [&](unsigned entry, const Own &arcs, const bool(&is_arc)[SLOTS]) {
            const unsigned colour = entry & GREEN;
            unsigned before[SLOTS], heads[SLOTS];
            bool is_new[SLOTS], any = false, meets = false;
#pragma unroll
            for (int slot = 0; slot < SLOTS; slot++)
                before[slot] = visited.set_if(is_arc[slot], arcs.head(slot), bit_of(arcs.head(slot), colour));
#pragma unroll
            for (int slot = 0; slot < SLOTS; slot++) {
                const unsigned head = arcs.head(slot);
                is_new[slot] = is_arc[slot] && !(before[slot] & bit_of(head, colour));
                heads[slot] = head | colour;
                any |= is_new[slot];
                const bool by_both = is_new[slot] && before[slot] & bit_of(head, colour ^ GREEN);
                meets |= by_both;
                if (PATH && by_both) path.join(entry, head);
                if (PATH && is_new[slot] && !by_both) path.toward_end[head] = int(entry & ~GREEN);
            }
            if (any) next_found[colour / GREEN] = 1;
            if (meets) met[round & 1] = 1;
            next.add(next_length, is_new, heads);
        });
        __syncthreads();
        const Queue last = now;
        now = next;
        next = last;
    }

    if (meet && round > 0) {
        for (unsigned i = threadIdx.x; i < length; i += blockDim.x) {
            const unsigned entry = now[i], v = entry & ~GREEN;
            atomicAnd(&visited.word(v), ~bit_of(v, entry & GREEN));
        }
        __syncthreads();
        const unsigned last_length = lengths[(round + 2) % 3].count();
        for_each_arc(next, last_length, [&](unsigned entry, const Own &arcs, const bool(&is_arc)[SLOTS]) {
            const unsigned other = ~entry & GREEN;
#pragma unroll
            for (int slot = 0; slot < SLOTS; slot++) {
                const unsigned head = arcs.head(slot);
                if (!is_arc[slot] || !(visited.word(head) & bit_of(head, other))) continue;
                joined = 1;
                if (PATH) path.join(entry, head);
            }
        });
        __syncthreads();
    }
    const unsigned distance = meet ? 2 * round - joined : UNREACHABLE;
    if (threadIdx.x == 0) *answer = (unsigned long long)(round + 1) << 32 | distance;  // at once, as the host waits
}

// `shared`: the bits are in shared memory, before the queues' `room` entries each. `queues` has four entries for each
// vertex. The answer is the length, with the number of rounds and one in the upper half.
#define KERNEL(NAME, SLOTS, IN_SHARED, PATH)                                                                          \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                             \
        NAME(int vertices, const unsigned *forward, const unsigned *backward, int source, int target, int room,       \
             unsigned *bits, unsigned *queues, unsigned long long *answer, int *toward_end,                           \
             unsigned long long *joint)                                                                               \
    {                                                                                                                 \
        search<SLOTS, IN_SHARED, PATH>(unsigned(vertices), forward, backward, unsigned(source), unsigned(target),     \
                                       unsigned(room), bits, queues, answer, {toward_end, joint});                    \
    }
#define KERNELS(LANES, SLOTS)                                                                                         \
    KERNEL(one_block_stcon_shared_##LANES, SLOTS, true, false)                                                        \
    KERNEL(one_block_stcon_global_##LANES, SLOTS, false, false)                                                       \
    KERNEL(one_block_stcon_path_shared_##LANES, SLOTS, true, true)                                                    \
    KERNEL(one_block_stcon_path_global_##LANES, SLOTS, false, true)
KERNELS(1, 4)
KERNELS(2, 2)
KERNELS(4, 1)
