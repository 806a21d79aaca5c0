// bfs/bsp-counted: counts how often bfs/bsp expands each vertex.
//
// Report   none; bsp-suite, 3.2.3, says that a level that was visited is not visited again.
// Mapping  one thread per vertex; a launch before each one of bfs_kernel1, which expands the vertices of the frontier.

extern "C" __global__ void count_frontier(int vertices, const bool *frontier, int *times)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u < vertices && frontier[u]) times[u]++;
}
