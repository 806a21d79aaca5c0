// Not a solver: the distances of all vertices from up to 4 hubs, by which betweenness/lanes and lane-queues order sources.
//
// Mapping  a launch per level, a warp per vertex. The warp looks through the arcs that enter the vertex, 32 at a time, until
//          each search that has not met the vertex is found to have met a neighbour.
// Memory   a word per vertex has a byte for each hub: the distance, or 255. A level reads the words of the level before, so
//          that bytes other than 255 of unmet searches are all alike, and the least of them is what `and` leaves.

#include "../../offset.h"

constexpr unsigned LANES = 32, ALL_LANES = 0xFFFFFFFF, HUBS = 4, BYTE = 0xFF;

// Returns a word with 255 in each byte that is 255 in `distances`, and 0 elsewhere.
static __device__ unsigned unmet(unsigned distances)
{
    unsigned bytes = 0;
    for (unsigned place = 0; place < 8 * HUBS; place += 8)
        if ((distances >> place & BYTE) == BYTE) bytes |= BYTE << place;
    return bytes;
}

// Writes the distances after one more level to `after`, and sets `more` if any is new. Arcs are those that enter a vertex.
extern "C" __global__ void hub_distances(int vertices, const Offset *indptr, const int *indices,
                                         const unsigned *before, unsigned *after, int *more)
{
    const unsigned lane = threadIdx.x % LANES;
    const int v = int((blockIdx.x * (long long)(blockDim.x) + threadIdx.x) / LANES);
    if (v >= vertices) return;
    const unsigned own = before[v], sought = unmet(own);
    unsigned near = ALL_LANES;
    const Offset end = sought ? indptr[v + 1] : 0;
    for (Offset begin = sought ? indptr[v] : 0; begin < end && unmet(near) & sought; begin += LANES) {
        if (lane < end - begin) near &= before[indices[begin + lane]];
        for (unsigned other = LANES / 2; other; other /= 2) near &= __shfl_xor_sync(ALL_LANES, near, other);
    }
    const unsigned found = sought & ~unmet(near);
    if (lane) return;
    after[v] = (own & ~found) | (near & found) + (found & 0x01010101);
    if (found) *more = 1;
}
