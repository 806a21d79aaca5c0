// sssp/queue-sequential: sequential shortest paths with predecessors; a queue says which vertex comes next.
//
// Report   tuwien-sssp, section 5: "works similar to the CUDA kernel, with the difference being the breadth first
//          search and utilizing a mask array"; no pseudo-code is printed.
//          Read as a breadth-first search: vertices are taken from a queue, and the mask tells which are in it. The
//          other reading, sweeps over the mask, is sssp_mask_sequential.cpp.
// Departs  a sum beyond 32 bits does not wrap around: path_length.h.

#include <algorithm>
#include <vector>

#include "../sssp/path_length.h"
#include "graph.h"

// Writes distances and predecessors (-1 for the source and for unreached vertices); returns the number of vertices
// that were taken from the queue.
extern "C" long long sssp_queue_sequential(Graph graph, int source, int *distance, int *predecessor)
{
    std::fill(distance, distance + graph.vertices, UNREACHABLE);
    std::fill(predecessor, predecessor + graph.vertices, -1);
    std::vector<char> mask(graph.vertices);
    std::vector<int> queue(graph.vertices);  // a ring: the mask lets no vertex in twice
    distance[source] = 0;
    mask[source] = true;
    queue[0] = source;
    long long taken = 0;
    int first = 0, length = 1;
    while (length > 0) {
        const int u = queue[first];
        first = first + 1 < graph.vertices ? first + 1 : 0;
        length--;
        taken++;
        mask[u] = false;
        for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
            const int v = graph.indices[arc], sum = through(distance[u], graph.weights[arc]);
            if (sum >= distance[v]) continue;
            distance[v] = sum;
            predecessor[v] = u;
            if (mask[v]) continue;
            mask[v] = true;
            const int to_end = graph.vertices - first;
            queue[length < to_end ? first + length : length - to_end] = v;
            length++;
        }
    }
    return taken;
}
