// One entry of a complete graph's matrix; the same code on host, GPU and emulator.

#pragma once

#include "random_graph.h"

constexpr int NO_ARC = 2147483647;  // on the diagonal and in the padding of a row

__device__ inline int entry_of(int row, int column, int vertices, int low, int high, Word key)
{
    return row == column || column >= vertices ? NO_ARC : weight_of(row, column, low, high, key);
}
