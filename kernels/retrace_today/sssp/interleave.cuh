// Puts the head and the weight of each arc side by side, so that a search reads both by one load. One thread per arc.

#pragma once

#include "../../offset.h"

extern "C" __global__ void interleave(Offset arcs, const int *indices, const int *weights, int2 *out)
{
    const Offset arc = Offset(blockIdx.x) * blockDim.x + threadIdx.x;
    if (arc < arcs) out[arc] = make_int2(indices[arc], weights[arc]);
}
