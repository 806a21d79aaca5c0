// Cuts a graph into parts, one for each block of a thread-block cluster, and packs its arcs into records.
//
// Used by  bfs/cluster, stcon/cluster and sssp/cluster (kernels/cluster/parts.cuh reads what is made here).
// Cut      the vertices, in the order of their ids, fall into `pieces` runs with about as many records each, and the
//          runs are dealt out to the parts in turn. A vertex's place is its part and a position in it. Positions count
//          the bits of an array of words; neighbours in the order lie in neighbouring words, so that a frontier, whose
//          vertices have similar ids, is spread over the threads that own the words.
// Records  position p has record p: as many heads, as places, as the record has slots. Of a vertex with more arcs the
//          last slot is a link to a record beyond the positions, where the list goes on. Slots that are left over
//          repeat the last arc, which changes no answer and spares the searches a test; of a vertex without arcs they
//          lead to itself.
// Sizes    a long record has four places of 32 bits, for global memory; a short one three of 21 bits, for shared
//          memory.

#include <algorithm>
#include <vector>

#include "../../host/graph.h"

constexpr int PART_SHIFT = 28, LONG_SLOTS = 4;  // a place has the part in its upper 4 bits
constexpr unsigned LINK = 1u << 27;             // the entry is the number of a record
constexpr int SHORT_PART_SHIFT = 17, SHORT_SLOTS = 3, SHORT_BITS = 21;  // of a place in a short record
constexpr unsigned long long SHORT_LINK = 1ull << 63;

static unsigned part_of(unsigned place) { return place >> PART_SHIFT; }
static unsigned position_of(unsigned place) { return place & ((1u << PART_SHIFT) - 1); }

static int degree(const Graph &graph, int v) { return graph.indptr[v + 1] - graph.indptr[v]; }

// Each record but the last has a link in place of an arc.
static int records_of(int degree, int slots) { return degree <= slots ? 1 : (degree - 2) / (slots - 1) + 1; }

// Writes each vertex's place; returns the words of a part, which are the same for all: those of the largest.
extern "C" int cluster_cut(Graph graph, int parts, int pieces, unsigned *place)
{
    long long all = 0, before = 0, piece = 0;
    for (int v = 0; v < graph.vertices; v++) all += records_of(degree(graph, v), LONG_SLOTS);
    std::vector<int> size(parts);
    for (int v = 0; v < graph.vertices; v++) {
        while ((piece + 1) * all <= before * pieces) piece++;
        const unsigned part = piece % parts;
        before += records_of(degree(graph, v), LONG_SLOTS);
        place[v] = part << PART_SHIFT | size[part]++;  // its number in the part, for now
    }
    const unsigned words = (*std::max_element(size.begin(), size.end()) + 31) / 32;
    for (int v = 0; v < graph.vertices; v++) {
        const unsigned word = position_of(place[v]) % words, bit = position_of(place[v]) / words;
        place[v] = part_of(place[v]) << PART_SHIFT | (32 * word + bit);
    }
    return int(words);
}

// Writes the vertex at each position of each part, -1 if there is none.
extern "C" void cluster_vertices(Graph graph, int parts, int words, const unsigned *place, int *vertex_at)
{
    const size_t positions = 32 * words;
    std::fill(vertex_at, vertex_at + parts * positions, -1);
    for (int v = 0; v < graph.vertices; v++) vertex_at[part_of(place[v]) * positions + position_of(place[v])] = v;
}

// Writes where the records of each part begin among all.
extern "C" void cluster_count_records(Graph graph, int parts, int words, const unsigned *place, int slots,
                                      int *first_record)
{
    std::fill(first_record, first_record + parts + 1, 0);
    for (int v = 0; v < graph.vertices; v++)
        first_record[part_of(place[v]) + 1] += records_of(degree(graph, v), slots) - 1;
    for (int part = 0; part < parts; part++) first_record[part + 1] += first_record[part] + 32 * words;
}

// Calls put(record, slot, place, weight) for each slot of each record of a vertex, and link(record, next) for each link.
template <int SLOTS, typename Put, typename Link>
static void for_each_slot(const Graph &graph, int parts, int words, const unsigned *place, const int *first_record,
                          Put put, Link link)
{
    std::vector<int> next(parts, 32 * words);
    for (int u = 0; u < graph.vertices; u++) {
        const unsigned part = part_of(place[u]);
        int record = position_of(place[u]), slot = 0, weight = 0;
        unsigned head = place[u];
        const int end = graph.indptr[u + 1];
        for (int arc = graph.indptr[u]; arc < end; arc++) {
            if (slot == SLOTS - 1 && arc + 1 < end) {
                link(first_record[part] + record, next[part]);
                record = next[part]++;
                slot = 0;
            }
            head = place[graph.indices[arc]];
            weight = graph.weights ? graph.weights[arc] : 0;
            put(first_record[part] + record, slot++, head, weight);
        }
        while (slot < SLOTS) put(first_record[part] + record, slot++, head, weight);
    }
}

// Writes long records: places, or with weights each place and the weight of the arc.
extern "C" void cluster_pack_long(Graph graph, int parts, int words, const unsigned *place, const int *first_record,
                                  int weighted, unsigned *records)
{
    const int stride = weighted ? 2 : 1;
    const auto entry = [=](int record, int slot) { return records + (4ll * record + slot) * stride; };
    std::fill(records, entry(first_record[parts], 0), 0);
    for_each_slot<LONG_SLOTS>(
        graph, parts, words, place, first_record,
        [&](int record, int slot, unsigned head, int weight) {
            entry(record, slot)[0] = head;
            if (weighted) entry(record, slot)[1] = weight;
        },
        [&](int record, int next) { entry(record, LONG_SLOTS - 1)[0] = LINK | next; });
}

// Writes short records; all numbers must fit into their bits.
extern "C" void cluster_pack_short(Graph graph, int parts, int words, const unsigned *place, const int *first_record,
                                   unsigned long long *records)
{
    const auto at_slot = [](unsigned long long entry, int slot) { return entry << SHORT_BITS * slot; };
    std::fill(records, records + first_record[parts], 0);
    for_each_slot<SHORT_SLOTS>(
        graph, parts, words, place, first_record,
        [&](int record, int slot, unsigned head, int) {
            records[record] |= at_slot(part_of(head) << SHORT_PART_SHIFT | position_of(head), slot);
        },
        [&](int record, int next) { records[record] |= SHORT_LINK | at_slot(next, SHORT_SLOTS - 1); });
}
