// Adds numbers up in fixed point, each thread its own one.

#include "../../kernels/retrace_today/betweenness/fixed_point.cuh"

extern "C" __global__ void add_up(int count, const double *addends, unsigned long long *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(reinterpret_cast<FixedPoint *>(sum), addends[i]);
}
