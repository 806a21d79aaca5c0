// Shared by the files that call GAPBS: our graph under a name of its own, and its arcs as GAPBS's graph holds them.

#pragma once

namespace ours {
#include "../host/graph.h"
}

// Returns where the arcs of each vertex begin in `heads`, and of the last one end. GAPBS's graph frees both arrays.
template <typename Head>
Head **begins(int vertices, const int *indptr, Head *heads)
{
    auto **const pointers = new Head *[vertices + 1];
    for (int v = 0; v <= vertices; v++) pointers[v] = heads + indptr[v];
    return pointers;
}

inline int *copy_of(const int *values, int count)
{
    auto *const copy = new int[count];
    for (int i = 0; i < count; i++) copy[i] = values[i];
    return copy;
}
