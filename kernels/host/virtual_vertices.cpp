// Not a solver: splits vertices into virtual vertices of few arcs, so that threads get equal work.
//
// Report   domitrz-brandes, Virtual-CSR and Stride-CSR, from A. E. Sariyuce, K. Kaya, E. Saule and U. V. Catalyurek,
//          "Betweenness Centrality on GPUs and Heterogeneous Architectures", GPGPU-6, 2013.
// Departs  Stride-CSR stores the first arc of a virtual vertex, not its rank among those of the same vertex, to which the
//          kernel would have to add indptr.

#include "graph.h"

// Calls write(v, rank) for each of the virtual vertices of v, which have up to `mdeg` arcs; returns how many there are.
template <typename Write> static int split(const Graph &graph, int v, int mdeg, const Write &write)
{
    const int degree = graph.indptr[v + 1] - graph.indptr[v];
    const int number = degree / mdeg + (degree % mdeg > 0);
    for (int rank = 0; rank < number; rank++) write(v, rank);
    return number;
}

// Writes Virtual-CSR, in which a virtual vertex has consecutive arcs: its vertex, and where its arcs begin, with the end
// of all arcs as the last entry. Returns the number of virtual vertices, which is that of the arcs at most.
extern "C" int virtual_csr(Graph graph, int mdeg, int *vmap, int *vptr)
{
    int size = 0;
    for (int v = 0; v < graph.vertices; v++)
        split(graph, v, mdeg, [&](int v, int rank) {
            vmap[size] = v;
            vptr[size++] = graph.indptr[v] + rank * mdeg;
        });
    vptr[size] = graph.indptr[graph.vertices];
    return size;
}

// Writes Stride-CSR, in which the virtual vertices of a vertex take its arcs in turn: the vertex of each, its first arc,
// and how many virtual vertices each vertex has. Returns the number of virtual vertices, that of the arcs at most.
extern "C" int stride_csr(Graph graph, int mdeg, int *vmap, int *begin, int *nvir)
{
    int size = 0;
    for (int v = 0; v < graph.vertices; v++)
        nvir[v] = split(graph, v, mdeg, [&](int v, int rank) {
            vmap[size] = v;
            begin[size++] = graph.indptr[v] + rank;
        });
    return size;
}
