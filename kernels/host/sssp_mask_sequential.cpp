// sssp/mask-sequential: sequential shortest paths with predecessors; sweeps relax the arcs of all masked vertices.
//
// Report   tuwien-sssp, section 5: "works similar to the CUDA kernel, with the difference being the breadth first
//          search and utilizing a mask array"; no pseudo-code is printed.
//          The sentence may also mean a queue in place of the mask; ours has the mask.
// Departs  a vertex is masked only if its distance fell, so that a cycle of weight 0 ends.
//          A sum beyond 32 bits does not wrap around: path_length.h.

#include <algorithm>
#include <vector>

#include "../sssp/path_length.h"
#include "graph.h"

// Writes distances and predecessors (-1 for the source and for unreached vertices); returns the number of sweeps.
extern "C" int sssp_mask_sequential(Graph graph, int source, int *distance, int *predecessor)
{
    std::fill(distance, distance + graph.vertices, UNREACHABLE);
    std::fill(predecessor, predecessor + graph.vertices, -1);
    std::vector<char> mask(graph.vertices);
    distance[source] = 0;
    mask[source] = true;
    int sweeps = 0;
    auto first = mask.begin() + source;
    while (first != mask.end()) {
        sweeps++;
        for (int u = first - mask.begin(); u < graph.vertices; u++) {
            if (!mask[u]) continue;
            mask[u] = false;
            for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                const int v = graph.indices[arc], sum = through(distance[u], graph.weights[arc]);
                if (sum < distance[v]) {
                    distance[v] = sum;
                    predecessor[v] = u;
                    mask[v] = true;
                }
            }
        }
        first = std::find(mask.begin(), mask.end(), true);
    }
    return sweeps;
}
