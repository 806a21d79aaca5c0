// limits/barrier-cluster: the time of a barrier of a thread-block cluster.
//
// Method   one cluster passes its barrier again and again, with nothing between two barriers. The first threads of its
//          blocks take turns in telling how many there were.

#include <cooperative_groups.h>

#include "barrier.cuh"

namespace cg = cooperative_groups;

extern "C" __global__ void barrier_cluster(unsigned steps, unsigned long long *passed)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned turn = threadIdx.x == 0 ? cluster.block_rank() : NEVER;
    pass(steps, turn, cluster.num_blocks(), passed, [&] { cluster.sync(); });
}
