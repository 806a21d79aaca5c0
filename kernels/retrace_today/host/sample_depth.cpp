// Tells whether a graph is deep, by the first levels of a search that does not go far.
//
// Used by  the solvers .../auto (scripts/retrace/solvers/choice.py).

#include <cstddef>
#include <vector>

#include "../../host/graph.h"

// Returns how many levels a breadth-first search finds whole, until it has as many as asked for, has followed `most_arcs`
// arcs, or ends.
extern "C" int sample_depth(Graph graph, int source, int most_levels, int most_arcs)
{
    std::vector<bool> found(graph.vertices);
    std::vector<int> queue({source});
    found[source] = true;
    size_t next = 0;
    int levels = 1, arcs = 0;
    while (levels < most_levels) {
        for (const size_t end = queue.size(); next < end; next++) {
            const int u = queue[next];
            for (int arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                if (arcs++ == most_arcs) return levels;
                const int v = graph.indices[arc];
                if (found[v]) continue;
                found[v] = true;
                queue.push_back(v);
            }
        }
        if (next == queue.size()) return levels;
        levels++;
    }
    return levels;
}
