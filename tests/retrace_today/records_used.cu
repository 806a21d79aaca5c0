// Counts how many arcs of each vertex are used, with one lane for a record or four.

#include "../../kernels/retrace_today/one-block/rounds.cuh"

template <int SLOTS> __device__ void count(int vertices, const unsigned *of_vertices, int *uses)
{
    const Records<SLOTS, 1> records{of_vertices};
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / records.SHARES;
    const bool has = v < vertices;
    records.for_each_arc(has, records.load(has ? v : 0), [&](const auto &, const bool(&is_arc)[SLOTS]) {
        for (const bool one : is_arc)
            if (one) atomicAdd(&uses[v], 1);
    });
}

extern "C" __global__ void count_by_record(int vertices, const unsigned *records, int *uses)
{
    count<4>(vertices, records, uses);
}

extern "C" __global__ void count_by_slot(int vertices, const unsigned *records, int *uses)
{
    count<1>(vertices, records, uses);
}
