// limits/load-cluster: the latency of a load from the shared memory of another block of the cluster.
//
// Method   each block of a cluster lays the same cycle through 16 KiB of its shared memory. The first thread of the first
//          block follows it through the memory of each other block in turn, `steps` / (blocks - 1) loads in each, since
//          the way to some is longer than to others. All blocks wait until it has finished.

#include <cooperative_groups.h>

#include "cycle.cuh"

namespace cg = cooperative_groups;

constexpr unsigned WORDS = 4096;

extern "C" __global__ void load_cluster(unsigned steps, unsigned long long *end)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ unsigned next[WORDS];
    lay_cycle(next, WORDS, threadIdx.x, blockDim.x);
    cluster.sync();
    if (cluster.thread_rank() == 0) {
        unsigned at = 0;
        for (unsigned block = 1; block < cluster.num_blocks(); block++) {
            const unsigned *const theirs = cluster.map_shared_rank(next, block);
            at = follow(at, steps / (cluster.num_blocks() - 1), [=](unsigned i) { return theirs[i]; });
        }
        *end = at;
    }
    cluster.sync();
}
