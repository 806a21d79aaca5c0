// Predecessors for sssp/cluster and sssp/one-block, found in the distances by a pass over all arcs after the search.
//
// Report   none; ours, as the pass of sssp/mask-predecessor-pass.cu, for arcs that have a length.
// Mapping  one thread per vertex: take_predecessors.cuh.
// Arcs     of length 0 are left out. Where there are some, predecessors are -1 before, and mask-predecessor-pass.cu
//          goes on.

#include "../frontier/take_predecessors.cuh"

extern "C" __global__ void take_positive_predecessors(int vertices, const unsigned *indptr, const unsigned *indices,
                                                      const int *weights, const int *distance, int *predecessor)
{
    const auto length = [&](unsigned arc) { return __ldg(&weights[arc]); };
    take_predecessors(vertices, indptr, indices, length, distance, predecessor);
}
