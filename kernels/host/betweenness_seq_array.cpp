// betweenness/seq-array: Brandes' algorithm with plain arrays.
//
// Report   domitrz-brandes, brandes-seq-array.cpp: "without using stl at all. It uses C style arrays".
// Departs  there are no lists of predecessors, which would need an array of all arcs. Instead, the successors of v are
//          found again among the arcs of v by their distance, which is also right for directed graphs. A path count
//          beyond the range of a double is detected.

#include <math.h>
#include <stdlib.h>

#include "graph.h"

// Adds up each vertex's dependencies over `count` sources. Returns -1 on success. Otherwise it returns the first source
// with more shortest paths to some vertex than a double can hold; the scores are then invalid.
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
