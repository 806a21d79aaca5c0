// betweenness/levels: betweenness centrality with a launch for each source and level.
//
// Report   domitrz-brandes, "Possible different approach and its drawbacks": described there, and not tried.
// Mapping  one thread a vertex, all blocks on the same source; the host goes from level to level and reads `cont`
//          after each. The arrays of one search are all the memory that it needs.
// Departs  delta, and the scores, as brandes.cuh says.

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
