// sssp/workfront-sweep: Bellman-Ford that relaxes the arcs of those vertices alone whose distance fell.
//
// Paper    A. Davidson, S. Baxter, M. Garland and J. D. Owens, "Work-Efficient Parallel GPU Methods for Single-Source
//          Shortest Paths", IPDPS 2014: Workfront Sweep.
// Report   an-bellman-ford, section 2, names it; its idea is that of the frontier propagation of edge-classes.cu.
// Sweep    workfront.cuh; here any arc is like any other.
// Departs  from the paper in what surrounds the algorithm: one launch in place of some in each iteration, bitmaps that
//          keep duplicates out in place of a step that removes them, and arcs divided by frontier.cuh in place of the
//          paper's three ways to balance the work.

#include "interleave.cuh"
#include "workfront.cuh"

struct Arc {
    int2 stored;

    __device__ unsigned head() const { return stored.x; }
    __device__ unsigned weight() const { return stored.y; }
    __device__ bool may_shorten(unsigned, unsigned) const { return true; }
    __device__ bool leads_on() const { return true; }
    __device__ void lower(int *distance, int through) const { atomicMin(distance, through); }
};

SWEEP_KERNEL(workfront_sweep, Arc, 32)
SWEEP_KERNEL(workfront_sweep, Arc, 64)
