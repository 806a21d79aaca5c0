// Shared by the host baselines: the graph in compressed sparse rows, as retrace.graphs.csr holds it.

#pragma once

#include "../unreachable.h"

template <typename Offset> struct GraphOf {
    int vertices;
    const Offset *indptr;  // vertices + 1 entries
    const int *indices;    // head of each arc
    const int *weights;    // null for problems without weights
};
using Graph = GraphOf<int>;
using WideGraph = GraphOf<long long>;  // of more than 2^31 - 1 arcs
