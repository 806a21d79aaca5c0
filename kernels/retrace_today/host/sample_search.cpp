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
    int levels;       // found whole
    int ended;        // there is no other level
    int hub;          // the most arcs of a vertex that was found
    int arcs;         // followed
    int again;        // of these, those that led to a vertex that was found before
    int after_first;  // vertices, but the source, some of whose arcs were followed
    long long apart;  // the differences of the numbers of their ends, added up
};

// Writes how many vertices the levels up to each have. The last number is that of all which are found, or if the arcs of a
// level are not all followed, which would be at this rate. There is room for most_arcs + 3.
template <typename Offset>
static void begin_search(const GraphOf<Offset> &graph, int source, int most_arcs, int *reached, Sample *sample)
{
    FewVertices found(most_arcs + 2);
    std::vector<int> queue;
    *sample = {};
    const auto find = [&](int v) {
        if (!found.insert(v)) {
            sample->again++;
            return;
        }
        queue.push_back(v);
        sample->hub = std::max(sample->hub, int(graph.indptr[v + 1] - graph.indptr[v]));
    };
    find(source);
    for (size_t next = 0;;) {
        const size_t begin = next, end = queue.size();
        reached[sample->levels] = end;
        if (next == end) {
            sample->ended = 1;
            return;
        }
        sample->levels++;
        for (; next < end; next++) {
            const int u = queue[next];
            sample->after_first = next;
            for (Offset arc = graph.indptr[u]; arc < graph.indptr[u + 1]; arc++) {
                if (sample->arcs == most_arcs) {
                    const double times = double(end - begin) / (next + 1 - begin);
                    reached[sample->levels] = std::min<double>(graph.vertices, end + times * (queue.size() - end));
                    return;
                }
                sample->arcs++;
                sample->apart += std::abs(u - graph.indices[arc]);
                find(graph.indices[arc]);
            }
        }
    }
}

extern "C" void sample_search(Graph graph, int source, int most_arcs, int *reached, Sample *sample)
{
    begin_search(graph, source, most_arcs, reached, sample);
}

extern "C" void sample_search_wide(WideGraph graph, int source, int most_arcs, int *reached, Sample *sample)
{
    begin_search(graph, source, most_arcs, reached, sample);
}
