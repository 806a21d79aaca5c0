// bfs/queue: sequential breadth-first search with a queue.
//
// Report   bsp-suite, Algorithm 3.1 (BFS_sequential): C++ with the STL, as the report says it used.
// Departs  nothing; "discovered" is level != UNREACHABLE.

#include <algorithm>
#include <queue>

#include "graph.h"

// Writes the level of every vertex; returns the number of levels.
extern "C" int bfs_queue(Graph graph, int source, int *level)
{
    std::fill(level, level + graph.vertices, UNREACHABLE);
    std::queue<int> queue;
    queue.push(source);
    level[source] = 0;
    int last = source;
    while (!queue.empty()) {
        const int u = last = queue.front();
        queue.pop();
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            const int v = graph.indices[arc];
            if (level[v] == UNREACHABLE) {
                level[v] = level[u] + 1;
                queue.push(v);
            }
        }
    }
    return level[last] + 1;
}
