// bfs/matrix: sequential breadth-first search with two frontier arrays, on the adjacency matrix.
//
// Report   hong-bfs, "Representation of a Graph": A[i][j] is 1 if there is an arc from i to j, and otherwise 0. The
//          search is BFS_sequential of the same slides, which read a row of the matrix where that has an arc list.
// Departs  as bfs/two-frontier. An element takes a byte, the least that C++ addresses; the slides give no type.

#include <algorithm>
#include <utility>
#include <vector>

#include "graph.h"

// Sets the elements of a matrix of zeros.
extern "C" void bfs_matrix_fill(Graph graph, bool *matrix)
{
    for (int u = 0; u < graph.vertices; u++)
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++)
            matrix[size_t(u) * graph.vertices + graph.indices[arc]] = true;
}

// Writes the label of every vertex: its level, or -1; returns the number of levels.
extern "C" int bfs_matrix(int vertices, const bool *matrix, int source, int *label)
{
    std::fill(label, label + vertices, -1);
    std::vector<int> current, previous{source};
    label[source] = 0;
    int levels = 0;
    while (!previous.empty()) {
        for (const int u : previous) {
            const bool *const row = matrix + size_t(u) * vertices;
            for (int v = 0; v < vertices; v++) {
                if (row[v] && label[v] == -1) {
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
