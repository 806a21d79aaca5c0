// betweenness/vert-virt-stride: betweenness centrality with one thread per virtual vertex, on Stride-CSR.
//
// Report   domitrz-brandes, brandes-par-vert-virt-stride.cu.
// Mapping  one block per source. Each thread scans its share of all virtual vertices for those on the level. On the way
//          back it first sums over its arcs, so that there is one atomic addition per virtual vertex (up to mdeg arcs).
// Departs  see brandes.cuh and virtual.cuh.

#include "virtual.cuh"

#define VERT_VIRT_STRIDE(Real)                                                                                       \
    extern "C" __global__ void TWO_BLOCKS brandes_##Real(                                                            \
        int vertices, int virtual_vertices, const int *vmap, const int *begin, const int *nvir,                      \
        const int *indptr, const int *indices,                                                                       \
        BATCH_PARAMETERS(Real))                                                                                      \
    {                                                                                                                \
        add_scores(vertices,                                                                                         \
                   Virtual(AsParameters{vertices, virtual_vertices}, StrideCSR{begin, nvir, indptr}, vmap, indices), \
                   WholeGraph{}, BATCH(Real));                                                                       \
    }

VERT_VIRT_STRIDE(float)
VERT_VIRT_STRIDE(double)
