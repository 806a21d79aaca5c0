// bfs/host-arcs: breadth-first search of a graph whose arcs stay in the host's memory; ours.
//
// Paper    EMOGI, VLDB 2020: lines.cuh.
// Mapping  a launch per level, in which a warp takes one entry of the queue at a time; the host reads its length. Of a
//          level with many vertices, a warp takes the next lines of all arcs instead, and reads those of the level.
// Queue    a vertex enters it once, when its level is found, so that levels are parts of one queue. What is found in the
//          order of the arcs is queued afterwards, from the beginning of the queue.

#include "../host-arcs/lines.cuh"
#include "../../unreachable.h"

// Sets all levels, and queues the source.
extern "C" __global__ void start(int vertices, const HostOffset *indptr, const unsigned *indices, unsigned lines,
                                 int source, int *level, uint2 *queue, unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) level[v] = v == source ? 0 : UNREACHABLE;
    HostArcs<unsigned>{indptr, indices, lines}.start(Grid{}, {queue, length}, source);
}

// Finds the vertices of a level, from the entries begin to end - 1, which are of the level before.
extern "C" __global__ void expand(const HostOffset *indptr, const unsigned *indices, unsigned lines, unsigned begin,
                                  unsigned end, int depth, int *level, uint2 *queue, unsigned *length,
                                  Traffic *total)
{
    const HostArcs<unsigned> arcs{indptr, indices, lines};
    const Grid grid;
    Traffic traffic{0, 0};
    for (unsigned i = begin + grid.warp(); i < end; i += grid.warps())
        arcs.read(queue[i], traffic, [&](unsigned v, bool has) {
            const bool is_new = has && __ldcg(&level[v]) == UNREACHABLE;
            arcs.append({queue, length}, is_new && atomicCAS(&level[v], UNREACHABLE, depth) == UNREACHABLE, v);
        });
    traffic.add_to(total);
}

// Finds the vertices of a level, from the arcs of the level before in the order of their places.
extern "C" __global__ void sweep(const HostOffset *indptr, const unsigned *indices, unsigned lines, unsigned *drawn,
                                 unsigned vertices, int depth, int *level, Traffic *total)
{
    const HostArcs<unsigned> arcs{indptr, indices, lines, drawn};
    Traffic traffic{0, 0};
    arcs.sweep(
        Grid{}, vertices, traffic, [&](unsigned v) { return __ldcg(&level[v]) == depth - 1; },
        [&](unsigned v, bool has, unsigned) {
            if (has && __ldcg(&level[v]) == UNREACHABLE) level[v] = depth;
        });
    traffic.add_to(total);
}

// Queues the vertices of a level.
extern "C" __global__ void list(int vertices, const HostOffset *indptr, const unsigned *indices, unsigned lines,
                                int depth, const int *level, uint2 *queue, unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    HostArcs<unsigned>{indptr, indices, lines}.append({queue, length}, v < vertices && level[v] == depth, v);
}
