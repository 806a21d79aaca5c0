// sssp/standard-counted: counts the sectors of memory that the relaxations of sssp/standard read labels from.
//
// Report   none; tuwien-sssp, section 6, supposes that frequent random accesses make caches work badly.
// Mapping  one thread per vertex; a launch before each one of mask_relax. The lanes of a warp take their n-th arcs
//          together, as there: a sector that several of them read from is read once.

constexpr int LABELS = 4;  // in a sector: of 8 bytes each in 32, the least that a GPU reads

extern "C" __global__ void count_sectors(int vertices, const int *indptr, const int *indices, const bool *mask,
                                         unsigned long long *reads, unsigned long long *sectors)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const int lanes = min(32, int(blockDim.x) - int(threadIdx.x) / 32 * 32);
    const unsigned warp = 0xffffffff >> (32 - lanes);
    const bool masked = u < vertices && mask[u];
    int arc = masked ? indptr[u] : 0, own_reads = 0, own_sectors = 0;
    const int end = masked ? indptr[u + 1] : 0;
    while (__any_sync(warp, arc < end)) {
        const int sector = arc < end ? indices[arc] / LABELS : -1;
        bool is_first = arc < end;  // of the lanes that read from this sector
        for (int before = 0; before < lanes - 1; before++) {
            const int theirs = __shfl_sync(warp, sector, before);
            is_first &= before >= lane || theirs != sector;
        }
        own_sectors += is_first;
        own_reads += arc < end;
        arc++;
    }
    if (own_reads) atomicAdd(reads, own_reads);
    if (own_sectors) atomicAdd(sectors, own_sectors);
}
