// bfs/bsp: breadth-first search with two bulk-synchronous kernels.
//
// Report   bsp-suite, Algorithms 3.2 (BFS_KERNEL1) and 3.3 (BFS_KERNEL2), after Harish and Narayanan, HiPC 2007.
// Mapping  one thread a vertex, in both kernels; one pair of launches a level, with the host in between.
// Departs  the source starts out visited; as printed, its neighbours label it a second time, with level 2.
//          A `while Terminate is false` of the skeleton becomes `while more is true`: one flag, set by any thread.
//
// The report's names: frontier F_a, updating F_ua, visited X_a, level C_a, indptr V_a, indices E_a.

extern "C" __global__ void bfs_kernel1(int vertices, const int *indptr, const int *indices, const bool *visited,
                                       bool *frontier, bool *updating, int *level)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || !frontier[u]) return;
    frontier[u] = false;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc];
        if (!visited[v]) {
            level[v] = level[u] + 1;  // every writer of this iteration writes the same level
            updating[v] = true;
        }
    }
}

extern "C" __global__ void bfs_kernel2(int vertices, bool *frontier, bool *updating, bool *visited, int *more)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || !updating[v]) return;
    frontier[v] = true;
    visited[v] = true;
    updating[v] = false;
    *more = 1;
}
