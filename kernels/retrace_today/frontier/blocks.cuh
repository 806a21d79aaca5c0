// The blocks that share a search: the grid, or a thread-block cluster of it.

#pragma once

#include "frontier.cuh"

struct Blocks {
    unsigned rank, count;  // of this block among them; of all

    __device__ unsigned thread() const { return rank * blockDim.x + threadIdx.x; }
    __device__ unsigned threads() const { return count * blockDim.x; }
    // Warps of consecutive numbers are in different blocks, as those of a Team are.
    __device__ unsigned warp() const { return threadIdx.x / LANES * count + rank; }
    __device__ unsigned warps() const { return count * (blockDim.x / LANES); }
    // The number of entries that a warp takes at a time.
    __device__ unsigned share(unsigned entries) const { return min(LANES, (entries + warps() - 1) / warps()); }
};

// All blocks.
struct Grid : Blocks {
    __device__ Grid() : Blocks{blockIdx.x, gridDim.x} {}
    __device__ void sync() const { cg::this_grid().sync(); }
};
