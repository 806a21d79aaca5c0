// The arcs that enter each vertex, made of those that leave it, by counting: ours, for bfs/direction and betweenness.
//
// Mapping  count_entering: one thread per arc. place_entering: one warp per vertex, whose lanes take its arcs. In
//          between, scan/prefix-sums.cu turns the counts into places. count_entered: one thread per vertex.
//          sort_entering: one warp per 32 vertices, for one after the other; one block for each row that is long.
// Trick    ends[v + 1] counts the arcs that enter v, becomes the place of the first of them, and, when each arc has
//          taken a place, is the end of the last: then `ends` is the indptr of the entering arcs.
// Order    the arcs that enter a vertex have no particular order, unless sort_entering is launched last.

#include "../../offset.h"

extern "C" __global__ void count_entering(Offset arcs, const int *indices, Offset *ends)
{
    const Offset arc = Offset(blockIdx.x) * blockDim.x + threadIdx.x;
    if (arc < arcs) atomicAdd(&ends[indices[arc] + 1], Offset(1));
}

extern "C" __global__ void place_entering(int vertices, const Offset *indptr, const int *indices, Offset *ends,
                                          int *tails)
{
    const unsigned u = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (u >= unsigned(vertices)) return;
    for (Offset arc = indptr[u] + threadIdx.x % 32; arc < indptr[u + 1]; arc += 32)
        tails[atomicAdd(&ends[indices[arc] + 1], Offset(1))] = u;
}

// Counts the vertices that an arc enters, given their `ends`.
extern "C" __global__ void count_entered(int vertices, const Offset *ends, unsigned *entered)
{
    const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned here = __syncthreads_count(v < unsigned(vertices) && ends[v] < ends[v + 1]);
    if (threadIdx.x == 0) atomicAdd(entered, here);
}

// Sorts a row in place by a bitonic network (K. E. Batcher, "Sorting networks and their applications", AFIPS 1968) whose
// comparisons all move the larger number up: places beyond the end then need no number. Each thread of a team calls it.
template <typename Sync>
static __device__ void sort_row(int *row, Offset count, unsigned rank, unsigned team, Sync sync)
{
    for (Offset half = 1; half < count; half *= 2)
        for (Offset apart = half; apart; apart /= 2) {
            sync();
            for (Offset pair = rank; pair < count; pair += team) {
                const Offset place = pair & (apart - 1), low = 2 * pair - place;
                const Offset high = apart == half ? low + 2 * (apart - place) - 1 : low + apart;
                if (high >= count) continue;
                const int one = row[low], other = row[high];
                if (one <= other) continue;
                row[low] = other;
                row[high] = one;
            }
        }
}

constexpr int MOST_THREADS = 1024;
constexpr Offset LONG_ROW = 1024;  // arcs of which a warp sorts no more

// Sorts the arcs that enter each vertex by their tails.
extern "C" __global__ void sort_entering(unsigned vertices, const Offset *ends, int *tails)
{
    __shared__ unsigned hubs[MOST_THREADS];
    __shared__ int hub_count;
    if (threadIdx.x == 0) hub_count = 0;
    __syncthreads();
    const unsigned lane = threadIdx.x % 32, first = blockIdx.x * blockDim.x + threadIdx.x - lane;
    for (unsigned v = first; v < first + 32 && v < vertices; v++) {
        const Offset count = ends[v + 1] - ends[v];
        if (count <= LONG_ROW)
            sort_row(tails + ends[v], count, lane, 32, [] { __syncwarp(); });
        else if (lane == 0)
            hubs[atomicAdd(&hub_count, 1)] = v;
    }
    __syncthreads();
    for (int i = 0; i < hub_count; i++) {
        const Offset begin = ends[hubs[i]];
        sort_row(tails + begin, ends[hubs[i] + 1] - begin, threadIdx.x, blockDim.x, [] { __syncthreads(); });
    }
}
