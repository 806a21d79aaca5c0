// Cuts a graph into parts, one for each block of a thread-block cluster, and packs its arcs into records of four.
//
// Used by  bfs/cluster, stcon/cluster and sssp/cluster (kernels/cluster/parts.cuh reads what is made here).
// Cut      the vertices, in the order of their ids, fall into `pieces` runs with about as many records each, and the
//          runs are dealt out to the parts in turn. A vertex's place is its part and a position in it. Positions count
//          the bits of an array of words; neighbours in the order lie in neighbouring words, so that a frontier, whose
//          vertices have similar ids, is spread over the threads that own the words.
// Records  position p has record p: up to four heads, as places. Of a vertex with more arcs the fourth entry is the
//          place of a record beyond the positions, where the list goes on. Unused entries are NONE.

#include <algorithm>
#include <vector>

#include "graph.h"

constexpr unsigned NONE = 0xffffffff;
constexpr int PART_SHIFT = 28;  // a place has the part in its upper 4 bits

static unsigned part_of(unsigned place) { return place >> PART_SHIFT; }
static unsigned position_of(unsigned place) { return place & ((1u << PART_SHIFT) - 1); }

static int degree(const Graph &graph, int v) { return graph.indptr[v + 1] - graph.indptr[v]; }

// Each record but the last has three arcs and a link.
static int records_of(int degree) { return degree <= 4 ? 1 : (degree + 1) / 3; }

// Writes each vertex's place; returns the words of a part, which are the same for all: those of the largest.
extern "C" int cluster_cut(Graph graph, int parts, int pieces, unsigned *place)
{
    long long all = 0, before = 0, piece = 0;
    for (int v = 0; v < graph.vertices; v++) all += records_of(degree(graph, v));
    std::vector<int> size(parts);
    for (int v = 0; v < graph.vertices; v++) {
        while ((piece + 1) * all <= before * pieces) piece++;
        const unsigned part = piece % parts;
        before += records_of(degree(graph, v));
        place[v] = part << PART_SHIFT | size[part]++;  // its number in the part, for now
    }
    const unsigned words = (*std::max_element(size.begin(), size.end()) + 31) / 32;
    for (int v = 0; v < graph.vertices; v++) {
        const unsigned word = position_of(place[v]) % words, bit = position_of(place[v]) / words;
        place[v] = part_of(place[v]) << PART_SHIFT | (32 * word + bit);
    }
    return int(words);
}

// Writes where the records of each part begin among all, and the vertex at each position of each part, -1 if there is
// none.
extern "C" void cluster_lay_out(Graph graph, int parts, int words, const unsigned *place, int *first_record,
                                int *vertex_at)
{
    const size_t positions = 32 * words;
    std::fill(vertex_at, vertex_at + parts * positions, -1);
    std::fill(first_record, first_record + parts + 1, 0);
    for (int v = 0; v < graph.vertices; v++) {
        vertex_at[part_of(place[v]) * positions + position_of(place[v])] = v;
        first_record[part_of(place[v]) + 1] += records_of(degree(graph, v)) - 1;
    }
    for (int part = 0; part < parts; part++) first_record[part + 1] += first_record[part] + 32 * words;
}

// Writes the records: heads, or with weights each head and its weight.
extern "C" void cluster_pack(Graph graph, int parts, int words, const unsigned *place, const int *first_record,
                             int weighted, unsigned *records)
{
    const int stride = weighted ? 2 : 1;
    std::fill(records, records + 4ll * stride * first_record[parts], NONE);
    std::vector<unsigned> next(parts, 32 * words);
    for (int u = 0; u < graph.vertices; u++) {
        const unsigned part = part_of(place[u]);
        const auto record = [&](unsigned number) { return records + 4ll * stride * (first_record[part] + number); };
        unsigned *entry = record(position_of(place[u])), *last = entry + 3 * stride;
        const int end = graph.indptr[u + 1];
        for (int arc = graph.indptr[u]; arc < end; arc++, entry += stride) {
            if (entry == last && arc + 1 < end) {
                *entry = part << PART_SHIFT | next[part];
                entry = record(next[part]++);
                last = entry + 3 * stride;
            }
            entry[0] = place[graph.indices[arc]];
            if (weighted) entry[1] = graph.weights[arc];
        }
    }
}

// Shortens the entries of records without weights to 16 bits: the number of a record of the same part, or the number
// of records plus an index into the part's list of `outside` places. Writes where each list begins; returns 0 if a part
// has too many names for 16 bits, else 1.
extern "C" int cluster_shorten(int parts, int words, const int *first_record, const unsigned *records,
                               unsigned short *names, unsigned *outside, int *first_outside)
{
    const unsigned positions = 32 * words;
    std::vector<int> index(size_t(parts) * positions, -1);
    int listed = first_outside[0] = 0;
    for (int part = 0; part < parts; part++) {
        const int begin = first_record[part], own = first_record[part + 1] - begin;
        for (long long i = 4ll * begin; i < 4ll * first_record[part + 1]; i++) {
            if (records[i] == NONE) {
                names[i] = 0xffff;
                continue;
            }
            int name = position_of(records[i]);
            if (part_of(records[i]) != unsigned(part)) {
                int &known = index[part_of(records[i]) * positions + name];
                if (known < 0) outside[known = listed++] = records[i];
                name = own + known - first_outside[part];
            }
            if (name >= 0xffff) return 0;
            names[i] = static_cast<unsigned short>(name);
        }
        first_outside[part + 1] = listed;
        for (int i = first_outside[part]; i < listed; i++)
            index[part_of(outside[i]) * positions + position_of(outside[i])] = -1;
    }
    return 1;
}
