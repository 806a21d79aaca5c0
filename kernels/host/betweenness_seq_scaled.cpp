// betweenness/seq-scaled: Brandes' algorithm with path counts that cannot overflow.
//
// Between two corners of a 1100 x 1100 grid there are about 10^660 shortest paths, but a double ends at 1.8 * 10^308.
// A count is therefore a double times 2^(512 e), with its own int e. Scores depend only on the ratio of a vertex's
// count to that of its successor, which is at most 1. Otherwise the code equals betweenness/seq-array.

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph.h"

constexpr int STEP = 512;
static const double LARGEST = std::ldexp(1.0, STEP);

// mantissa * 2^(STEP * exponent); the mantissa is below LARGEST, and at least 1 unless it is 0.
struct Count {
    double mantissa;
    int exponent;

    void operator+=(Count other)
    {
        if (exponent < other.exponent) std::swap(*this, other);
        mantissa += other.exponent == exponent ? other.mantissa : other.shifted(exponent);
        if (mantissa >= LARGEST) {
            mantissa /= LARGEST;
            exponent++;
        }
    }

    // Returns the mantissa for a larger exponent. An underflow is smaller than the rounding error of the other operand.
    double shifted(int target) const { return std::ldexp(mantissa, STEP * (exponent - target)); }

    double operator/(Count other) const
    {
        const double ratio = mantissa / other.mantissa;
        return exponent == other.exponent ? ratio : std::ldexp(ratio, STEP * (exponent - other.exponent));
    }
};

// Adds up each vertex's dependencies over `count` sources. Returns -1: nothing overflows.
extern "C" int betweenness_seq_scaled(Graph graph, const int *sources, int count, double *score)
{
    const int n = graph.vertices;
    std::vector<Count> sigma(n);
    std::vector<double> delta(n);
    std::vector<int> distance(n), order(n);
    std::fill(score, score + n, 0.0);

    for (int i = 0; i < count; i++) {
        const int source = sources[i];
        std::fill(sigma.begin(), sigma.end(), Count{0, 0});
        std::fill(distance.begin(), distance.end(), -1);
        sigma[source] = {1, 0};
        distance[source] = 0;
        order[0] = source;
        int reached = 1;
        for (int head = 0; head < reached; head++) {
            const int v = order[head];
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
    return -1;
}
