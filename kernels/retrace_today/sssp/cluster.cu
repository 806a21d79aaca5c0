// sssp/cluster: shortest paths in a deep graph, in one launch of one thread-block cluster, near vertices first.
//
// Report   none; ours. Near and far: A. Davidson, S. Baxter, M. Garland and J. D. Owens, "Work-efficient parallel GPU
//          methods for single-source shortest paths", IPDPS 2014; a bucket is `delta` wide, as in Delta-stepping.
// Mapping  as bfs/cluster: a block has a part of the vertices, a thread up to WORDS words of 32 of them. A bit says
//          that a vertex's distance may have fallen; its owner alone decides whether it has, by comparing `distance`
//          with `relaxed`, what it was when its arcs were last relaxed.
//            bucket  look at all vertices: mark those whose distance has fallen, and find the least such distance;
//                    pass the cluster's barrier; if the least is not near, `near_below` rises to it plus `delta`
//            relax   each warp, on its own, looks for marks of its vertices and relaxes the arcs of those that are near
//            end     when all blocks seem quiet, pass the cluster's barrier, after which all that was sent is there
// Trick    between the barriers of a bucket no warp waits for another: a distance travels as fast as a warp finds the
//          mark and follows the arcs. An arc is two atomics without an answer, the minimum and the bit. A bit that
//          comes too early, or a distance that is too long, costs the owner a look; the next bucket's look finds what
//          was missed. So there are no queues, nothing overflows, and that all are quiet need only be a good guess.
//          Most of the time a warp has one vertex, so the number of instructions in a row decides: no branches around
//          the heads, and nothing is read that can be decided without.
// Contracted   with contracted=yes the graph that is searched has only the vertices at which paths may branch
//          (kernels/host/contraction.cpp), and two kernels find the distances of the others: `unfold` from those of the
//          two ends of a chain, `lower` of what the source reaches before either.

#include "../cluster/parts.cuh"
#include "../../unreachable.h"

constexpr unsigned ALL = 0xffffffff;
constexpr unsigned LINK = LongRecords::LINK;
constexpr int SLOTS = 4;
constexpr int AT_ONCE = 4;  // words that a warp looks at together
constexpr int MOST_WARPS = 32;

// A place to begin at, and its distance, UNREACHABLE for none.
struct Seed {
    unsigned place, distance;
};

// Returns the seed of a vertex, which is negative for none.
inline __device__ Seed seed_at(const unsigned *place, int vertex, unsigned distance)
{
    return {vertex < 0 ? 0 : place[vertex], distance};
}

// Four arcs: each head with its weight.
struct WeightedRecord {
    uint4 first, second;
};

// Distances of all parts: in each block's shared memory, or in global memory, part after part.
template <bool SHARED> struct Distances {
    unsigned *own;  // of this part
    int positions;
    unsigned here;

    __device__ unsigned operator[](unsigned position) const { return *(volatile unsigned *)(own + position); }
    // The distance of a vertex of any part, or UNREACHABLE where it cannot be read soon.
    __device__ unsigned known(unsigned part, unsigned position) const
    {
        if constexpr (SHARED) {
            const unsigned same_position_here = (*this)[position];
            return part == here ? same_position_here : UNREACHABLE;
        } else {
            return *(volatile unsigned *)in_global(part, position);
        }
    }
    __device__ void lower_if(bool condition, unsigned part, unsigned position, unsigned distance) const
    {
        if constexpr (SHARED)
            min_in_block_if(condition, own + position, distance, part);
        else if (condition)
            atomicMin(in_global(part, position), distance);
    }
    // What was stored before a barrier that was passed.
    __device__ unsigned settled(int position) const { return SHARED ? own[position] : __ldcg(own + position); }

  private:
    __device__ unsigned *in_global(unsigned part, unsigned position) const
    {
        return own + (int(part) - int(here)) * positions + int(position);
    }
};

// Whether all blocks seem to have nothing near. The answer may be wrong, but once a block has it, it tells the others
// nothing else: they wait for it, and it would not come back to tell them that it is quiet.
struct Quiet {
    volatile unsigned *working;  // whether each warp of this block is
    volatile unsigned &all;      // blocks are quiet
    Board blocks;
    int patience;  // looks that must find a quiet block before it says so

    // Called by one warp of the block.
    __device__ void watch(int &looks, unsigned &told) const
    {
        looks = __any_sync(ALL, working[threadIdx.x & 31]) ? 0 : looks + 1;
        const unsigned quiet = looks >= patience;
        if (quiet != told) blocks.tell(0, told = quiet);
        if (quiet && blocks.all(0)) all = 1;
    }
};

template <int WORDS, bool SHARED>
__device__ void search(int words, const int *first_record, const uint4 *records, Seed seed, Seed other_seed,
                       unsigned delta, int patience, const int *vertex_at, unsigned *state, int *answer, int *counts)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned here = cluster.block_rank();
    const int first = threadIdx.x, threads = blockDim.x, positions = 32 * words;
    const int lane = first & 31, warp = first >> 5, warps = threads >> 5;
    unsigned *const marked = shared_memory;
    unsigned *const own = SHARED ? marked + words : state + here * positions;
    unsigned *const relaxed = SHARED ? own + positions : state + (cluster.num_blocks() + here) * positions;
    const Distances<SHARED> distance{own, positions, here};
    const Marks marks{marked};
    const uint4 *const arcs = records + 2ll * first_record[here];
    __shared__ unsigned told_quiet[1][MOST_BLOCKS], told_nearest[1][MOST_BLOCKS], nearest_here;
    __shared__ unsigned working[MOST_WARPS], all_quiet, no_marks;
    const Board nearest_of_blocks{told_nearest};
    const Quiet quiet{working, all_quiet, {told_quiet}, patience};

    for (int i = first; i < positions; i += threads) own[i] = relaxed[i] = UNREACHABLE;
    for (int i = first; i < MOST_WARPS; i += threads) working[i] = 0;
    quiet.blocks.fill(1, 1);
    nearest_of_blocks.fill(1, UNREACHABLE);
    if (first == 0) {
        nearest_here = UNREACHABLE;
        no_marks = 0;
    }
    __syncthreads();
    if (first == 0 && part_of(seed.place) == here) own[position_of(seed.place)] = seed.distance;
    if (first == 0 && part_of(other_seed.place) == here)
        own[position_of(other_seed.place)] = min(own[position_of(other_seed.place)], other_seed.distance);
    cluster.sync();

    const auto load = [&](unsigned record) {
        return WeightedRecord{__ldg(arcs + 2 * record), __ldg(arcs + 2 * record + 1)};
    };
    // Returns whether the record ends with a link. All heads are looked at before the first is lowered: one wait
    // serves them.
    const auto relax = [&](const WeightedRecord &record, unsigned distance_of_tail) {
        const uint4 a = record.first, b = record.second;
        const unsigned head[] = {a.x, a.z, b.x, b.z}, weight[] = {a.y, a.w, b.y, b.w};
        const bool linked = b.z & LINK;
        unsigned part[SLOTS], position[SLOTS], known[SLOTS];
#pragma unroll
        for (int i = 0; i < SLOTS; i++) {
            part[i] = part_of(head[i]);
            position[i] = i == SLOTS - 1 && linked ? 0 : position_of(head[i]);
            known[i] = distance.known(part[i], position[i]);
        }
        if (linked) known[SLOTS - 1] = 0;
#pragma unroll
        for (int i = 0; i < SLOTS; i++) {
            const unsigned through = distance_of_tail + weight[i];
            distance.lower_if(through < known[i], part[i], position[i], through);
            marks.set_if(through < known[i], part[i], position[i]);
        }
        return linked;
    };
    unsigned near_below = 0;
    int turns = 0, buckets = 0;
    for (;; turns++) {
        // No block relaxes anything, and all that was sent is there.
        unsigned nearest = UNREACHABLE;
        for (int some = AT_ONCE * warp; some < words; some += AT_ONCE * warps) {
            unsigned now[AT_ONCE], before[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) {
                const int position = 32 * min(some + k, words - 1) + lane;
                now[k] = distance.settled(position);
                before[k] = relaxed[position];
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) {
                const bool fallen = now[k] < before[k];
                if (fallen) nearest = min(nearest, now[k]);
                const unsigned bits = __ballot_sync(ALL, fallen);
                if (lane == 0 && some + k < words) marked[some + k] = bits;
            }
        }
        nearest = __reduce_min_sync(ALL, nearest);
        if (lane == 0 && nearest < UNREACHABLE) atomicMin(&nearest_here, nearest);
        __syncthreads();
        nearest_of_blocks.tell(0, nearest_here);
        quiet.blocks.tell(0, 0);
        if (first == 0) all_quiet = 0;
        cluster.sync();
        nearest = nearest_of_blocks.least(0);
        if (nearest == UNREACHABLE) break;
        if (first == 0) nearest_here = UNREACHABLE;
        if (nearest >= near_below) {
            near_below = nearest + delta;
            buckets++;
        }

        Bits<WORDS> left = {};
        int looks = 0;
        unsigned told = 0;
        for (;;) {
            unsigned marks_of[WORDS];
            bool any = false;
            const unsigned all_quiet_now = quiet.all;
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                const int word = first + k * threads;
                marks_of[k] = *(volatile unsigned *)(word < words ? marked + word : &no_marks);
                any |= marks_of[k] | left.words[k];
            }
            any = __any_sync(ALL, any);
            quiet.working[warp] = any;
            if (!any) {
                if (__any_sync(ALL, all_quiet_now)) break;
                if (warp == 0) quiet.watch(looks, told);
                continue;
            }
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                if (marks_of[k]) {
                    atomicAnd(marked + first + k * threads, ~marks_of[k]);
                    left.words[k] |= marks_of[k];
                }
            int k = 0;
            const int bit = left.take(k), position = 32 * (first + k * threads) + bit;
            if (bit < 0) continue;
            WeightedRecord record = load(position);
            const unsigned now = distance[position];
            if (now >= near_below || now >= relaxed[position]) continue;
            relaxed[position] = now;
            while (relax(record, now)) record = load(record.second.z & (LINK - 1));
        }
        cluster.sync();
    }

    if (here == 0 && first == 0) {
        counts[0] = turns;
        counts[1] = buckets;
    }
    for (int i = first; i < positions; i += threads)
        if (vertex_at[i + here * positions] >= 0)
            answer[vertex_at[i + here * positions]] = int(distance.settled(i));
}

// `state`: distances are in shared memory, beside the marks; `marks`: they are in global memory.
#define KERNEL(KEPT, WORDS, SHARED)                                                                                   \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                            \
        cluster_sssp_##KEPT##_##WORDS(int words, const int *first_record, const uint4 *records,                      \
                                      const unsigned *place, int source, unsigned distance, int other_source,        \
                                      unsigned other_distance,                                                        \
                                      unsigned delta, int patience, const int *vertex_at, unsigned *state,            \
                                      int *answer, int *counts)                                                       \
    {                                                                                                                \
        search<WORDS, SHARED>(words, first_record, records, seed_at(place, source, distance),                        \
                              seed_at(place, other_source, other_distance), delta, patience, vertex_at, state,        \
                              answer, counts);                                                                        \
    }
#define KERNELS(WORDS)                                                                                                \
    KERNEL(state, WORDS, true)                                                                                        \
    KERNEL(marks, WORDS, false)
KERNELS(1)
KERNELS(4)
KERNELS(16)

// The distances of the vertices that were contracted: `ways` has two for each vertex, an anchor, -1 for an anchor itself,
// and the length of the way from it.
extern "C" __global__ void unfold(int vertices, const int2 *ways, int *answer)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    const int2 one = ways[2 * v], other = ways[2 * v + 1];
    if (one.x < 0) return;
    const unsigned by_one = min(unsigned(answer[one.x]) + unsigned(one.y), UNREACHABLE);
    const unsigned by_other = min(unsigned(answer[other.x]) + unsigned(other.y), UNREACHABLE);
    answer[v] = int(min(by_one, by_other));
}

// Lowers distances to those of vertices that were reached otherwise.
extern "C" __global__ void lower(int count, const int2 *reached, int *answer)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) answer[reached[i].x] = min(answer[reached[i].x], reached[i].y);
}
