// betweenness/vert-virt: betweenness centrality with one thread per virtual vertex, on Virtual-CSR.
//
// Report   domitrz-brandes, brandes-par-vert-virt.cu.
// Mapping  one block per source. Each thread scans its share of all virtual vertices for those on the level. On the way
//          back it first sums over its arcs, so that there is one atomic addition per virtual vertex (up to mdeg arcs).
// Departs  see brandes.cuh and virtual.cuh.

#include "virtual.cuh"

#define VERT_VIRT(Real)                                                                                \
    extern "C" __global__ void TWO_BLOCKS brandes_##Real(                                              \
        int vertices, int virtual_vertices, const int *vmap, const int *vptr, const int *indices,      \
        BATCH_PARAMETERS(Real))                                                                        \
    {                                                                                                  \
        add_scores(vertices,                                                                           \
                   Virtual(AsParameters{vertices, virtual_vertices}, VirtualCSR{vptr}, vmap, indices), \
                   WholeGraph{}, BATCH(Real));                                                         \
    }

VERT_VIRT(float)
VERT_VIRT(double)
