// bellman-ford/csr: sparse graphs in compressed sparse rows; one thread per vertex relaxes the arcs that leave it.
//
// Report   an-bellman-ford, section 4.3: the "common approach in some papers, where each thread processes the adjacency
//          list of a vertex", to which it prefers Algorithm 6 (edge-list.cu), because degrees differ. It has no
//          pseudo-code.
// Mapping  one thread per vertex.
// Departs  see relax.cuh.

#include "relax.cuh"

extern "C" __global__ void relax_rows_of_vertices(int vertices, const int *indptr, const int *indices,
                                                  const int *weights, int *distance, const int *mask, int *mask1,
                                                  int *flag)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || mask[u] != 1) return;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++)
        relax(through(distance[u], weights[arc]), indices[arc], distance, mask1, flag);
}
