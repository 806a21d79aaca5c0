// sssp/host-arcs: shortest paths with predecessors, of a graph whose arcs stay in host memory, in one launch; ours.
//
// Papers   EMOGI, VLDB 2020: lines.cuh. Near-Far Pile, IPDPS 2014: near-far.cu; a vertex that is expanded before its
//          distance is final has its arcs read over the link once more.
// Mapping  in a round, a warp takes an entry of the near queue at a time. If many vertices are near, it takes the next
//          lines of all arcs instead, and reads those of near vertices. What is done for each vertex, a thread
//          does for every so many vertices as the grid has threads.
// Barriers one of the grid per round. Two more after a sweep or a change of the limit, which fill a bitmap: its vertices
//          are counted, and queued only if they are few. Three queue lengths, three bitmaps and three least far
//          distances take turns: one is read, one written, one cleared.
// Arcs     head and weight are side by side, 8 bytes, so that an arc is one load.
// Departs  from EMOGI, which relaxes the arcs of all vertices whose distance fell, near or far.
//          A sum beyond 32 bits does not wrap around: path_length.h.

#include "../host-arcs/lines.cuh"
#include "../../label.cuh"
#include "../../sssp/path_length.h"

// Lowers the distance of a vertex to `sum`, by an arc from u; returns whether it fell. Whoever lowered it sets the
// predecessor, since -1 is the largest; one that came at an equal distance could close a cycle of weight 0.
__device__ inline bool lower(Label *label, int sum, unsigned u)
{
    if (sum >= distance_of(__ldcg(label))) return false;
    if (sum >= distance_of(atomicMin(label, make_label(sum, -1)))) return false;
    atomicMin(label, make_label(sum, int(u)));
    return true;
}

// Lowers the least far distance to the least of a warp's lanes. All lanes call it together.
__device__ inline void lower_least(int *least, int distance)
{
    for (unsigned by = LANES / 2; by > 0; by /= 2) distance = min(distance, __shfl_xor_sync(ALL_LANES, distance, by));
    if (lane_number() == 0 && distance < UNREACHABLE) atomicMin(least, distance);
}

// Relaxes an arc of u, if there is one; returns whether its head is near in the next round: its distance fell below the
// limit. A head whose distance fell otherwise is far.
__device__ inline bool relax_arc(int2 arc, bool has, unsigned u, int distance, unsigned limit, Label *label,
                                 unsigned *far, int &least_far)
{
    const unsigned v = arc.x;
    const int sum = through(distance, arc.y);
    const bool fell = has && lower(&label[v], sum, u);
    if (!fell || unsigned(sum) < limit) return fell;
    atomicOr(&far[v / 32], 1u << v % 32);
    least_far = min(least_far, sum);
    return false;
}

// What stays the same during a search. queued[i % 3] has a bit for each vertex that is near in round i.
struct Search {
    HostArcs<int2> arcs;
    unsigned vertices, words;
    Label *label;
    unsigned *far, *queued;
    uint2 *queues;  // for even rounds and for odd ones, of `capacity` entries each
    unsigned capacity;
    unsigned *lengths;  // lengths[i % 3] is that of round i, or as many as its vertices if these are not queued
    unsigned *counted;  // vertices in a bitmap
    int *least;         // least[k % 3] is the least distance that is far below limit k

    __device__ unsigned *near_in(unsigned round) const { return queued + round % 3 * words; }
    __device__ Queue queue(unsigned round) const { return {queues + round % 2 * capacity, lengths + round % 3}; }

    // Calls visit(i) for each number below `count`, by one of the grid's threads.
    template <typename Visit> __device__ void for_each(unsigned count, Visit visit) const
    {
        const unsigned threads = gridDim.x * blockDim.x;
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) visit(i);
    }

    // Calls visit(v, is_set) for the 32 vertices of each word of a bitmap that has a bit; all lanes of a warp call it
    // together. A lane has a word, if there are as many, so that one load goes past 1,024 vertices of which none is set.
    template <typename Visit> __device__ void for_each_set(const unsigned *bitmap, Visit visit) const
    {
        const Grid grid;
        const unsigned lane = lane_number(), own = min(LANES, words / grid.warps() + 1);
        for (unsigned first = grid.warp() * own; first < words; first += grid.warps() * own) {
            const bool has = lane < own && first + lane < words;
            const unsigned word = has ? __ldcg(&bitmap[first + lane]) : 0;
            for (unsigned left = __ballot_sync(ALL_LANES, word != 0); left > 0; left &= left - 1) {
                const unsigned i = __ffs(left) - 1, bits = __shfl_sync(ALL_LANES, word, i);
                visit((first + i) * 32 + lane, bits >> lane & 1);
            }
        }
    }

    // Sets all labels, empties the far pile, and makes the source near in round 0.
    __device__ void start(unsigned source) const
    {
        for_each(vertices, [&](unsigned v) { label[v] = make_label(v == source ? 0 : UNREACHABLE, -1); });
        for_each(words, [&](unsigned i) {
            far[i] = 0;
            near_in(0)[i] = i == source / 32 ? 1u << source % 32 : 0;
            near_in(1)[i] = 0;
        });
        if (blockIdx.x == 0 && threadIdx.x < 3) least[threadIdx.x] = UNREACHABLE;
        if (blockIdx.x == 0 && threadIdx.x > 0 && threadIdx.x < 3) lengths[threadIdx.x] = 0;
        arcs.start(Grid{}, queue(0), source);
    }

    // Relaxes the arcs of the near queue's vertices. Heads that are near in the next round are queued, each once.
    __device__ void relax(unsigned round, unsigned entries, unsigned limit, int *least_of_all, Traffic &traffic) const
    {
        const Grid grid;
        const uint2 *const near = queue(round).entries;
        unsigned *const next = near_in(round + 1);
        int least_far = UNREACHABLE;
        for (unsigned i = grid.warp(); i < entries; i += grid.warps()) {
            const uint2 entry = __ldcg(&near[i]);
            const unsigned u = entry.x;
            const int distance = distance_of(__ldcg(&label[u]));
            arcs.read(entry, traffic, [&](int2 arc, bool has) {
                const unsigned v = arc.x, bit = 1u << v % 32;
                const bool is_near = relax_arc(arc, has, u, distance, limit, label, far, least_far);
                arcs.append(queue(round + 1), is_near && !(atomicOr(&next[v / 32], bit) & bit), v);
            });
        }
        lower_least(least_of_all, least_far);
    }

    // The same for all near vertices, in the order of their arcs' places; queues nothing.
    __device__ void sweep(unsigned round, unsigned limit, int *least_of_all, Traffic &traffic) const
    {
        const unsigned *const near = near_in(round);
        unsigned *const next = near_in(round + 1);
        int least_far = UNREACHABLE;
        arcs.sweep(
            Grid{}, vertices, traffic, [&](unsigned u) { return __ldcg(&near[u / 32]) >> u % 32 & 1; },
            [&](int2 arc, bool has, unsigned u) {
                const unsigned v = arc.x, bit = 1u << v % 32;
                const int distance = has ? distance_of(__ldcg(&label[u])) : UNREACHABLE;
                const bool is_near = relax_arc(arc, has, u, distance, limit, label, far, least_far);
                if (is_near && !(__ldcg(&next[v / 32]) & bit)) atomicOr(&next[v / 32], bit);
            });
        lower_least(least_of_all, least_far);
    }

    // Adds the number of vertices that are near in a round to *counted.
    __device__ void count(unsigned round) const
    {
        unsigned own = 0;
        for_each(words, [&](unsigned i) { own += __popc(__ldcg(&near_in(round)[i])); });
        const unsigned of_warp = sum_up_to(own);
        if (lane_number() == LANES - 1 && of_warp > 0) atomicAdd(counted, of_warp);
    }

    // Queues the vertices that are near in a round.
    __device__ void list(unsigned round) const
    {
        for_each_set(near_in(round), [&](unsigned v, bool is_near) { arcs.append(queue(round), is_near, v); });
    }

    // Makes the far vertices near whose distance is below the limit, except those that were near before; queues nothing.
    // The bitmap of the round has no bit before.
    __device__ void collect(unsigned round, unsigned limit_before, unsigned limit, int *least_of_all) const
    {
        int least_far = UNREACHABLE;
        for_each_set(far, [&](unsigned v, bool is_far) {
            const unsigned distance = is_far ? distance_of(__ldcg(&label[v])) : 0;
            const bool stays = is_far && distance >= limit, comes = is_far && !stays && distance >= limit_before;
            const unsigned left = __ballot_sync(ALL_LANES, stays), coming = __ballot_sync(ALL_LANES, comes);
            if (lane_number() == 0) {
                far[v / 32] = left;
                near_in(round)[v / 32] = coming;
            }
            if (stays) least_far = min(least_far, int(distance));
        });
        lower_least(least_of_all, least_far);
    }
};

extern "C" __global__ void __launch_bounds__(MOST_THREADS)
    find_distances(int vertices, const HostOffset *indptr, const int2 *pairs, unsigned lines, unsigned *drawn, int source,
                   unsigned delta, unsigned sweep, Label *label, unsigned *far, unsigned *queued, uint2 *queues,
                   unsigned capacity, unsigned *lengths, int *least, Traffic *total, long long *observed)
{
    const cg::grid_group grid = cg::this_grid();
    const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
    const unsigned words = (unsigned(vertices) + 31) / 32;
    const Search search{{indptr, pairs, lines, drawn}, unsigned(vertices), words, label, far, queued, queues,
                        capacity, lengths, lengths + 3, least};
    const auto are_few = [&](unsigned near) { return (unsigned long long)near * sweep < unsigned(vertices); };
    search.start(source);
    if (first_thread) *total = {0, 0};
    grid.sync();

    Traffic traffic{0, 0};
    unsigned limit = delta, limits = 0, rounds = 0;
    for (unsigned i = 0;; i++) {  // rounds and changes of the limit
        if (first_thread) lengths[(i + 2) % 3] = 0;
        search.for_each(words, [&](unsigned word) { search.near_in(i + 2)[word] = 0; });
        const unsigned near = lengths[i % 3];
        int *const least_far = &least[limits % 3];
        if (near > 0) rounds++;
        if (near > 0 && are_few(near)) {
            search.relax(i, near, limit, least_far, traffic);
        } else {
            if (near > 0) {
                search.sweep(i, limit, least_far, traffic);
            } else {
                const int nearest = *least_far;
                if (nearest == UNREACHABLE) break;
                const unsigned before = limit;
                limit = nearest + delta;
                limits++;
                if (first_thread) least[(limits + 1) % 3] = UNREACHABLE;
                search.collect(i + 1, before, limit, &least[limits % 3]);
            }
            if (first_thread) *search.counted = 0;
            grid.sync();
            search.count(i + 1);
            grid.sync();
            const unsigned next = __ldcg(search.counted);
            if (are_few(next)) search.list(i + 1);
            else if (first_thread) lengths[(i + 1) % 3] = next;
        }
        grid.sync();
    }

    traffic.add_to(total);
    if (first_thread) {
        observed[0] = rounds;
        observed[1] = limits;
    }
}
