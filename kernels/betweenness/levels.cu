// betweenness/levels: betweenness centrality with one launch per source and level.
//
// Report   domitrz-brandes, "Possible different approach and its drawbacks": described there, but not implemented.
// Mapping  one thread per vertex; all blocks work on the same source. The host goes from level to level and reads
//          `cont` after each. Only the arrays of one search are in memory.
// Departs  delta and the scores: see brandes.cuh.

#include "vert.cuh"

#define AT_EACH_VERTEX(name, Real, ...)                                                                           \
    extern "C" __global__ void name(int vertices, const int *indptr, const int *indices, Real *sigma, Real *delta, \
                                    int *d, bool *cont, Real *score, int *overflow, int source, int level)        \
    {                                                                                                             \
        const int u = blockIdx.x * blockDim.x + threadIdx.x;                                                      \
        if (u >= vertices) return;                                                                                \
        const Search<Real, WholeGraph> search{sigma, delta, d, cont, score, overflow, WholeGraph{}, source};      \
        [[maybe_unused]] const Neighbours neighbours{indptr, indices};                                            \
        __VA_ARGS__;                                                                                              \
    }

#define LEVELS(Real)                                                                                         \
    AT_EACH_VERTEX(levels_start_##Real, Real, search.start(u))                                               \
    AT_EACH_VERTEX(levels_expand_##Real, Real, if (d[u] == level) neighbours.expand(search, u, level))       \
    AT_EACH_VERTEX(levels_collect_##Real, Real, if (d[u] == level) neighbours.collect(search, u, level))

LEVELS(float)
LEVELS(double)
