// Barriers of a cluster, with the shared memory of its other blocks; and what never ends, of a grid, too.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each block reads its right neighbour's shared memory and adds to its left neighbour's.
extern "C" __global__ void neighbours(int *out)
{
    __shared__ int value[32], sum;
    const cg::cluster_group cluster = cg::this_cluster();
    const int rank = cluster.block_rank(), blocks = cluster.num_blocks();
    value[threadIdx.x] = 1000 * blockIdx.x + threadIdx.x;
    if (threadIdx.x == 0) sum = 0;
    cluster.sync();
    const int *const right = cluster.map_shared_rank(value, (rank + 1) % blocks);
    atomicAdd(cluster.map_shared_rank(&sum, (rank + blocks - 1) % blocks), right[threadIdx.x] % 1000);
    cluster.barrier_arrive();
    const int own = value[31 - threadIdx.x];
    cluster.barrier_wait();
    out[blockIdx.x * 32 + threadIdx.x] = 100 * (right[threadIdx.x] / 1000) + own % 1000 + (sum == 496 ? 0 : -1);
    cluster.sync();  // no block ends while others read its memory
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(int *out)
{
    if (threadIdx.x == 0) out[blockIdx.x] = 10 * cg::this_cluster().num_blocks() + cg::this_cluster().block_rank();
}

extern "C" __global__ void grid_deadlock()
{
    if (blockIdx.x) cg::this_grid().sync();
}

extern "C" __global__ void cluster_deadlock()
{
    if (blockIdx.x == 0)
        cg::this_cluster().sync();
    else
        cg::this_grid().sync();
}

extern "C" __global__ void leaves_early() { cg::this_cluster().barrier_arrive(); }

// Each thread counts in its opposite's place, once all have arrived.
extern "C" __global__ void grid_round(int *out)
{
    const unsigned all = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    out[thread] = 0;
    cg::this_grid().sync();
    out[all - 1 - thread] += 1;
}

// The same with the threads of each cluster.
extern "C" __global__ void cluster_round(int *out)
{
    const unsigned all = cg::this_cluster().num_blocks() * blockDim.x;
    const unsigned thread = cg::this_cluster().block_rank() * blockDim.x + threadIdx.x;
    int *const own = out + blockIdx.x * blockDim.x + threadIdx.x - thread;
    own[thread] = 0;
    cg::this_cluster().sync();
    own[all - 1 - thread] += 1;
}
