// sssp/host-arcs: single-source shortest paths with predecessors, of a graph whose arcs stay in host memory; ours.
//
// Papers   EMOGI, VLDB 2020: lines.cuh. Near-Far Pile, IPDPS 2014: near-far.cu; a vertex that is expanded before its
//          distance is final has its arcs read over the link once more.
// Mapping  a launch per round, in which a warp takes an entry of the near queue at a time, and one per change of the
//          limit, with a thread for each vertex; the host reads the queue's length.
// Arcs     head and weight are side by side, 8 bytes, so that an arc is one load.
// Departs  from EMOGI, which relaxes the arcs of all vertices whose distance fell, near or far.
//          A sum beyond 32 bits does not wrap around: path_length.h.

#include "../host-arcs/lines.cuh"
#include "label.cuh"
#include "path_length.h"

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
    if (lane_number() == 0 && distance < UNREACHED) atomicMin(least, distance);
}

// Sets all labels, empties the far pile, and queues the source.
extern "C" __global__ void start(int vertices, const Offset *indptr, const int2 *pairs, unsigned lines, int source,
                                 Label *label, unsigned *far, int *least, uint2 *near, unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) label[v] = make_label(v == source ? 0 : UNREACHED, -1);
    if (v < vertices && v % 32 == 0) far[v / 32] = 0;
    if (v == 0) *least = UNREACHED;
    HostArcs<int2>{indptr, pairs, lines}.start({near, length}, source);
}

// Relaxes the arcs of near vertices. Heads whose distance fell are near in the next round if it is below the limit,
// each queued once, for which `queued` has a bit; the others are far.
extern "C" __global__ void relax(const Offset *indptr, const int2 *pairs, unsigned lines, const uint2 *near,
                                 unsigned entries, unsigned limit, Label *label, unsigned *far, int *least,
                                 unsigned *queued, uint2 *next, unsigned *length, Traffic *total)
{
    const HostArcs<int2> arcs{indptr, pairs, lines};
    const Team grid{false};
    Traffic traffic{0, 0};
    int least_far = UNREACHED;
    for (unsigned i = grid.warp(); i < entries; i += grid.warps()) {
        const unsigned u = near[i].x;
        const int distance = distance_of(__ldcg(&label[u]));
        arcs.read(near[i], traffic, [&](int2 arc, bool has) {
            const unsigned v = arc.x, bit = 1u << v % 32;
            const int sum = through(distance, arc.y);
            const bool fell = has && lower(&label[v], sum, u), is_near = fell && unsigned(sum) < limit;
            if (fell && !is_near) {
                atomicOr(&far[v / 32], bit);
                least_far = min(least_far, sum);
            }
            arcs.append({next, length}, is_near && !(atomicOr(&queued[v / 32], bit) & bit), v);
        });
    }
    lower_least(least, least_far);
    traffic.add_to(total);
}

// Queues the far vertices whose distance is below the limit; leaves out those that were near before.
extern "C" __global__ void collect(int vertices, const Offset *indptr, const int2 *pairs, unsigned lines,
                                   unsigned limit_before, unsigned limit, const Label *label, unsigned *far, int *least,
                                   uint2 *next, unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned before = v / 32 * 32 < vertices ? far[v / 32] : 0;
    const bool is_far = before >> lane_number() & 1;
    const unsigned distance = is_far ? distance_of(label[v]) : 0;
    const bool stays = is_far && distance >= limit;
    const unsigned left = __ballot_sync(ALL_LANES, stays);
    if (lane_number() == 0 && before) far[v / 32] = left;
    lower_least(least, stays ? int(distance) : UNREACHED);
    HostArcs<int2>{indptr, pairs, lines}.append({next, length}, is_far && !stays && distance >= limit_before, v);
}
