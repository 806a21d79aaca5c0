// betweenness/lane-queues with sums=fixed: scores that are the same bits by any schedule, and cut into any parts.
//
// Mapping  as betweenness/lane-queues.
// Order    the addend of a pass to a score depends on the sources of the pass alone. Both sums over a vertex's arcs are
//          taken in the order of its arcs, whichever warp takes the vertex, since the items of a ring keep that order. The
//          shares of the searches are added across the lanes in a fixed order. Path counts of 2^53 or more are rounded
//          alike.

#include "fixed_point.cuh"

#define SCORE(Real) FixedPoint

#include "lane-queues.cu"
