// betweenness/host-arcs: betweenness centrality of a graph whose arcs stay in host memory; ours.
//
// Papers   Brandes' algorithm: brandes.cuh. EMOGI, VLDB 2020: lines.cuh.
// Mapping  a thread-block cluster for each search, or a block where there are no clusters, as many as run at the same
//          time: while one waits, for a barrier or for a line, others read. Sources are dealt out to the clusters in turn. On the way out and back, a warp takes one
//          entry of the queue at a time. Of a level with many vertices, it takes the next `lines` lines of all arcs
//          instead, and reads those of the level.
// Memory   each cluster has a row of every array but the scores.
// Queue    all levels are parts of one queue, as in bfs/host-arcs.cu, and are taken from last to first on the way back.
//          What is found in the order of the arcs is queued afterwards.
// Barriers one of the search's blocks per level, out and back, one more before vertices are queued afterwards, and two per source.
//          Three counters take turns: one has the entries of this level, one counts those of the next, one becomes 0.
// Departs  from brandes.cuh: (1 + delta[v]) / sigma[v] is computed for each arc, since the link takes longer. The lanes
//          that read arcs of one vertex add up their parts first.

#include "../frontier/cluster_blocks.cuh"
#include "../host-arcs/lines.cuh"
#include "../../unreachable.h"
#include "../../betweenness/double_atomics.cuh"

constexpr double MOST_PATHS = 0x1p1022;  // whose inverse is still normal

// Returns the sum of the values of consecutive lanes that have the same owner to the first of them, and 0 to the others.
// All lanes call it together; a lane's owner is not below that of the lane before.
__device__ inline double sum_of_owner(double value, unsigned owner)
{
    const unsigned before = __shfl_up_sync(ALL_LANES, owner, 1);
    const bool is_first = lane_number() == 0 || before != owner;
    const unsigned later = __ballot_sync(ALL_LANES, is_first) >> lane_number() >> 1;
    const unsigned own = later ? __ffs(later) : LANES - lane_number();  // lanes that have this owner, from this one on
    for (unsigned by = 1; by < LANES; by *= 2) {
        const double further = __shfl_down_sync(ALL_LANES, value, by);
        if (by < own) value += further;
    }
    return is_first ? value : 0;
}

// What stays the same during all searches of a cluster.
struct Search {
    HostArcs<unsigned> arcs;
    Cluster blocks;
    unsigned vertices, sweep;
    int *level;
    double *sigma, *delta, *score;
    uint2 *queue;
    unsigned *counts, *begins;  // counts[depth % 3] entries of a level begin at begins[depth]
    int *overflow;

    // Sets what is of one search, and queues the source.
    __device__ void start(unsigned source) const
    {
        for (unsigned v = blocks.thread(); v < vertices; v += blocks.threads()) {
            level[v] = v == source ? 0 : UNREACHABLE;
            sigma[v] = v == source ? 1 : 0;
            delta[v] = 0;
        }
        if (blocks.thread() == 0) counts[1] = begins[0] = 0;
        arcs.start(blocks, {queue, counts}, source);
    }

    // Whether the arcs of a level of so many entries are read in the order of their places.
    __device__ bool is_swept(unsigned entries) const { return (unsigned long long)entries * sweep >= vertices; }

    // Reads the arcs of a level's vertices, whose entries are begin to end - 1. visit(v, has, u) is called by all lanes
    // together, for an arc to v from u; some have none.
    template <typename Visit>
    __device__ void read(int depth, unsigned begin, unsigned end, Traffic &traffic, Visit visit) const
    {
        if (is_swept(end - begin)) {
            arcs.sweep(blocks, vertices, traffic, [&](unsigned u) { return __ldcg(&level[u]) == depth; }, visit);
            return;
        }
        for (unsigned i = begin + blocks.warp(); i < end; i += blocks.warps()) {
            const uint2 entry = queue[i];
            arcs.read(entry, traffic, [&](unsigned v, bool has) { visit(v, has, entry.x); });
        }
    }

    // Finds the vertices of the level after `depth`, and their numbers of shortest paths. Queues those that arcs leave,
    // from `end` on.
    __device__ void expand(int depth, unsigned begin, unsigned end, Traffic &traffic) const
    {
        const Queue next{queue + end, &counts[(depth + 1) % 3]};
        const bool queues_later = is_swept(end - begin);
        read(depth, begin, end, traffic, [&](unsigned v, bool has, unsigned u) {
            int known = has ? __ldcg(&level[v]) : 0;
            if (has && known == UNREACHABLE) known = atomicCAS(&level[v], UNREACHABLE, depth + 1);
            const bool is_new = has && known == UNREACHABLE;
            if (has && (is_new || known == depth + 1)) atomicAdd(&sigma[v], sigma[u]);
            if (!queues_later) arcs.append(next, is_new, v);
        });
        if (!queues_later) return;
        blocks.sync();
        for (unsigned v = blocks.thread(); v / LANES * LANES < vertices; v += blocks.threads())
            arcs.append(next, v < vertices && level[v] == depth + 1, v);
    }

    // Adds up what the successors of a level's vertices add to their delta and score.
    __device__ void collect(int depth, unsigned begin, unsigned end, unsigned source, Traffic &traffic) const
    {
        read(depth, begin, end, traffic, [&](unsigned v, bool has, unsigned u) {
            const bool is_next = has && level[v] == depth + 1;
            if (is_next && sigma[v] > MOST_PATHS) *overflow = int(source);
            const double sum = sum_of_owner(is_next ? (1 + delta[v]) / sigma[v] : 0, u);
            if (sum == 0) return;
            atomicAdd(&delta[u], sum * sigma[u]);
            atomicAdd(&score[u], sum * sigma[u]);
        });
    }

    // Adds what the search from a source adds to the scores; all threads of its blocks call it.
    __device__ void search_from(unsigned source, Traffic &traffic) const
    {
        const bool first_thread = blocks.thread() == 0;
        start(source);
        blocks.sync();
        int depth = 0;
        for (unsigned begin = 0, count; (count = counts[depth % 3]) > 0; depth++) {
            const unsigned end = begin + count;
            if (first_thread) {
                begins[depth + 1] = end;
                counts[(depth + 2) % 3] = 0;
            }
            expand(depth, begin, end, traffic);
            begin = end;
            blocks.sync();
        }
        while (--depth > 0) {  // the source is left out
            collect(depth, begins[depth], begins[depth + 1], source, traffic);
            blocks.sync();
        }
        blocks.sync();  // before the next search, all have seen that this one ends
    }
};

// Searches from sources[first] to sources[last - 1]. Each cluster has its row of what is written, but for the scores; a
// queue has room for `entries`.
extern "C" __global__ void __launch_bounds__(MOST_THREADS)
    search_from_each(int vertices, const HostOffset *indptr, const unsigned *indices, unsigned lines, unsigned *drawn,
                     const int *sources, unsigned first, unsigned last, unsigned sweep, unsigned entries, int *level,
                     double *sigma, double *delta, uint2 *queue, unsigned *counts, unsigned *begins, double *score,
                     int *overflow, Traffic *total)
{
    const Cluster blocks;
    const unsigned row = blockIdx.x / blocks.count, rows = gridDim.x / blocks.count;
    const size_t of_vertices = size_t(row) * vertices;
    const Search search{{indptr, indices, lines, drawn + row}, blocks, unsigned(vertices), sweep, level + of_vertices,
                        sigma + of_vertices, delta + of_vertices, score, queue + size_t(row) * entries,
                        counts + 3 * row, begins + of_vertices + row, overflow};
    Traffic traffic{0, 0};
    for (unsigned i = first + row; i < last; i += rows) search.search_from(sources[i], traffic);
    traffic.add_to(total);
}
