// betweenness/vert-comp-virt: betweenness/vert-virt on the compacted graph.
//
// Report   domitrz-brandes, brandes-par-vert-comp-virt.cu.
// Mapping  as betweenness/vert-virt, on the compacted graph: the host repeatedly removes vertices of degree 1 and
//          accounts for their contributions (host/compact.cpp).
// Departs  see brandes.cuh and virtual.cuh.

#include "virtual.cuh"

#define VERT_COMP_VIRT(Real)                                                                           \
    extern "C" __global__ void TWO_BLOCKS brandes_##Real(                                              \
        int vertices, int virtual_vertices, const int *vmap, const int *vptr, const int *indices,      \
        const int *reach, const int *source_count,                                                     \
        BATCH_PARAMETERS(Real))                                                                        \
    {                                                                                                  \
        add_scores(vertices,                                                                           \
                   Virtual(AsParameters{vertices, virtual_vertices}, VirtualCSR{vptr}, vmap, indices), \
                   CompactedGraph{reach, source_count}, BATCH(Real));                                  \
    }

VERT_COMP_VIRT(float)
VERT_COMP_VIRT(double)
