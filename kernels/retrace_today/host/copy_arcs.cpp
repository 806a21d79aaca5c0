// Not a solver: copies the arcs of a graph to where kernels read them over the link, on all cores.
//
// Used by  the solvers of host-arcs.

#include "../../host/in_parallel.h"

// Writes the heads of arcs, or with weights both side by side.
extern "C" void copy_arcs(long long arcs, const int *indices, const int *weights, int *out)
{
    in_parallel(all_cores(), 0, arcs, [&](Position begin, Position end) {
        if (!weights) {
            std::copy(indices + begin, indices + end, out + begin);
            return;
        }
        for (Position arc = begin; arc < end; arc++) {
            out[2 * arc] = indices[arc];
            out[2 * arc + 1] = weights[arc];
        }
    });
}
