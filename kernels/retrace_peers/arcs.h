// Shared by the files that call GAPBS: our graph under a name of its own, and its arcs as GAPBS's graph holds them.

#pragma once

#include <omp.h>
#include <sched.h>

namespace ours {
#include "../host/graph.h"
}

// Returns where the arcs of each vertex begin in `heads`, and of the last one end. GAPBS's graph frees both arrays.
template <typename Offset, typename Head>
Head **begins(int vertices, const Offset *indptr, Head *heads)
{
    auto **const pointers = new Head *[vertices + 1];
    for (int v = 0; v <= vertices; v++) pointers[v] = heads + indptr[v];
    return pointers;
}

// Uses so many threads from now on. Bound, each stays on a core, evenly spread over those that the process may use.
extern "C" void gapbs_use(const void *, int threads, int bound)
{
    static const cpu_set_t all = [] {
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
        return set;
    }();
    omp_set_num_threads(threads);
#pragma omp parallel
    {
        const int cores = CPU_COUNT(&all), mine = int(long(omp_get_thread_num()) * cores / threads) % cores;
        cpu_set_t set = all;
        if (bound)
            for (int cpu = 0, core = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &all) && core++ != mine) CPU_CLR(cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
}

inline int *copy_of(const int *values, long long count)
{
    auto *const copy = new int[count];
    for (long long i = 0; i < count; i++) copy[i] = values[i];
    return copy;
}
