// sssp/one-block: shortest paths in a deep graph, in one launch of one block, near vertices first.
//
// Report   none; ours. Near and far: A. Davidson, S. Baxter, M. Garland and J. D. Owens, "Work-efficient parallel GPU
//          methods for single-source shortest paths", IPDPS 2014.
// Mapping  a step of the block is one of two. Its vertices are those of a queue, near ones.
//            relax    an entry is a vertex, whose record of four arcs one, two or four lanes share. A head whose
//                     distance falls is near if it is below `limit`, and enters the queue of the next step.
//            collect  if no more than `few` are near, the limit rises to the least far distance plus `delta`, and far
//                     vertices below it become near, beside those that are.
// Chain    of a relaxing step: the entry; its record and distance, from L2; the heads' distances, from L2; an atomic
//          OR; a counter, once a warp; the barrier. No atomic on a distance is waited for: whether it falls follows
//          from the distance read before.
// Queue    a bit keeps a vertex from being queued twice. All bits of a step's vertices are cleared before any distance
//          falls: a barrier for that lies where everybody waits for records anyway.
// Far      vertices enter the far pile when they are first reached, and stay in it until they are below the limit. So
//          it needs no bit: one whose distance was finite and not below the limit is in the pile. Of a vertex that
//          several arcs reach in the same step, it may have several entries, one for each arc at most.
// Few      a frontier of fewer vertices than threads costs no less time, so that the limit may rise early.

#include "../one-block/rounds.cuh"
#include "../../unreachable.h"

template <int SLOTS, bool IN_SHARED>
__device__ void search(unsigned vertices, const unsigned *packed, unsigned source, unsigned delta, unsigned few,
                       unsigned room, unsigned *bits, unsigned *queues, unsigned *piles, unsigned pile_entries,
                       unsigned *distance, int *counts)
{
    using Arcs = Records<SLOTS, 2>;
    using Own = typename Arcs::Own;
    using Queued = Bits<1, IN_SHARED>;
    struct Vertex {
        bool has;
        unsigned number, distance;
        Own arcs;
    };
    __shared__ Length near_lengths[3], far_lengths[3];
    __shared__ unsigned nearest_far[3];  // the least distance in the pile, or what it was before it fell
    const Arcs records{packed};
    const unsigned words = Queued::count_words(vertices);
    const Queued queued{IN_SHARED ? shared_memory : bits};
    unsigned *const here = shared_memory + (IN_SHARED ? words : 0);
    Queue now{here, queues, room}, next{here + (room + 1), queues + vertices, room};
    Queue pile{here + 2 * (room + 1), piles, room}, kept{here + 3 * (room + 1), piles + pile_entries, room};

    for (unsigned word = threadIdx.x; word < words; word += blockDim.x) queued.words[word] = 0;
    for (unsigned v = threadIdx.x; v < vertices; v += blockDim.x) distance[v] = UNREACHABLE;
    if (threadIdx.x < 3) {
        near_lengths[threadIdx.x].count() = threadIdx.x == 0;
        far_lengths[threadIdx.x].count() = 0;
        nearest_far[threadIdx.x] = UNREACHABLE;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        distance[source] = 0;
        now.set(0, source);
    }
    __syncthreads();

    unsigned limit = delta, step = 0, collected = 0;
    for (;; step++) {
        const unsigned near = near_lengths[step % 3].count(), far = far_lengths[collected % 3].count();
        if (near == 0 && far == 0) break;
        Length &next_near = near_lengths[(step + 1) % 3];
        if (threadIdx.x == 0) near_lengths[(step + 2) % 3].count() = 0;
        unsigned nearest = UNREACHABLE;
        if (near > few || far == 0) {
            Length &pile_length = far_lengths[collected % 3];
            for_each_entry<Arcs::SHARES>(
                near,
                [&](unsigned i) {
                    Vertex vertex{i < near, 0, 0, {}};
                    if (!vertex.has) return vertex;
                    vertex.number = now[i];
                    vertex.arcs = records.load(vertex.number);
                    vertex.distance = distance[vertex.number];
                    return vertex;
                },
                [&] {
                    for (unsigned i = threadIdx.x; i < near; i += blockDim.x) {
                        const unsigned v = now[i];
                        atomicAnd(&queued.word(v), ~Queued::bit(v));
                    }
                    __syncthreads();
                },
                [&](const Vertex &vertex) {
                    records.for_each_arc(vertex.has, vertex.arcs, [&](const Own &arcs, const bool(&is_arc)[SLOTS]) {
                        unsigned head[SLOTS], known[SLOTS], through[SLOTS], before[SLOTS];
                        bool falls[SLOTS], is_near[SLOTS], is_far[SLOTS], reached_far = false;
#pragma unroll
                        for (int slot = 0; slot < SLOTS; slot++) {
                            head[slot] = is_arc[slot] ? arcs.head(slot) : vertex.number;
                            known[slot] = distance[head[slot]];
                        }
#pragma unroll
                        for (int slot = 0; slot < SLOTS; slot++) {
                            through[slot] = vertex.distance + arcs.weight(slot);
                            falls[slot] = is_arc[slot] && through[slot] < known[slot];
                            is_near[slot] = falls[slot] && through[slot] < limit;
                            before[slot] = queued.set_if(is_near[slot], head[slot], Queued::bit(head[slot]));
                        }
#pragma unroll
                        for (int slot = 0; slot < SLOTS; slot++) {
                            if (falls[slot]) atomicMin(&distance[head[slot]], through[slot]);
                            if (falls[slot] && !is_near[slot]) nearest = min(nearest, through[slot]);
                            is_far[slot] = falls[slot] && !is_near[slot] && known[slot] == UNREACHABLE;
                            is_near[slot] = is_near[slot] && !(before[slot] & Queued::bit(head[slot]));
                            reached_far |= is_far[slot];
                        }
                        next.add(next_near, is_near, head);
                        if (__any_sync(ALL_LANES, reached_far)) pile.add(pile_length, is_far, head);
                    });
                });
            if (nearest < UNREACHABLE) atomicMin(&nearest_far[collected % 3], nearest);
            __syncthreads();
        } else {
            const unsigned limit_before = limit;
            limit = nearest_far[collected % 3] + delta;
            collected++;
            Length &kept_length = far_lengths[collected % 3];
            if (threadIdx.x == 0) {
                far_lengths[(collected + 1) % 3].count() = 0;
                nearest_far[(collected + 1) % 3] = UNREACHABLE;
            }
            for (unsigned first = threadIdx.x / LANES * LANES; first < near + far; first += blockDim.x) {
                const unsigned i = first + lane_number();
                const bool was_near = i < near, was_far = !was_near && i < near + far;
                const unsigned v[] = {was_near ? now[i] : was_far ? pile[i - near] : 0};
                const unsigned own = was_far ? distance[v[0]] : 0;
                const bool stays[] = {was_far && own >= limit};
                // one below the limit before was near already
                const bool is_found = was_far && own < limit && own >= limit_before;
                const unsigned before = queued.set_if(is_found, v[0], Queued::bit(v[0]));
                const bool becomes_near[] = {was_near || (is_found && !(before & Queued::bit(v[0])))};
                if (stays[0]) nearest = min(nearest, own);
                next.add(next_near, becomes_near, v);
                kept.add(kept_length, stays, v);
            }
            if (nearest < UNREACHABLE) atomicMin(&nearest_far[collected % 3], nearest);
            __syncthreads();
            const Queue last = pile;
            pile = kept;
            kept = last;
        }
        const Queue last = now;
        now = next;
        next = last;
    }
    if (threadIdx.x == 0) {
        counts[0] = int(step);
        counts[1] = int(collected);
    }
}

// `shared`: the bits are in shared memory, before `room` entries of each of four queues. `queues` has two entries for
// each vertex, `piles` has two times `pile_entries`, which is one for each slot of a record.
#define KERNEL(NAME, SLOTS, IN_SHARED)                                                                                \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                             \
        NAME(int vertices, const unsigned *records, int source, int delta, int few, int room, unsigned *bits,         \
             unsigned *queues, unsigned *piles, int pile_entries, unsigned *distance, int *counts)                    \
    {                                                                                                                 \
        search<SLOTS, IN_SHARED>(unsigned(vertices), records, unsigned(source), unsigned(delta), unsigned(few),       \
                                 unsigned(room), bits, queues, piles, unsigned(pile_entries), distance, counts);      \
    }
#define KERNELS(LANES, SLOTS)                                                                                         \
    KERNEL(one_block_sssp_shared_##LANES, SLOTS, true)                                                                \
    KERNEL(one_block_sssp_global_##LANES, SLOTS, false)
KERNELS(1, 4)
KERNELS(2, 2)
KERNELS(4, 1)
