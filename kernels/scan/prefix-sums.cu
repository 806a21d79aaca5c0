// Exclusive prefix sums on the device: what turns the vertices' degrees into indptr.
//
// Report   domitrz-brandes, "Computing prefix sums on GPU", which it leaves out; tuwien-sssp's second generator needs
//          them as well (generate/random-degree).
// Mapping  one thread for CHUNK entries: sum_chunks from fine to coarse until one chunk holds all, then scan_chunks from
//          coarse to fine. 2^23 entries need three launches of each, and no transfer.

constexpr int CHUNK = 256;

extern "C" __global__ void sum_chunks(int size, const int *values, int *sums)
{
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk > (size - 1) / CHUNK) return;
    const int begin = chunk * CHUNK, length = min(CHUNK, size - begin);
    int sum = 0;
    for (int i = begin; i < begin + length; i++) sum += values[i];
    sums[chunk] = sum;
}

// Turns values into the sums of all before each, given such sums of the chunks.
extern "C" __global__ void scan_chunks(int size, int *values, const int *before)
{
    const int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk > (size - 1) / CHUNK) return;
    const int begin = chunk * CHUNK, length = min(CHUNK, size - begin);
    int sum = before[chunk];
    for (int i = begin; i < begin + length; i++) {
        const int value = values[i];
        values[i] = sum;
        sum += value;
    }
}
