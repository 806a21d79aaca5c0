// Predecessors for bfs/cluster, found in the levels by a pass over all arcs after the search.
//
// Report   none; ours, as the pass of sssp/mask-predecessor-pass.cu, for arcs of length 1.
// Mapping  one thread per vertex: take_predecessors.cuh.

#include "../frontier/take_predecessors.cuh"

extern "C" __global__ void take_level_predecessors(int vertices, const unsigned *indptr, const unsigned *indices,
                                                   const int *level, int *predecessor)
{
    take_predecessors(vertices, indptr, indices, [](unsigned) { return 1; }, level, predecessor);
}
