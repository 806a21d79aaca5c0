// betweenness/seq-array: Brandes' algorithm with arrays alone.
//
// Report   domitrz-brandes, brandes-seq-array.cpp: "without using stl at all. It uses C style arrays".
// Departs  lists of predecessors would need an array of all arcs: successors are found again by their distance, in the
//          arcs of v, which is right for directed graphs too. A path count beyond a double is found out.

#include <math.h>
#include <stdlib.h>

#include "graph.h"

// Adds up each vertex's dependencies over `count` sources. Returns -1, or the first source from which some vertex has
// more shortest paths than a double holds; the scores mean nothing then.
extern "C" int betweenness_seq_array(Graph graph, const int *sources, int count, double *score)
{
    const int n = graph.vertices;
    double *const sigma = (double *)malloc(2 * sizeof(double) * n), *const delta = sigma + n;
    int *const distance = (int *)malloc(2 * sizeof(int) * n), *const order = distance + n;
    int overflowed = -1;
    for (int v = 0; v < n; v++) score[v] = 0;

    for (int i = 0; i < count && overflowed < 0; i++) {
        const int source = sources[i];
        for (int v = 0; v < n; v++) {
            sigma[v] = 0;
            distance[v] = -1;
        }
        sigma[source] = 1;
        distance[source] = 0;
        order[0] = source;
        int reached = 1;
        for (int head = 0; head < reached; head++) {
            const int v = order[head];
            if (isinf(sigma[v])) overflowed = source;
            for (int arc = graph.indptr[v]; arc < graph.indptr[v + 1]; arc++) {
                const int w = graph.indices[arc];
                if (distance[w] < 0) {
                    distance[w] = distance[v] + 1;
                    order[reached++] = w;
                }
                if (distance[w] == distance[v] + 1) sigma[w] += sigma[v];
            }
        }
        while (reached-- > 0) {
            const int v = order[reached];
            delta[v] = 0;
            for (int arc = graph.indptr[v]; arc < graph.indptr[v + 1]; arc++) {
                const int w = graph.indices[arc];
                if (distance[w] == distance[v] + 1) delta[v] += sigma[v] / sigma[w] * (1 + delta[w]);
            }
            if (v != source) score[v] += delta[v];
        }
    }
    free(sigma);
    free(distance);
    return overflowed;
}
