// betweenness/vert-virt-stride: betweenness centrality with a thread for each virtual vertex, on Stride-CSR.
//
// Report   domitrz-brandes, brandes-par-vert-virt-stride.cu.
// Mapping  one block a source. Each thread looks through its share of all virtual vertices for those of the level.
//          What its arcs bring on the way back it adds up first: one atomic addition for up to mdeg arcs.
// Departs  as brandes.cuh and virtual.cuh say.

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
