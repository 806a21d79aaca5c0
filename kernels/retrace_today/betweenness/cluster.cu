// betweenness/cluster: betweenness centrality with a thread-block cluster for each source; ours, not from a report.
//
// Idea     a level of a deep graph has too little work for the grid, and a barrier of a cluster costs less than one of
//          the grid; other clusters search from other sources meanwhile.
// Mapping  cluster c takes the sources c, c + clusters, ...; shared_search.cuh has how its blocks share a level. Without
//          clusters, each block is one.
// Atomics  one addition to a score per vertex and source.

#include "../frontier/cluster_blocks.cuh"
#include "shared_search.cuh"

template <typename Real> __device__ void add_score(const Cluster &, Real *score, Real value) { atomicAdd(score, value); }

#define CLUSTER(Real)                                                                                   \
    extern "C" __global__ void __launch_bounds__(MOST_THREADS, 1)                                       \
        brandes_##Real(SHARED_SEARCH_PARAMETERS(Real))                                                  \
    {                                                                                                   \
        const Cluster team;                                                                             \
        SEARCH_OF_ROWS(Real, team, int(blockIdx.x / team.count), int(gridDim.x / team.count));          \
    }
CLUSTER(float)
CLUSTER(double)
