// betweenness/host-arcs: betweenness centrality of a graph whose arcs stay in host memory; ours.
//
// Papers   Brandes' algorithm: brandes.cuh. EMOGI, VLDB 2020: lines.cuh.
// Mapping  one cooperative launch for some sources, one after the other. On the way out and back, a warp takes one entry
//          of the queue at a time. Only the arrays of one search are in memory.
// Queue    all levels are parts of one queue, as in bfs/host-arcs.cu, and are taken from last to first on the way back.
// Barriers one of the grid per level, out and back, and two per source. Three counters take turns: one has the entries of
//          this level, one counts those of the next, one becomes 0.
// Departs  from brandes.cuh: (1 + delta[v]) / sigma[v] is computed for each arc, since the link takes longer.

#include "../host-arcs/lines.cuh"
#include "../unreachable.h"

constexpr double MOST_PATHS = 0x1p1022;  // whose inverse is still normal

// What stays the same during all searches.
struct Search {
    HostArcs<unsigned> arcs;
    unsigned vertices;
    int *level;
    double *sigma, *delta, *score;
    uint2 *queue;
    unsigned *counts, *begins;  // counts[depth % 3] entries of a level begin at begins[depth]
    int *overflow;

    // Sets what is of one search, and queues the source.
    __device__ void start(unsigned source) const
    {
        const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
        for (unsigned v = thread; v < vertices; v += threads) {
            level[v] = v == source ? 0 : UNREACHABLE;
            sigma[v] = v == source ? 1 : 0;
            delta[v] = 0;
        }
        if (thread == 0) counts[1] = begins[0] = 0;
        arcs.start({queue, counts}, source);
    }

    // Finds the vertices of the level after `depth`, whose entries are begin to end - 1, and their numbers of shortest
    // paths. Queues those that arcs leave, from `end` on.
    __device__ void expand(int depth, unsigned begin, unsigned end, Traffic &traffic) const
    {
        const Team grid{false};
        const Queue next{queue + end, &counts[(depth + 1) % 3]};
        for (unsigned i = begin + grid.warp(); i < end; i += grid.warps()) {
            const uint2 entry = queue[i];
            const double paths = sigma[entry.x];
            arcs.read(entry, traffic, [&](unsigned v, bool has) {
                int known = has ? __ldcg(&level[v]) : 0;
                if (has && known == UNREACHABLE) known = atomicCAS(&level[v], UNREACHABLE, depth + 1);
                const bool is_new = has && known == UNREACHABLE;
                if (has && (is_new || known == depth + 1)) atomicAdd(&sigma[v], paths);
                arcs.append(next, is_new, v);
            });
        }
    }

    // Adds up what the successors of a level's vertices add to their delta and score.
    __device__ void collect(int depth, unsigned begin, unsigned end, unsigned source, Traffic &traffic) const
    {
        const Team grid{false};
        for (unsigned i = begin + grid.warp(); i < end; i += grid.warps()) {
            const unsigned u = queue[i].x;
            double sum = 0;
            arcs.read(queue[i], traffic, [&](unsigned v, bool has) {
                if (!has || level[v] != depth + 1) return;
                if (sigma[v] > MOST_PATHS) *overflow = int(source);
                sum += (1 + delta[v]) / sigma[v];
            });
            for (unsigned by = LANES / 2; by > 0; by /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, by);
            if (lane_number() != 0 || sum == 0) continue;
            atomicAdd(&delta[u], sum * sigma[u]);
            atomicAdd(&score[u], sum * sigma[u]);
        }
    }

    // Adds what the search from a source adds to the scores; all threads of the grid call it.
    __device__ void search_from(unsigned source, Traffic &traffic) const
    {
        const cg::grid_group grid = cg::this_grid();
        const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
        start(source);
        grid.sync();
        int depth = 0;
        for (unsigned begin = 0, count; (count = counts[depth % 3]) > 0; depth++) {
            const unsigned end = begin + count;
            if (first_thread) {
                begins[depth + 1] = end;
                counts[(depth + 2) % 3] = 0;
            }
            expand(depth, begin, end, traffic);
            begin = end;
            grid.sync();
        }
        while (--depth > 0) {  // the source is left out
            collect(depth, begins[depth], begins[depth + 1], source, traffic);
            grid.sync();
        }
        grid.sync();  // before the next search, all have seen that this one ends
    }
};

// Searches from sources[first] to sources[last - 1].
extern "C" __global__ void __launch_bounds__(MOST_THREADS)
    search_from_each(int vertices, const Offset *indptr, const unsigned *indices, unsigned lines, const int *sources,
                     unsigned first, unsigned last, int *level, double *sigma, double *delta, double *score,
                     uint2 *queue, unsigned *counts, unsigned *begins, int *overflow, Traffic *total)
{
    const Search search{{indptr, indices, lines}, unsigned(vertices), level, sigma, delta, score, queue, counts, begins,
                        overflow};
    Traffic traffic{0, 0};
    for (unsigned i = first; i < last; i++) search.search_from(sources[i], traffic);
    traffic.add_to(total);
}
