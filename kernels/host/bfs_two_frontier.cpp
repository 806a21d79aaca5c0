// bfs/two-frontier: sequential breadth-first search with two frontier arrays.
//
// Report   hong-bfs, BFS_sequential.
// Departs  the frontiers grow as needed (in print: MAX_FRONTIER_SIZE). Labels are int, with -1 for an unreached vertex.
//          The slides' host code declares unsigned int, in which -1 is the largest label.

#include <algorithm>
#include <utility>
#include <vector>

#include "graph.h"

// Writes the label of every vertex: its level, or -1; returns the number of levels.
extern "C" int bfs_two_frontier(Graph graph, int source, int *label)
{
    std::fill(label, label + graph.vertices, -1);
    std::vector<int> current, previous{source};
    label[source] = 0;
    int levels = 0;
    while (!previous.empty()) {
        for (const int u : previous) {
            for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                const int v = graph.indices[arc];
                if (label[v] == -1) {
                    current.push_back(v);
                    label[v] = label[u] + 1;
                }
            }
        }
        std::swap(current, previous);
        current.clear();
        levels++;
    }
    return levels;
}
