// sssp/cluster: shortest paths in a deep graph, in one launch of one thread-block cluster, near vertices first.
//
// Report   none; ours. Near and far: A. Davidson, S. Baxter, M. Garland and J. D. Owens, "Work-efficient parallel GPU
//          methods for single-source shortest paths", IPDPS 2014; a bucket is `delta` wide, as in Delta-stepping.
// Mapping  as bfs/cluster: a block has a part of the vertices, a thread up to WORDS words of 32 of them. A bit says
//          that a vertex's distance may have fallen; its owner alone decides whether it has, by comparing `distance`
//          with `relaxed`, what it was when its arcs were last relaxed.
//            round  relax the arcs of the own near vertices whose distance has fallen; pass the block's barrier
//            step   up to `rounds` rounds, then the cluster's barrier, after which blocks see what others sent
//            bucket steps until no block relaxes anything; then `near_below` rises to the nearest far vertex plus delta
// Trick    an arc into another part is two atomics without an answer, the minimum and the bit. Sending a distance that
//          is too long costs the owner a look, so there are no queues, no messages and nothing that can overflow.
//          Blocks tell each other whether they were active between arriving at the barrier and waiting there, and
//          read it one step later, so that nobody waits for it.

#include "../cluster/parts.cuh"

constexpr unsigned INFINITE = 2147483647;
constexpr unsigned LINK = LongRecords::LINK;

// Four arcs: each head with its weight.
struct WeightedRecord {
    uint4 first, second;
};

struct Fallen {
    bool near;
    unsigned distance;
    WeightedRecord arcs;
};

// Distances of all parts: in each block's shared memory, or in global memory, part after part.
template <bool SHARED> struct Distances {
    unsigned *own;  // of this part
    int positions;
    unsigned here;

    __device__ unsigned operator[](unsigned position) const { return *(volatile unsigned *)(own + position); }
    __device__ void lower(unsigned part, unsigned position, unsigned distance) const
    {
        if constexpr (SHARED)
            min_in_block(own + position, distance, part);
        else
            atomicMin(own + (int(part) - int(here)) * positions + int(position), distance);
    }
};

template <int WORDS, bool SHARED>
__device__ void search(int words, const int *first_record, const uint4 *records, unsigned source, unsigned delta,
                       int rounds, const int *vertex_at, unsigned *state, int *answer, int *counts)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned here = cluster.block_rank();
    const int first = threadIdx.x, threads = blockDim.x, positions = 32 * words;
    unsigned *const sent = shared_memory, *const kept = sent + 2 * words;
    unsigned *const own = SHARED ? kept + 2 * words : state + here * positions;
    unsigned *const relaxed = SHARED ? own + positions : state + (cluster.num_blocks() + here) * positions;
    const Distances<SHARED> distance{own, positions, here};
    const uint4 *const arcs = records + 2ll * first_record[here];
    __shared__ unsigned told[3][MOST_BLOCKS], told_nearest[1][MOST_BLOCKS], nearest_here;
    const Board activity{told}, nearest_of_blocks{told_nearest};

    for (int word = first; word < 4 * words; word += threads) sent[word] = 0;
    for (int i = first; i < positions; i += threads) own[i] = relaxed[i] = INFINITE;
    activity.fill(3, 0);
    nearest_of_blocks.fill(1, INFINITE);
    __syncthreads();
    if (first == 0 && part_of(source) == here) {
        own[position_of(source)] = 0;
        kept[position_of(source) >> 5] = 1u << (source & 31);
    }
    cluster.sync();

    const auto load = [&](unsigned record) {
        return WeightedRecord{__ldg(arcs + 2 * record), __ldg(arcs + 2 * record + 1)};
    };
    Bits<WORDS> far = {};
    unsigned near_below = delta;
    int steps = 0, buckets = 1, steps_of_bucket = 0, turn = 0, row = 0;
    for (;; steps++) {
        bool active = false;
        for (int round = 0; round < rounds; round++) {
            Bits<WORDS> left;
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                const int word = first + k * threads;
                unsigned &bits = left.words[k] = 0;
                if (word >= words) continue;
                unsigned *const mine = kept + turn * words + word, *const others = sent + (steps & 1) * words + word;
                if ((bits = *mine)) *mine = 0;
                if (round) continue;
                if (const unsigned by_others = *others) {
                    *others = 0;
                    bits |= by_others;
                }
                if (!steps_of_bucket) {
                    bits |= far.words[k];
                    far.words[k] = 0;
                }
            }
            turn ^= 1;
            unsigned *const kept_next = kept + turn * words, *const sent_next = sent + (~steps & 1) * words;
            const auto relax = [&](unsigned head, unsigned through) {
                const unsigned part = part_of(head), position = position_of(head);
                const bool elsewhere = part != here;
                if (!elsewhere && through >= distance[position]) return;
                distance.lower(part, position, through);
                Marks{elsewhere ? sent_next : kept_next}.set(part, position);
            };
            bool any = false;
            left.for_each(
                [&](int bit, int k) {
                    const int position = 32 * (first + k * threads) + bit;
                    const unsigned now = distance[position];
                    Fallen vertex{now < near_below, now, {}};
                    if (now >= relaxed[position])
                        vertex.near = false;
                    else if (vertex.near) {
                        relaxed[position] = now;
                        vertex.arcs = load(position);
                    } else
                        far.put(bit, k);
                    return vertex;
                },
                [&](const Fallen &vertex) {
                    if (!vertex.near) return;
                    any = true;
                    for (WeightedRecord record = vertex.arcs;;) {
                        const uint4 a = record.first, b = record.second;
                        relax(a.x, vertex.distance + a.y);
                        relax(a.z, vertex.distance + a.w);
                        relax(b.x, vertex.distance + b.y);
                        if (!(b.z & LINK)) return relax(b.z, vertex.distance + b.w);
                        record = load(b.z & (LINK - 1));
                    }
                });
            if (!__syncthreads_or(any)) break;
            active = true;
        }
        cluster.barrier_arrive();
        activity.tell(row, active);
        cluster.barrier_wait();
        const int before = row == 0 ? 2 : row - 1;
        row = row == 2 ? 0 : row + 1;
        if (steps_of_bucket++ == 0 || activity.any(before)) continue;

        // No block was active in the step before, so none is now: only far vertices are left.
        unsigned nearest = INFINITE;
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            for (unsigned left = far.words[k]; left; left &= left - 1) {
                const int position = 32 * (first + k * threads) + __ffs(left) - 1;
                if (distance[position] < relaxed[position]) nearest = min(nearest, distance[position]);
            }
        if (first == 0) nearest_here = INFINITE;
        __syncthreads();
        if (nearest < INFINITE) atomicMin(&nearest_here, nearest);
        __syncthreads();
        nearest_of_blocks.tell(0, nearest_here);
        cluster.sync();
        nearest = nearest_of_blocks.least(0);
        if (nearest == INFINITE) break;
        near_below = nearest + delta;
        steps_of_bucket = 0;
        buckets++;
    }

    if (here == 0 && first == 0) {
        counts[0] = steps + 1;
        counts[1] = buckets;
    }
    for (int i = first; i < positions; i += threads)
        if (vertex_at[i + here * positions] >= 0) answer[vertex_at[i + here * positions]] = int(distance[i]);
}

// `state`: distances are in shared memory, beside the marks; `marks`: they are in global memory.
#define KERNEL(KEPT, WORDS, SHARED)                                                                                   \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                            \
        cluster_sssp_##KEPT##_##WORDS(int words, const int *first_record, const uint4 *records, unsigned source,     \
                                      unsigned delta, int rounds, const int *vertex_at, unsigned *state, int *answer, \
                                      int *counts)                                                                   \
    {                                                                                                                \
        search<WORDS, SHARED>(words, first_record, records, source, delta, rounds, vertex_at, state, answer, counts); \
    }
#define KERNELS(WORDS)                                                                                                \
    KERNEL(state, WORDS, true)                                                                                        \
    KERNEL(marks, WORDS, false)
KERNELS(1)
KERNELS(2)
KERNELS(4)
KERNELS(16)
