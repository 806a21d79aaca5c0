// sssp/near-far: single-source shortest paths with a near and a far pile in one cooperative launch; ours, for graphs of
// few levels.
//
// Paper    A. Davidson, S. Baxter, M. Garland and J. D. Owens, "Work-Efficient Parallel GPU Methods for Single-Source
//          Shortest Paths", IPDPS 2014: Near-Far Pile.
// Idea     a vertex whose distance falls is near if the distance is below a limit, else far. The arcs of near vertices
//          are relaxed in rounds until none is left. Then the limit rises to the least far distance plus delta, and the
//          far vertices below it become near. So few vertices are expanded before their distance is final.
// Trick    the far pile is a bitmap, so that it holds each vertex once and cannot overflow; to go through it costs a
//          word per 32 vertices and the distances of those in it. The near pile is a queue; a bitmap for even rounds and
//          one for odd ones keep out what is in it. The head and the weight of an arc are one load of 8 bytes.
//          No atomic on a distance is waited for: whether a vertex becomes near follows from the distance read before.
//          If that had fallen further meanwhile, the vertex is near as well, and the bitmap lets it in once.
// Mapping  the arcs of near vertices are divided evenly among all warps: frontier.cuh. Of the far pile, a warp takes as
//          many words of the bitmap as any other, up to 32, and puts the vertices in them in a row, a lane for each.
// Barriers one of the grid per round and per change of the limit, and one at the start. While rounds have at most
//          `alone` arcs, block 0 goes on alone, with barriers of its own, and the grid waits at one. Three counters take
//          turns, as in bfs/direction.cu.
// Labels   distances alone, or with predecessors: label.cuh.
// Departs  from the paper in the bitmaps, and in that the limit passes over distances that no far vertex has.

#include "../frontier/frontier.cuh"
#include "interleave.cuh"
#include "../../label.cuh"

constexpr int IN_FLIGHT = 4;  // arcs of a lane

__device__ inline int distance_of(int distance) { return distance; }

// Sets the label of a vertex before the search.
__device__ inline void clear(int *distance, bool is_source) { *distance = is_source ? 0 : UNREACHABLE; }
__device__ inline void clear(Label *label, bool is_source) { *label = make_label(is_source ? 0 : UNREACHABLE, -1); }

// Lowers a distance to `through`, the distance by an arc from u.
__device__ inline void lower(int *distance, int through, unsigned, int) { atomicMin(distance, through); }

// At an equal distance, a smaller predecessor takes the place of another, but not along an arc of weight 0, which could
// close a cycle: -1 is the largest predecessor, and whoever lowered the distance then sets its own.
__device__ inline void lower(Label *label, int through, unsigned u, int weight)
{
    if (weight > 0)
        atomicMin(label, make_label(through, int(u)));
    else if (through < distance_of(atomicMin(label, make_label(through, -1))))
        atomicMin(label, make_label(through, int(u)));
}

// What is counted of a round's near vertices while they are found.
struct Round {
    unsigned long long arcs;
    unsigned entries, unused;  // in the queue
};

// How far a search has come.
struct Progress {
    unsigned round, step;    // the numbers of this round and of its counters
    unsigned limits, limit;  // how often the limit of near distances rose, and what it is
    unsigned long long relaxed;  // arcs
    Round near;
};

// What stays the same during a search. Any is int for distances, or Label.
template <typename Any> struct Search {
    unsigned vertices, words;
    const Offset *indptr;
    const int2 *arcs;  // head and weight of each
    Any *label;
    unsigned *far, *queued;  // bitmaps; `queued` has one for the queue of even rounds and one for that of odd rounds
    Entry *queues;           // as well, of `capacity` entries each: a vertex, and the first arc of a piece
    unsigned capacity, piece;
    Round *rounds;  // rounds[i % 3] counts what is near in step i
    int *least;     // least[i % 3] is the least far distance after i limits
    unsigned block_queue_size;
    Round *rounds_alone;  // this and the following are in shared memory
    Entry *block_queue;
    unsigned *tail;
    unsigned long long *sum;
    int *least_here;

    __device__ Round &of(unsigned step) const { return rounds[step % 3]; }

    // The queue of the next round.
    __device__ BlockQueue queue_after(const Progress &now) const
    {
        const Queue queue{queues + (now.round + 1) % 2 * capacity, &of(now.step + 1).entries};
        return {queue, block_queue, block_queue_size, tail};
    }

    // Ends a block's part of a round: adds what it has counted and queued for the next one.
    __device__ void finish(const Progress &now, unsigned long long near_arcs, int least_far) const
    {
        add_over_warp(sum, near_arcs);
        if (__any_sync(ALL_LANES, least_far < UNREACHABLE)) atomicMin(least_here, least_far);
        __syncthreads();
        if (threadIdx.x == 0) {
            if (*sum) atomicAdd(&of(now.step + 1).arcs, *sum);
            if (*least_here < UNREACHABLE) atomicMin(&least[now.limits % 3], *least_here);
            *sum = 0;
            *least_here = UNREACHABLE;
        }
        queue_after(now).flush();
    }

    // Relaxes the arcs of this round's near vertices.
    __device__ void relax(const Team &team, const Progress &now) const
    {
        const Entry *const near = queues + now.round % 2 * capacity;
        unsigned *const taken = queued + now.round % 2 * words, *const added = queued + (now.round + 1) % 2 * words;
        const BlockQueue next = queue_after(now);
        const unsigned entries = now.near.entries, share = team.share(entries);
        unsigned long long near_arcs = 0;
        int least_far = UNREACHABLE;
        for (unsigned first = team.warp() * share; first < entries; first += team.warps() * share) {
            const unsigned i = first + lane_number();
            const bool has = lane_number() < share && i < entries;
            const Entry own = has ? near[i] : Entry{0, 0};
            const unsigned distance = has ? distance_of(__ldcg(&label[own.x])) : 0;
            const unsigned length = has ? min(Offset(piece), __ldg(&indptr[own.x + 1]) - own.y) : 0;
            if (has) taken[own.x / 32] = 0;  // all that it holds is taken in this round
            for_each_arc<IN_FLIGHT>(own.y, length, [&](const Offset *arc, const unsigned *owner) {
                int2 to[IN_FLIGHT];  // head and weight
                unsigned through[IN_FLIGHT], known[IN_FLIGHT];
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) to[b] = arc[b] == NO_ARC ? make_int2(0, 0) : __ldcs(&arcs[arc[b]]);
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    known[b] = arc[b] == NO_ARC ? 0 : distance_of(__ldcg(&label[to[b].x]));
                    through[b] = __shfl_sync(ALL_LANES, distance, owner[b]) + unsigned(to[b].y);
                }
                Offset begin[IN_FLIGHT], end[IN_FLIGHT];
                unsigned before[IN_FLIGHT];  // what was queued
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    const unsigned u = __shfl_sync(ALL_LANES, unsigned(own.x), owner[b]), v = to[b].x, bit = 1u << v % 32;
                    const bool falls = through[b] < known[b], is_near = falls && through[b] < now.limit;
                    begin[b] = is_near ? __ldg(&indptr[v]) : 0;
                    end[b] = is_near ? __ldg(&indptr[v + 1]) : 0;
                    before[b] = ALL_LANES;
                    if (is_near) before[b] = atomicOr(&added[v / 32], bit);
                    if (falls) lower(&label[v], int(through[b]), u, to[b].y);
                    if (falls && !is_near) {
                        atomicOr(&far[v / 32], bit);
                        least_far = min(least_far, int(through[b]));
                    }
                }
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    if (before[b] >> to[b].x % 32 & 1) end[b] = begin[b];
                    near_arcs += end[b] - begin[b];
                }
                next.add(begin, end, piece, [&](int b, unsigned lane, Offset first_arc, unsigned) {
                    return Entry{unsigned(__shfl_sync(ALL_LANES, to[b].x, lane)), first_arc};
                });
            });
        }
        finish(now, near_arcs, least_far);
    }

    // Makes the far vertices near whose distance is now below the limit; leaves out those that were near before.
    __device__ void collect(const Team &team, const Progress &now, unsigned limit_before) const
    {
        __shared__ unsigned words_kept[MOST_THREADS];
        unsigned *const kept = words_kept + threadIdx.x / LANES * LANES;  // what stays far of this warp's words
        const BlockQueue next = queue_after(now);
        const unsigned share = team.share(words);
        unsigned long long near_arcs = 0;
        int least_far = UNREACHABLE;
        for (unsigned first = team.warp() * share; first < words; first += team.warps() * share) {
            const unsigned word = first + lane_number();
            const unsigned before = lane_number() < share && word < words ? far[word] : 0;
            kept[lane_number()] = 0;
            __syncwarp();
            for_each_bit(before, [&](bool is_far, unsigned owner, unsigned bit) {
                const unsigned v = (first + owner) * 32 + bit;
                Offset begin[] = {is_far ? __ldg(&indptr[v]) : 0}, end[] = {is_far ? __ldg(&indptr[v + 1]) : 0};
                const unsigned distance = is_far ? distance_of(__ldcg(&label[v])) : 0;
                if (is_far && distance >= now.limit) {
                    atomicOr(&kept[owner], 1u << bit);
                    least_far = min(least_far, int(distance));
                }
                if (distance >= now.limit || distance < limit_before) end[0] = begin[0];
                near_arcs += end[0] - begin[0];
                next.add(begin, end, piece, [&](int, unsigned lane, Offset first_arc, unsigned) {
                    return Entry{__shfl_sync(ALL_LANES, v, lane), first_arc};
                });
            });
            __syncwarp();
            if (before) far[word] = kept[lane_number()];
        }
        finish(now, near_arcs, least_far);
    }

    // Relaxes rounds in block 0, until one has more than `alone` arcs or none; returns that one.
    __device__ Progress go_on_alone(Progress now, unsigned alone) const
    {
        const Team block{true};
        const unsigned step_of_all = now.step;
        Search own = *this;
        own.rounds = rounds_alone;
        if (threadIdx.x < 3) rounds_alone[threadIdx.x] = {0, 0, 0};
        block.sync();
        while (now.near.entries > 0 && now.near.arcs <= alone) {
            own.relax(block, now);
            if (threadIdx.x == 0) own.of(now.step + 2) = {0, 0, 0};
            block.sync();
            now.round++;
            now.relaxed += now.near.arcs;
            now.near = own.of(++now.step);
        }
        now.step = step_of_all;
        return now;
    }

    // Sets all labels, and queues the source.
    __device__ void start(unsigned source) const
    {
        const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
        for (unsigned v = thread; v < vertices; v += threads) clear(&label[v], v == source);
        for (unsigned word = thread; word < words; word += threads) far[word] = queued[word] = queued[words + word] = 0;
        const Offset begin = indptr[source], count = indptr[source + 1] - begin;
        const unsigned pieces = (count + piece - 1) / piece;
        for (unsigned i = thread; i < pieces; i += threads) queues[i] = {source, begin + Offset(i) * piece};
        if (thread < 3) {
            rounds[thread] = thread ? Round{0, 0, 0} : Round{count, pieces, 0};
            least[thread] = UNREACHABLE;
        }
        if (threadIdx.x == 0) {
            *tail = 0;
            *sum = 0;
            *least_here = UNREACHABLE;
        }
    }
};

template <typename Any>
__device__ void find_distances(Search<Any> search, unsigned source, unsigned delta, unsigned alone, Progress *progress,
                               long long *observed)
{
    extern __shared__ Entry block_queue[];
    __shared__ Round rounds_alone[3];
    __shared__ unsigned tail;
    __shared__ unsigned long long sum;
    __shared__ int least_here;
    search.rounds_alone = rounds_alone;
    search.block_queue = block_queue;
    search.tail = &tail;
    search.sum = &sum;
    search.least_here = &least_here;
    const Team grid{false};
    const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;

    search.start(source);
    grid.sync();
    Progress now{0, 0, 0, delta, 0, search.of(0)};
    for (;;) {
        if (now.near.entries > 0 && now.near.arcs <= alone) {
            if (blockIdx.x == 0) now = search.go_on_alone(now, alone);
            if (first_thread) *progress = now;
            grid.sync();
            now = *progress;
        }
        if (now.near.entries > 0) {
            search.relax(grid, now);
        } else {
            const int least = search.least[now.limits % 3];
            if (least == UNREACHABLE) break;
            const unsigned limit_before = now.limit;
            now.limit = unsigned(least) + delta;
            now.limits++;
            if (first_thread) search.least[(now.limits + 1) % 3] = UNREACHABLE;
            search.collect(grid, now, limit_before);
        }
        if (first_thread) search.of(now.step + 2) = {0, 0, 0};
        grid.sync();
        now.round++;
        now.relaxed += now.near.arcs;
        now.near = search.of(++now.step);
    }
    if (first_thread) {
        observed[0] = now.round;
        observed[1] = now.limits;
        observed[2] = now.relaxed;
    }
}

// With 32 registers, a multiprocessor runs 2,048 threads.
#define NEAR_FAR_KERNEL(name, Any, threads, blocks)                                                                   \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name(                                               \
        int vertices, const Offset *indptr, const int2 *arcs, int source, unsigned delta, Any *label,                 \
        unsigned *bitmaps, Entry *queues, unsigned capacity, Round *rounds, int *least, Progress *progress,           \
        unsigned piece, unsigned block_queue_size, unsigned alone, long long *observed)                               \
    {                                                                                                                 \
        const unsigned words = (unsigned(vertices) + 31) / 32;                                                        \
        const Search<Any> search{unsigned(vertices), words, indptr, arcs, label, bitmaps, bitmaps + words, queues,    \
                                 capacity, piece, rounds, least, block_queue_size, nullptr, nullptr, nullptr,         \
                                 nullptr, nullptr};                                                                   \
        find_distances(search, unsigned(source), delta, alone, progress, observed);                                   \
    }

NEAR_FAR_KERNEL(near_far_32, int, 1024, 2)
NEAR_FAR_KERNEL(near_far_64, int, UNSPILLED, 1)
NEAR_FAR_KERNEL(near_far_tree_32, Label, 1024, 2)
NEAR_FAR_KERNEL(near_far_tree_64, Label, UNSPILLED, 1)
