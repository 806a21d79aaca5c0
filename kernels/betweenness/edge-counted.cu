// betweenness/edge-counted: betweenness/edge, which counts its atomic additions.
//
// Report   domitrz-brandes, brandes-par-edge.cu; "Comment on Virtual and Stride-CSR" says that Stride-CSR needs fewer.
// Mapping  as betweenness/edge.
// Departs  see brandes.cuh.

#include "counted.cuh"

#include "edge.cu"
