// betweenness/vert-comp-virt-stride: betweenness/vert-virt-stride on the compacted graph; the report's fastest variant.
//
// Report   domitrz-brandes, brandes-par-vert-comp-virt-stride.cu.
// Mapping  as betweenness/vert-virt-stride, on the compacted graph: the host repeatedly removes vertices of degree 1
//          and accounts for their contributions (host/compact.cpp).
// Departs  see brandes.cuh and virtual.cuh.

#include "virtual.cuh"

#define VERT_COMP_VIRT_STRIDE(Real)                                                                                  \
    extern "C" __global__ void TWO_BLOCKS brandes_##Real(                                                            \
        int vertices, int virtual_vertices, const int *vmap, const int *begin, const int *nvir,                      \
        const int *indptr, const int *indices,                                                                       \
        const int *reach, const int *source_count,                                                                   \
        BATCH_PARAMETERS(Real))                                                                                      \
    {                                                                                                                \
        add_scores(vertices,                                                                                         \
                   Virtual(AsParameters{vertices, virtual_vertices}, StrideCSR{begin, nvir, indptr}, vmap, indices), \
                   CompactedGraph{reach, source_count}, BATCH(Real));                                                \
    }

VERT_COMP_VIRT_STRIDE(float)
VERT_COMP_VIRT_STRIDE(double)
