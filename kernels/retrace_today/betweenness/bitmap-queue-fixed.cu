// betweenness/bitmap-queue with sums=fixed: scores that are the same bits by any schedule, and cut into any parts.
//
// Mapping  as betweenness/bitmap-queue.
// Order    the addend of a source to a score does not depend on the schedule. On the way back, a vertex's sum is taken in
//          the order of its arcs. On the way forward, atomic additions of path counts have one result while that is exact,
//          that is up to 2^53 (2^24 in floats). Where it is not, the vertex adds them up again, in the order of its arcs.

#include "fixed_point.cuh"

#define SCORE FixedPoint

#include "bitmap-queue.cu"
