// Not a solver: the distances of sources from up to 4 hubs, by which betweenness/lanes and lane-queues order them.
//
// Mapping  a launch per hub, of a grid of any size; a launch per level, a warp per vertex; and a thread per source. The warp
//          looks through the arcs that enter the vertex, 32 at a time, until each search that has not met the vertex is found
//          to have met a neighbour.
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

// Writes the greatest key below that of the hub before to `keys[number]`, which was 0. A key is a vertex's arcs, then the
// complement of its number, so that of vertices with as many arcs the first comes first.
extern "C" __global__ void find_hub(int vertices, const Offset *indptr, int number, unsigned long long *keys)
{
    const unsigned long long bound = number ? keys[number - 1] : ~0ull;
    const long long threads = (long long)(gridDim.x) * blockDim.x;
    unsigned long long greatest = 0;
    for (long long v = blockIdx.x * (long long)(blockDim.x) + threadIdx.x; v < vertices; v += threads) {
        const unsigned long long key = (unsigned long long)(indptr[v + 1] - indptr[v]) << 32 | ~unsigned(v);
        if (key < bound && key > greatest) greatest = key;
    }
    for (unsigned other = LANES / 2; other; other /= 2) {
        const unsigned long long theirs = __shfl_xor_sync(ALL_LANES, greatest, other);
        if (theirs > greatest) greatest = theirs;
    }
    if (threadIdx.x % LANES == 0) atomicMax(&keys[number], greatest);
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

// Copies the words of the sources to `found`.
extern "C" __global__ void of_sources(int count, const int *sources, const unsigned *words, unsigned *found)
{
    const int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number < count) found[number] = words[sources[number]];
}
