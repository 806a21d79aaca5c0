// bfs/bsp: breadth-first search with two bulk-synchronous kernels.
//
// Report   bsp-suite, Algorithms 3.2 (BFS_KERNEL1) and 3.3 (BFS_KERNEL2), after Harish and Narayanan, HiPC 2007.
// Mapping  one thread per vertex in both kernels; one pair of launches per level, with the host in between.
// Departs  the source is visited from the start. In print it is not, so its neighbours label it again, with level 2.
//          `while Terminate is false` becomes `while more is true`: one flag, which any thread may set.
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
            level[v] = level[u] + 1;  // all writers of this iteration write the same level
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
