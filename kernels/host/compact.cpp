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
#include <numeric>
#include <vector>

#include "subgraph.h"

using Count = long long;

// Returns a vertex of the component of each vertex, the same for all of it, by union-find with path halving. Most
// vertices are in one component, which two arcs each nearly tell (Afforest: M. Sutton, T. Ben-Nun and A. Barak,
// "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS 2018). The other arcs of its vertices
// need no look: each has its reverse.
template <typename Offset> static std::vector<int> components(const GraphOf<Offset> &graph)
{
    constexpr int FEW = 2;
    const int n = graph.vertices;
    std::vector<int> root(n), size(n);
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int v) {
        while (root[v] != v) v = root[v] = root[root[v]];
        return v;
    };
    const auto link = [&](int u, Offset first, Offset last) {
        for (Offset arc = first; arc < last; arc++) {
            const int one = find(u), other = find(graph.indices[arc]);
            root[std::max(one, other)] = std::min(one, other);
        }
    };
    for (int u = 0; u < n; u++) link(u, graph.indptr[u], std::min<Offset>(graph.indptr[u] + FEW, graph.indptr[u + 1]));
    for (int v = 0; v < n; v++) size[find(v)]++;
    const int largest = n ? int(std::max_element(size.begin(), size.end()) - size.begin()) : 0;
    for (int u = 0; u < n; u++)
        if (find(u) != find(largest)) link(u, graph.indptr[u] + FEW, graph.indptr[u + 1]);
    for (int v = 0; v < n; v++) root[v] = find(v);
    return root;
}

// Compacts a simple undirected graph. `reach` and `source_count` have what each vertex stands for, itself at first, and get
// what each vertex that is left stands for. Writes the score of every vertex between branches to `extra`, and the
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
