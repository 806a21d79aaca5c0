// sssp/gpu-search: searches for a masked vertex on the device, so that the host reads one int instead of the mask.
//
// Report   tuwien-sssp, section 5, "GPU Search".
// Mapping  one thread per vertex of the searched part. The host searches 1 block, then the next 2, 4, 8, ... blocks,
//          until a masked vertex is found or the mask ends.
// Departs  nothing; the report prints no pseudo-code.

extern "C" __global__ void mask_search(int begin, int end, const bool *mask, int *found)
{
    const int v = begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (v < end && mask[v]) *found = 1;
}
