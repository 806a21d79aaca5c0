// Not a solver: removes vertices of degree 1 repeatedly, and adds up the scores that follow without a search.
//
// Report   domitrz-brandes, Compacted_graph_representation; the sums are those for degree-1 vertices of A. E. Sariyuce,
//          E. Saule, K. Kaya and U. V. Catalyurek, "Shattering and Compressing Networks for Betweenness Centrality",
//          SDM 2013.
// Method   a vertex of degree 1 passes what it stands for, as target and as source, to its neighbour, and goes. The
//          neighbour may have degree 1 then, and goes next. Each vertex looks through its arcs once at most.
// Scores   without v, its component falls apart into branches: the tree behind each child that was removed, and the
//          rest. Paths between different branches lead through v. Paths within the rest are left to the search.

#include <algorithm>
#include <vector>

#include "subgraph.h"

using Count = long long;

// Returns the least vertex of the component of each vertex, by union-find with path halving.
template <typename Offset> static std::vector<int> components(const GraphOf<Offset> &graph)
{
    std::vector<int> root(graph.vertices);
    const auto find = [&](int v) {
        while (root[v] != v) v = root[v] = root[root[v]];
        return v;
    };
    for (int u = 0; u < graph.vertices; u++) {
        root[u] = u;
        for (Offset arc = graph.indptr[u]; arc < graph.indptr[u + 1] && graph.indices[arc] < u; arc++) {
            const int v = graph.indices[arc];
            if (root[u] == root[v]) continue;
            const int one = find(u), other = find(v);
            root[std::max(one, other)] = std::min(one, other);
        }
    }
    for (int v = 0; v < graph.vertices; v++) root[v] = root[root[v]];  // a root is the least of its component
    return root;
}

// Compacts a simple undirected graph, whose arcs are sorted by head. `reach` and `source_count` have what each vertex stands for, itself at first, and
// get what each vertex that is left stands for. Writes the score of every vertex between branches to `extra`, and the
// graph that is left as in subgraph.h. Returns its number of vertices.
template <typename Offset>
static int without_leaves(const GraphOf<Offset> &graph, int *reach, int *source_count, double *extra, int *kept,
                          Offset *indptr, int *indices)
{
    const int n = graph.vertices;
    const std::vector<int> own_reach(reach, reach + n), own_count(source_count, source_count + n);
    std::vector<Count> within(n);  // pairs of a source and a target behind the same child
    std::vector<int> degree(n);
    std::vector<char> removed(n);
    for (int v = 0; v < n; v++) degree[v] = graph.indptr[v + 1] - graph.indptr[v];
    for (int first = 0; first < n; first++)
        for (int leaf = first; degree[leaf] == 1;) {
            Offset arc = graph.indptr[leaf];
            while (removed[graph.indices[arc]] && arc + 1 < graph.indptr[leaf + 1]) arc++;
            const int parent = graph.indices[arc];
            removed[leaf] = true;
            degree[leaf] = 0;
            degree[parent]--;
            reach[parent] += reach[leaf];
            source_count[parent] += source_count[leaf];
            within[parent] += Count(source_count[leaf]) * reach[leaf];
            leaf = parent;
        }

    const std::vector<int> component = components(graph);
    std::vector<Count> all_reach(n), all_count(n);
    for (int v = 0; v < n; v++) {
        all_reach[component[v]] += own_reach[v];
        all_count[component[v]] += own_count[v];
    }
    for (int v = 0; v < n; v++) {
        const Count targets = all_reach[component[v]], sources = all_count[component[v]];
        extra[v] = double((sources - own_count[v]) * (targets - own_reach[v]) - within[v] -
                          (sources - source_count[v]) * (targets - reach[v]));
    }

    const int left = write_subgraph(graph, removed, kept, indptr, indices);
    for (int v = 0; v < left; v++) {
        reach[v] = reach[kept[v]];
        source_count[v] = source_count[kept[v]];
    }
    return left;
}

extern "C" int compact(Graph graph, int *reach, int *source_count, double *extra, int *kept, int *indptr, int *indices)
{
    return without_leaves(graph, reach, source_count, extra, kept, indptr, indices);
}

extern "C" int compact_wide(WideGraph graph, int *reach, int *source_count, double *extra, int *kept, long long *indptr,
                            int *indices)
{
    return without_leaves(graph, reach, source_count, extra, kept, indptr, indices);
}
