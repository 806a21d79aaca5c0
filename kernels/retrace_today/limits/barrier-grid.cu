// limits/barrier-grid: the time of a barrier across the grid of a cooperative launch.
//
// Method   a grid of one block per multiprocessor passes its barrier again and again, with nothing between two barriers.
//          The first threads of its blocks take turns in telling how many there were. More blocks would take longer.

#include <cooperative_groups.h>

#include "barrier.cuh"

namespace cg = cooperative_groups;

extern "C" __global__ void barrier_grid(unsigned steps, unsigned long long *passed)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned turn = threadIdx.x == 0 ? blockIdx.x : NEVER;
    pass(steps, turn, gridDim.x, passed, [&] { grid.sync(); });
}
