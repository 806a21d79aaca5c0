// generate/dense: the matrix of a complete graph, on the device: the same as kernels/host/generate_dense.cpp makes.
//
// Report   an-bellman-ford, section 3, whose input is a complete graph; it does not say how it was made.
// Mapping  one thread a column and a stride of rows, consecutive threads on consecutive columns.

#include "dense.h"

extern "C" __global__ void dense_matrix(int vertices, int pitch, int low, int high, Word key, int *matrix)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= pitch) return;
    for (int row = blockIdx.y; row < vertices; row += gridDim.y)
        matrix[size_t(row) * pitch + column] = entry_of(row, column, vertices, low, high, key);
}
