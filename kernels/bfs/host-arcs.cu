// bfs/host-arcs: breadth-first search of a graph whose arcs stay in the host's memory; ours.
//
// Paper    EMOGI, VLDB 2020: lines.cuh.
// Mapping  a launch per level, in which a warp takes one entry of the queue at a time; the host reads its length.
// Queue    a vertex enters it once, when its level is found, so that all levels are parts of one queue.

#include "../host-arcs/lines.cuh"

constexpr int UNREACHED = 2147483647;

// Sets all levels, and queues the source.
extern "C" __global__ void start(int vertices, const Offset *indptr, const unsigned *indices, unsigned lines,
                                 int source, int *level, uint2 *queue, unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) level[v] = v == source ? 0 : UNREACHED;
    HostArcs<unsigned>{indptr, indices, lines}.start({queue, length}, source);
}

// Finds the vertices of a level, from the entries begin to end - 1, which are of the level before.
extern "C" __global__ void expand(const Offset *indptr, const unsigned *indices, unsigned lines, unsigned begin,
                                  unsigned end, int depth, int *level, uint2 *queue, unsigned *length,
                                  Traffic *total)
{
    const HostArcs<unsigned> arcs{indptr, indices, lines};
    const Team grid{false};
    Traffic traffic{0, 0};
    for (unsigned i = begin + grid.warp(); i < end; i += grid.warps())
        arcs.read(queue[i], traffic, [&](unsigned v, bool has) {
            const bool is_new = has && __ldcg(&level[v]) == UNREACHED;
            arcs.append({queue, length}, is_new && atomicCAS(&level[v], UNREACHED, depth) == UNREACHED, v);
        });
    traffic.add_to(total);
}
