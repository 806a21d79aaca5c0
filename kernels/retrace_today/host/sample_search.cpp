// Begins a breadth-first search, to tell from its first levels what a whole one would be.
//
// Used by  the solvers .../auto (scripts/retrace_today/features.py).

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "../../host/graph.h"

// A set of vertices, of which there are few, in a table of twice as many places or more.
class FewVertices {
public:
    explicit FewVertices(int most) : places(4)
    {
        while (places.size() < 2 * size_t(most)) places.resize(2 * places.size());
        std::fill(places.begin(), places.end(), -1);
    }

    // Returns whether the vertex was not there before.
    bool insert(int v)
    {
        for (size_t place = (unsigned(v) * 2654435769u) % places.size();; place = (place + 1) % places.size()) {
            if (places[place] == v) return false;
            if (places[place] >= 0) continue;
            places[place] = v;
            return true;
        }
    }

private:
    std::vector<int> places;
};

struct Sample {
    int levels;         // found whole
    int ended;          // there is no other level
    int hub;            // the most arcs of a vertex that was found
    int arcs;           // followed
    int again;          // of these, those that led to a vertex that was found before
    int after_first;    // vertices, but the source, some of whose arcs were followed
    int equal_weights;  // there are none, or those that were compared are the same
    long long apart;    // the differences of the numbers of their ends, added up
};

// Vertices, about, of which the one with the most arcs is the source: likely in the largest component.
const int CANDIDATES = 64;
const int COMPARED_WEIGHTS = 64;  // about
const int AHEAD = 8;              // vertices before its turn, a vertex's arcs are asked of the memory

template <typename Offset> static int degree(const GraphOf<Offset> &graph, int v)
{
    return graph.indptr[v + 1] - graph.indptr[v];
}

template <typename Offset> static int vertex_of_many_arcs(const GraphOf<Offset> &graph)
{
    const int step = std::max(1, graph.vertices / CANDIDATES);
    int most = 0;
    for (long long v = 0; v < graph.vertices; v += step)
        if (degree(graph, v) > degree(graph, most)) most = v;
    return most;
}

template <typename Offset> static bool has_equal_weights(const GraphOf<Offset> &graph)
{
    const long long arcs = graph.indptr[graph.vertices], step = 1 + arcs / COMPARED_WEIGHTS;
    for (long long arc = 0; graph.weights && arc < arcs; arc += step)
        if (graph.weights[arc] != graph.weights[0]) return false;
    return true;
}

// Writes how many vertices the levels up to each have. The last number is that of all which are found, or if the arcs of a
// level are not all followed, which would be at this rate. There is room for most_arcs + 3. Returns the vertices found.
template <typename Offset>
static std::vector<int> begin_search(const GraphOf<Offset> &graph, int most_arcs, int *reached, Sample *sample)
{
    FewVertices found(most_arcs + 2);
    std::vector<int> queue;
    queue.reserve(most_arcs + 2);
    const auto find = [&](int v) {
        if (!found.insert(v)) {
            sample->again++;
            return;
        }
        queue.push_back(v);
        __builtin_prefetch(graph.indptr + v);
    };
    find(vertex_of_many_arcs(graph));
    for (size_t next = 0;;) {
        const size_t begin = next, end = queue.size();
        reached[sample->levels] = end;
        if (next == end) {
            sample->ended = 1;
            return queue;
        }
        sample->levels++;
        for (; next < end; next++) {
            const int u = queue[next];
            if (next + AHEAD < queue.size()) __builtin_prefetch(graph.indices + graph.indptr[queue[next + AHEAD]]);
            sample->after_first = next;
            for (Offset arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                if (sample->arcs == most_arcs) {
                    const double times = double(end - begin) / (next + 1 - begin);
                    reached[sample->levels] = std::min<double>(graph.vertices, end + times * (queue.size() - end));
                    return queue;
                }
                sample->arcs++;
                sample->apart += std::abs(u - graph.indices[arc]);
                find(graph.indices[arc]);
            }
        }
    }
}

template <typename Offset>
static void take_sample(const GraphOf<Offset> &graph, int most_arcs, int *reached, Sample *sample)
{
    *sample = {};
    sample->equal_weights = has_equal_weights(graph);
    for (const int v : begin_search(graph, most_arcs, reached, sample)) sample->hub = std::max(sample->hub, degree(graph, v));
}

extern "C" void sample_search(Graph graph, int most_arcs, int *reached, Sample *sample)
{
    take_sample(graph, most_arcs, reached, sample);
}

extern "C" void sample_search_wide(WideGraph graph, int most_arcs, int *reached, Sample *sample)
{
    take_sample(graph, most_arcs, reached, sample);
}
