// A label holds the distance (upper half) and the predecessor of a vertex in one 64-bit word, so that one atomicMin or
// one store sets both.

#pragma once

#include "unreachable.h"

using Label = unsigned long long;

__device__ inline int distance_of(Label label) { return int(label >> 32); }

__device__ inline Label make_label(int distance, int predecessor)
{
    return Label(distance) << 32 | unsigned(predecessor);
}
