// betweenness/seq-stl: Brandes' algorithm, one source after the other, with a queue, a stack and lists.
//
// Report   domitrz-brandes, brandes-seq.cpp: "using stl implementation of queue, stack and vector"; U. Brandes, "A
//          Faster Algorithm for Betweenness Centrality", J. Math. Sociol. 25(2), 2001, Algorithm 1.
// Departs  containers are emptied and reused after each source. A path count beyond the range of a double is
//          detected.

#include <algorithm>
#include <cmath>
#include <queue>
#include <stack>
#include <vector>

#include "graph.h"

// Adds up each vertex's dependencies over `count` sources. Returns -1 on success. Otherwise it returns the first source
// with more shortest paths to some vertex than a double can hold; the scores are then invalid.
extern "C" int betweenness_seq_stl(Graph graph, const int *sources, int count, double *score)
{
    const int n = graph.vertices;
    std::vector<std::vector<int>> predecessors(n);
    std::vector<double> sigma(n), delta(n);
    std::vector<int> distance(n);
    std::queue<int> queue;
    std::stack<int> stack;
    std::fill(score, score + n, 0.0);

    for (int i = 0; i < count; i++) {
        const int source = sources[i];
        for (std::vector<int> &list : predecessors) list.clear();
        std::fill(sigma.begin(), sigma.end(), 0.0);
        std::fill(delta.begin(), delta.end(), 0.0);
        std::fill(distance.begin(), distance.end(), -1);
        sigma[source] = 1;
        distance[source] = 0;
        queue.push(source);
        while (!queue.empty()) {
            const int v = queue.front();
            queue.pop();
            stack.push(v);
            if (std::isinf(sigma[v])) return source;
            for (int arc = graph.indptr[v]; arc < graph.indptr[v + 1]; arc++) {
                const int w = graph.indices[arc];
                if (distance[w] < 0) {
                    distance[w] = distance[v] + 1;
                    queue.push(w);
                }
                if (distance[w] == distance[v] + 1) {
                    sigma[w] += sigma[v];
                    predecessors[w].push_back(v);
                }
            }
        }
        while (!stack.empty()) {
            const int w = stack.top();
            stack.pop();
            for (const int v : predecessors[w]) delta[v] += sigma[v] / sigma[w] * (1 + delta[w]);
            if (w != source) score[w] += delta[w];
        }
    }
    return -1;
}
