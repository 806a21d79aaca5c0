// Shared by the host baselines: the graph in compressed sparse rows, as retrace.graphs.csr holds it.

#pragma once

constexpr int UNREACHABLE = 2147483647;  // level or distance of an unreached vertex

struct Graph {
    int vertices;
    const int *indptr;   // vertices + 1 entries
    const int *indices;  // head of each arc
    const int *weights;  // null for problems without weights
};
