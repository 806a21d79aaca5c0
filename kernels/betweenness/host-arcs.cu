// betweenness/host-arcs: betweenness centrality of a graph whose arcs stay in host memory; ours.
//
// Papers   Brandes' algorithm: brandes.cuh. EMOGI, VLDB 2020: lines.cuh.
// Mapping  a launch per source and level, on the way out and back, in which a warp takes one entry of the queue at a
//          time; the host reads its length. Only the arrays of one search are in memory.
// Queue    all levels are parts of one queue, as in bfs/host-arcs.cu, and are taken from last to first on the way back.
// Departs  from brandes.cuh: (1 + delta[v]) / sigma[v] is computed for each arc, since the link takes longer.

#include "../host-arcs/lines.cuh"
#include "../unreachable.h"

constexpr double MOST_PATHS = 0x1p1022;  // whose inverse is still normal

// Sets what is of one search, and queues the source.
extern "C" __global__ void start(int vertices, const Offset *indptr, const unsigned *indices, unsigned lines,
                                 int source, int *level, double *sigma, double *delta, uint2 *queue, unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) {
        level[v] = v == source ? 0 : UNREACHABLE;
        sigma[v] = v == source ? 1 : 0;
        delta[v] = 0;
    }
    HostArcs<unsigned>{indptr, indices, lines}.start({queue, length}, source);
}

// Finds the vertices of a level, and their numbers of shortest paths, from the entries begin to end - 1, which are of
// the level before.
extern "C" __global__ void expand(const Offset *indptr, const unsigned *indices, unsigned lines, uint2 *queue,
                                  unsigned begin, unsigned end, int depth, int *level, double *sigma,
                                  unsigned *length, Traffic *total)
{
    const HostArcs<unsigned> arcs{indptr, indices, lines};
    const Team grid{false};
    Traffic traffic{0, 0};
    for (unsigned i = begin + grid.warp(); i < end; i += grid.warps()) {
        const double paths = sigma[queue[i].x];
        arcs.read(queue[i], traffic, [&](unsigned v, bool has) {
            int known = has ? __ldcg(&level[v]) : 0;
            if (has && known == UNREACHABLE) known = atomicCAS(&level[v], UNREACHABLE, depth);
            const bool is_new = has && known == UNREACHABLE;
            if (has && (is_new || known == depth)) atomicAdd(&sigma[v], paths);
            arcs.append({queue, length}, is_new, v);
        });
    }
    traffic.add_to(total);
}

// Adds up what the successors of a level's vertices add to their delta and score. The level of the source is left out.
extern "C" __global__ void collect(const Offset *indptr, const unsigned *indices, unsigned lines, const uint2 *queue,
                                   unsigned begin, unsigned end, int depth, const int *level, const double *sigma,
                                   double *delta, double *score, int source, int *overflow, Traffic *total)
{
    const HostArcs<unsigned> arcs{indptr, indices, lines};
    const Team grid{false};
    Traffic traffic{0, 0};
    for (unsigned i = begin + grid.warp(); i < end; i += grid.warps()) {
        const unsigned u = queue[i].x;
        double sum = 0;
        arcs.read(queue[i], traffic, [&](unsigned v, bool has) {
            if (!has || level[v] != depth + 1) return;
            if (sigma[v] > MOST_PATHS) *overflow = source;
            sum += (1 + delta[v]) / sigma[v];
        });
        for (unsigned by = LANES / 2; by > 0; by /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, by);
        if (lane_number() != 0 || sum == 0) continue;
        atomicAdd(&delta[u], sum * sigma[u]);
        atomicAdd(&score[u], sum * sigma[u]);
    }
    traffic.add_to(total);
}
