// One entry of a complete graph's matrix, UNREACHABLE on the diagonal and in the padding of a row; the same code on
// host, GPU and emulator.

#pragma once

#include "../unreachable.h"
#include "random_graph.h"

__device__ inline int entry_of(int row, int column, int vertices, int low, int high, Word key)
{
    return row == column || column >= vertices ? UNREACHABLE : weight_of(row, column, low, high, key);
}
