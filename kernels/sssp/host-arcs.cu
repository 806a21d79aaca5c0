// sssp/host-arcs: single-source shortest paths with predecessors, of a graph whose arcs stay in host memory; ours.
//
// Papers   EMOGI, VLDB 2020: lines.cuh. Near-Far Pile, IPDPS 2014: near-far.cu; a vertex that is expanded before its
//          distance is final has its arcs read over the link once more.
// Mapping  a launch per round, in which a warp takes an entry of the near queue at a time, and one per change of the
//          limit, with a thread for each vertex; the host reads the queue's length. If many vertices are near, a warp
//          takes the next `lines` lines of all arcs instead, and reads those of near vertices.
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

// Sets all labels, empties the far pile, and queues the source, for which `queued` then has a bit.
extern "C" __global__ void start(int vertices, const Offset *indptr, const int2 *pairs, unsigned lines, int source,
                                 Label *label, unsigned *far, int *least, unsigned *queued, uint2 *near,
                                 unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) label[v] = make_label(v == source ? 0 : UNREACHABLE, -1);
    if (v < vertices && v % 32 == 0) {
        far[v / 32] = 0;
        queued[v / 32] = v / 32 == source / 32 ? 1u << source % 32 : 0;
    }
    if (v == 0) *least = UNREACHABLE;
    HostArcs<int2>{indptr, pairs, lines}.start({near, length}, source);
}

// Relaxes the arcs of near vertices. Heads that are near in the next round are queued, each once, for which `queued` has
// a bit.
extern "C" __global__ void relax(const Offset *indptr, const int2 *pairs, unsigned lines, const uint2 *near,
                                 unsigned entries, unsigned limit, Label *label, unsigned *far, int *least,
                                 unsigned *queued, uint2 *next, unsigned *length, Traffic *total)
{
    const HostArcs<int2> arcs{indptr, pairs, lines};
    const Team grid{false};
    Traffic traffic{0, 0};
    int least_far = UNREACHABLE;
    for (unsigned i = grid.warp(); i < entries; i += grid.warps()) {
        const unsigned u = near[i].x;
        const int distance = distance_of(__ldcg(&label[u]));
        arcs.read(near[i], traffic, [&](int2 arc, bool has) {
            const unsigned v = arc.x, bit = 1u << v % 32;
            const bool is_near = relax_arc(arc, has, u, distance, limit, label, far, least_far);
            arcs.append({next, length}, is_near && !(atomicOr(&queued[v / 32], bit) & bit), v);
        });
    }
    lower_least(least, least_far);
    traffic.add_to(total);
}

// Relaxes the arcs of the vertices that `near` has a bit for, in the order of their places. `queued` then has a bit for
// those that are near in the next round.
extern "C" __global__ void sweep(const Offset *indptr, const int2 *pairs, unsigned lines, unsigned vertices,
                                 const unsigned *near, unsigned limit, Label *label, unsigned *far, int *least,
                                 unsigned *queued, Traffic *total)
{
    const HostArcs<int2> arcs{indptr, pairs, lines};
    const Team grid{false};
    Traffic traffic{0, 0};
    int least_far = UNREACHABLE;
    const Offset share = Offset(lines) * arcs.IN_LINE;
    for (Offset i = indptr[0] + grid.warp() * share; i < indptr[vertices]; i += grid.warps() * share)
        arcs.read_in_order(
            i, vertices, traffic, [&](unsigned u) { return near[u / 32] >> u % 32 & 1; },
            [&](int2 arc, bool has, unsigned u) {
                const unsigned v = arc.x, bit = 1u << v % 32;
                const int distance = has ? distance_of(__ldcg(&label[u])) : UNREACHABLE;
                const bool is_near = relax_arc(arc, has, u, distance, limit, label, far, least_far);
                if (is_near && !(__ldcg(&queued[v / 32]) & bit)) atomicOr(&queued[v / 32], bit);
            });
    lower_least(least, least_far);
    traffic.add_to(total);
}

// Queues the vertices that `queued` has a bit for.
extern "C" __global__ void list(int vertices, const Offset *indptr, const int2 *pairs, unsigned lines,
                                const unsigned *queued, uint2 *next, unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_queued = v < vertices && queued[v / 32] >> v % 32 & 1;
    HostArcs<int2>{indptr, pairs, lines}.append({next, length}, is_queued, v);
}

// Queues the far vertices whose distance is below the limit, for which `queued` then has a bit; leaves out those that
// were near before.
extern "C" __global__ void collect(int vertices, const Offset *indptr, const int2 *pairs, unsigned lines,
                                   unsigned limit_before, unsigned limit, const Label *label, unsigned *far, int *least,
                                   unsigned *queued, uint2 *next, unsigned *length)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned before = v / 32 * 32 < vertices ? far[v / 32] : 0;
    const bool is_far = before >> lane_number() & 1;
    const unsigned distance = is_far ? distance_of(label[v]) : 0;
    const bool stays = is_far && distance >= limit, comes = is_far && !stays && distance >= limit_before;
    const unsigned left = __ballot_sync(ALL_LANES, stays), coming = __ballot_sync(ALL_LANES, comes);
    if (lane_number() == 0 && before) far[v / 32] = left;
    if (lane_number() == 0 && v < vertices) queued[v / 32] = coming;
    lower_least(least, stays ? int(distance) : UNREACHABLE);
    HostArcs<int2>{indptr, pairs, lines}.append({next, length}, comes, v);
}
