// betweenness/frontier: betweenness centrality from one source after the other; ours, not from a report.
//
// Idea     few sources of a large graph: the whole grid shares each search, where blocks with searches of their own would be few.
// Mapping  one cooperative launch; shared_search.cuh has how the grid shares a level.
// Atomics  none on scores, as on sums: each has one thread that writes it.

#include "shared_search.cuh"

template <typename Real> __device__ void add_score(const Grid &, Real *score, Real value) { *score += value; }

#define FRONTIER(Real)                                                         \
    extern "C" __global__ void __launch_bounds__(MOST_THREADS, 1)              \
        brandes_##Real(SHARED_SEARCH_PARAMETERS(Real))                         \
    {                                                                          \
        SEARCH_OF_ROWS(Real, Grid{}, 0, 1);                                    \
    }
FRONTIER(float)
FRONTIER(double)
