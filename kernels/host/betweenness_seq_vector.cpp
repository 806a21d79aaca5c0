// betweenness/seq-vector: Brandes' algorithm with one vector for both the queue and the stack.
//
// Report   domitrz-brandes, brandes-seq-vector.cpp: "we get rid of the queue and stack by replacing them both with
//          vectors". Vertices leave a breadth-first queue in the order in which they entered it, and the stack in the
//          reverse order, so one vector is read in both directions.
// Departs  a path count beyond the range of a double is detected.

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph.h"

// Adds up each vertex's dependencies over `count` sources. Returns -1 on success. Otherwise it returns the first source
// with more shortest paths to some vertex than a double can hold; the scores are then invalid.
extern "C" int betweenness_seq_vector(Graph graph, const int *sources, int count, double *score)
{
    const int n = graph.vertices;
    std::vector<std::vector<int>> predecessors(n);
    std::vector<double> sigma(n), delta(n);
    std::vector<int> distance(n), order;
    order.reserve(n);
    std::fill(score, score + n, 0.0);

    for (int i = 0; i < count; i++) {
        const int source = sources[i];
        for (std::vector<int> &list : predecessors) list.clear();
        std::fill(sigma.begin(), sigma.end(), 0.0);
        std::fill(delta.begin(), delta.end(), 0.0);
        std::fill(distance.begin(), distance.end(), -1);
        sigma[source] = 1;
        distance[source] = 0;
        order.assign(1, source);
        for (std::size_t head = 0; head < order.size(); head++) {
            const int v = order[head];
            if (std::isinf(sigma[v])) return source;
            for (int arc = graph.indptr[v]; arc < graph.indptr[v + 1]; arc++) {
                const int w = graph.indices[arc];
                if (distance[w] < 0) {
                    distance[w] = distance[v] + 1;
                    order.push_back(w);
                }
                if (distance[w] == distance[v] + 1) {
                    sigma[w] += sigma[v];
                    predecessors[w].push_back(v);
                }
            }
        }
        for (; !order.empty(); order.pop_back()) {
            const int w = order.back();
            for (const int v : predecessors[w]) delta[v] += sigma[v] / sigma[w] * (1 + delta[w]);
            if (w != source) score[w] += delta[w];
        }
    }
    return -1;
}
