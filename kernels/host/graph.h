// What the host baselines share: the graph in compressed sparse rows, as retrace.graphs.csr holds it.

#pragma once

constexpr int UNREACHABLE = 2147483647;  // level or distance of a vertex that is not reached

struct Graph {
    int vertices;
    const int *indptr;   // vertices + 1 entries
    const int *indices;  // an arc's head
    const int *weights;  // null where a problem has none
};
