// betweenness/vert-comp-virt-stride-const: betweenness/vert-comp-virt-stride with __constant__ memory.
//
// Report   domitrz-brandes, brandes-par-vert-comp-virt-stride-const.cu.
// Mapping  as betweenness/vert-comp-virt-stride. The threads read the numbers of vertices and of virtual vertices from
//          constant memory. CUDA keeps kernel parameters in constant memory as well.
// Departs  see brandes.cuh and virtual.cuh.

#include "virtual.cuh"

__constant__ int constant_vertices, constant_virtual_vertices;

struct InConstantMemory {
    __device__ int vertices() const { return constant_vertices; }
    __device__ int virtual_vertices() const { return constant_virtual_vertices; }
};

#define VERT_COMP_VIRT_STRIDE_CONST(Real)                                                          \
    extern "C" __global__ void TWO_BLOCKS brandes_##Real(                                          \
        const int *vmap, const int *begin, const int *nvir, const int *indptr, const int *indices, \
        const int *reach, const int *source_count,                                                 \
        BATCH_PARAMETERS(Real))                                                                    \
    {                                                                                              \
        add_scores(constant_vertices,                                                              \
                   Virtual(InConstantMemory{}, StrideCSR{begin, nvir, indptr}, vmap, indices),     \
                   CompactedGraph{reach, source_count}, BATCH(Real));                              \
    }

VERT_COMP_VIRT_STRIDE_CONST(float)
VERT_COMP_VIRT_STRIDE_CONST(double)
