// bellman-ford/streams, streams-pinned and resident: read only the rows of active vertices, as int4.
//
// Report   an-bellman-ford, section 4.1 (streams): each part of the matrix is relaxed as soon as it has arrived.
//          The kernels themselves are ours.
// Mapping  list_rows: one thread per row. relax_rows: one block per ROWS listed rows, one thread per 4 heads.
// Departs  a vertex is active if its distance fell after its row was last relaxed; relaxed[] holds the distance of that
//          time. Swapped masks would also relax a row again if it arrived, and was relaxed, after the distance fell.
//          Each thread takes the minimum over ROWS rows in registers. It reads the distances once per ROWS rows, past
//          L1, because other multiprocessors lower them too. It issues an atomic only where the sum is smaller.

#include "sum.h"

constexpr int ROWS = 4;

// `listed` has one entry per part that is relaxed on arrival, and one more for all later iterations.
extern "C" __global__ void start(int size, int source, int *distance, int *relaxed, int counters, unsigned *listed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < counters) listed[i] = 0;
    if (i >= size) return;
    distance[i] = i == source ? 0 : UNREACHABLE;
    relaxed[i] = UNREACHABLE;
}

// Lists the active vertices of a part in rows[first], rows[first + 1], ...; `before` is *listed before this launch.
extern "C" __global__ void list_rows(int first, int count, const int *distance, int *relaxed, unsigned before,
                                     unsigned *listed, int *rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int u = first + i, now = distance[u];
    if (now == relaxed[u]) return;
    relaxed[u] = now;
    rows[first + atomicAdd(listed, 1) - before] = u;
}

__device__ inline int lesser(int a, int b) { return a < b ? a : b; }

__device__ inline void lower(int *distance, int known, int sum)
{
    if (sum < known) atomicMin(distance, sum);
}

// Relaxes the rows that list_rows listed. `pitch` is a multiple of 4, and distance[] has `pitch` entries.
extern "C" __global__ void relax_rows(int first, int pitch, const int *matrix, unsigned before, const unsigned *listed,
                                      const int *rows, const int *relaxed, int *distance)
{
    const int begin = blockIdx.x * ROWS, active = int(*listed - before);
    if (begin >= active) return;
    int from[ROWS];
    const int4 *row[ROWS];
    for (int r = 0; r < ROWS; r++) {
        const int u = rows[first + lesser(begin + r, active - 1)];  // relaxing the last row twice is harmless
        from[r] = relaxed[u];
        row[r] = reinterpret_cast<const int4 *>(matrix + size_t(u) * pitch);
    }
    for (int quad = threadIdx.x; quad < pitch / 4; quad += blockDim.x) {
        int4 weight[ROWS];
        for (int r = 0; r < ROWS; r++) weight[r] = __ldcs(&row[r][quad]);
        const int4 known = __ldcg(reinterpret_cast<const int4 *>(distance) + quad);
        int4 sum = known;
        for (int r = 0; r < ROWS; r++) {
            sum.x = lesser(sum.x, through(from[r], weight[r].x));
            sum.y = lesser(sum.y, through(from[r], weight[r].y));
            sum.z = lesser(sum.z, through(from[r], weight[r].z));
            sum.w = lesser(sum.w, through(from[r], weight[r].w));
        }
        lower(&distance[4 * quad], known.x, sum.x);
        lower(&distance[4 * quad + 1], known.y, sum.y);
        lower(&distance[4 * quad + 2], known.z, sum.z);
        lower(&distance[4 * quad + 3], known.w, sum.w);
    }
}
