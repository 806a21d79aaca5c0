// The blocks of a thread-block cluster that share a search.

#pragma once

#include "blocks.cuh"

// The blocks of a cluster, or one where there are no clusters.
struct Cluster : Blocks {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    __device__ Cluster() : Blocks{0, 1} {}
    __device__ void sync() const { __syncthreads(); }
#else
    __device__ Cluster() : Blocks{cg::this_cluster().block_rank(), cg::this_cluster().num_blocks()} {}
    __device__ void sync() const { cg::this_cluster().sync(); }
#endif
};
