// generate/dense: the matrix of a complete graph, made on the device; equal to that of kernels/host/generate_dense.cpp.
//
// Report   an-bellman-ford, section 3. Its input is a complete graph; it does not say how the graph was made.
// Mapping  one thread per column and every gridDim.y-th row; consecutive threads write consecutive columns.

#include "dense.h"

extern "C" __global__ void dense_matrix(int vertices, int pitch, int low, int high, Word key, int *matrix)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= pitch) return;
    for (int row = blockIdx.y; row < vertices; row += gridDim.y)
        matrix[size_t(row) * pitch + column] = entry_of(row, column, vertices, low, high, key);
}
