// betweenness/edge-comp: betweenness/edge on the compacted graph.
//
// Report   domitrz-brandes, brandes-par-edge-comp.cu.
// Mapping  as betweenness/edge, on the compacted graph: the host repeatedly removes vertices of degree 1 and accounts
//          for their contributions (host/compact.cpp).
// Departs  see brandes.cuh.

#include "edge.cuh"

#define EDGE_COMP(Real)                                                       \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS) brandes_##Real( \
        int vertices, int arcs, const int *tails, const int *heads,           \
        const int *reach, const int *source_count,                            \
        BATCH_PARAMETERS(Real))                                               \
    {                                                                         \
        add_scores(vertices,                                                  \
                   Edge(vertices, arcs, tails, heads),                        \
                   CompactedGraph{reach, source_count}, BATCH(Real));         \
    }

EDGE_COMP(float)
EDGE_COMP(double)
