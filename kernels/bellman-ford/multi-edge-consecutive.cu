// bellman-ford/multi-edge-consecutive: several arcs per thread, not coalesced.
//
// Report   an-bellman-ford, section 4.2: the alternative that Algorithm 5 is compared with. It has no pseudo-code.
// Mapping  thread t takes edges_per_thread consecutive arcs, in row order, from t * edges_per_thread on. Neighbouring
//          threads therefore read entries that are edges_per_thread apart. There are as many threads as in multi-edge.cu.

#include "relax.cuh"

extern "C" __global__ void relax_consecutive(int vertices, int pitch, int edges_per_thread, const int *matrix,
                                             int *distance, const int *mask, int *mask1, int *flag)
{
    const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x, first = thread * edges_per_thread;
    int i = int(first / vertices), j = int(first % vertices);
    for (int edge = 0; edge < edges_per_thread && i < vertices; edge++) {
        if (mask[i] == 1) relax(through(distance[i], matrix[entry(i, j, pitch)]), j, distance, mask1, flag);
        if (++j == vertices) {
            i++;
            j = 0;
        }
    }
}
