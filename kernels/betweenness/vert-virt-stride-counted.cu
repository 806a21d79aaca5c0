// betweenness/vert-virt-stride-counted: betweenness/vert-virt-stride, which counts its atomic additions.
//
// Report   domitrz-brandes, brandes-par-vert-virt-stride.cu; see edge-counted.cu.
// Mapping  as betweenness/vert-virt-stride.
// Departs  see brandes.cuh and virtual.cuh.

#include "counted.cuh"

#include "vert-virt-stride.cu"
