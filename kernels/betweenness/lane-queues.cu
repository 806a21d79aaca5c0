// betweenness/lane-queues: betweenness centrality of 32 or 64 sources at a time; ours, not from a report.
//
// Idea     that of lanes.cu (Then et al., VLDB 2014): the path counts of a vertex for all searches of a pass form a row,
//          which a warp reads at once, and a word has a bit for each search in which a vertex is on the level.
// Tricks   The entries of a level are (vertex, word) pairs in a queue, so that nothing looks at the other vertices, and
//          the way back knows its levels. Distances are not stored.
//          A warp takes 32 vertices and puts their arcs in a row (frontier.cuh), so that no lane waits for a hub's end.
//          A filter in shared memory has a bit for each vertex on the level in any search. Only if it is set, the
//          neighbour's word is read.
//          Arcs that lead to a wanted row wait in a ring until IN_FLIGHT are there; their rows are then requested
//          together, whichever vertex they belong to. Behind the last neighbour of each vertex the vertex itself waits:
//          when its turn comes, the sum is complete, and on the way back its own row has been requested with the others.
//          delta takes the place of sigma: the predecessors of a finished vertex read its delta only.
// Mapping  a block takes 32 or 64 sources, a pass, from the first level to the last score, and draws the next pass from a
//          counter. The warps of a block draw groups of 32 vertices from another.
// Forward  an unreached vertex pulls path counts from its predecessors, so that only its own warp writes its row. On a
//          level with few entries, these first mark their unreached neighbours, and only marked vertices pull; on others,
//          all vertices that are not reached by all searches.
// Back     the vertices of a level add up the delta of their successors; delta is defined in brandes.cuh.
// Atomics  none on rows. A score costs one atomic addition per entry of the queue.
// Memory   of a block: one row per vertex; the queue, which has room for each vertex in each search; three words and a
//          candidate per vertex; the ends of the levels. A row is valid only where its bit in `seen` is set.

#include "../frontier/frontier.cuh"
#include "brandes.cuh"
#include "passes.cuh"

constexpr int ARCS_IN_FLIGHT = 2;  // of a lane
constexpr unsigned WAITING = 64;   // items of a ring, a power of two: what was left, and those of 32 arcs

struct Neighbourhood {
    const int *indptr, *indices;
};

// The entries of a level, in the queue.
struct Level {
    int first, last;
};

// A row that is to be added to a sum, in the columns of some searches. ~vertex if it is the row of the sum's vertex.
template <typename Word> struct alignas(2 * sizeof(Word)) Item {
    int vertex;
    Word searches;
};

// Tells of most vertices that are not on the level that they are not. Vertices share bits in a graph that has more.
struct Filter {
    unsigned *words;
    unsigned bits;  // a power of two, or 0 for no filter

    __device__ bool may_have(int v) const { return bits == 0 || words[place(v)] >> v % 32 & 1; }
    __device__ void add(int v) const
    {
        if (bits) atomicOr(&words[place(v)], 1u << v % 32);
    }
    __device__ void remove(int v) const
    {
        if (bits) words[place(v)] = 0;
    }
    __device__ unsigned place(int v) const { return (unsigned(v) & (bits - 1)) / 32; }
};

// What the warps of a block share.
struct Counters {
    int queued;      // entries in the queue
    int candidates;  // vertices that were marked
    int taken;       // vertices that warps have taken
};

template <typename Real, typename Word, int IN_FLIGHT> struct Pass {
    static constexpr int COLUMNS = sizeof(Word) / sizeof(unsigned);  // searches of a lane

    int vertices;
    Neighbourhood leaving, entering;
    CompactedGraph weights;
    Batch<Real> batch;
    int first_source;
    int source_count[COLUMNS];  // of this lane's sources
    Real *rows;                // sigma; delta of finished vertices
    Word *seen, *now, *marks;  // searches that have reached a vertex, that have it on the level shown, that will reach it
    Word *searches;            // in which the vertices of the queue are on their level
    int *queue, *candidates;
    Filter filter;
    Item<Word> *ring;  // this warp's
    Counters *counters;

    __device__ static bool has(Word word, int column) { return word >> (column * LANES + lane_number()) & 1; }

    __device__ Real &at(int v, int column) const
    {
        return rows[(size_t(v) * COLUMNS + column) * LANES + lane_number()];
    }

    // The source of this lane's search in a column.
    __device__ int source(int column) const { return batch.sources[first_source + column * LANES + lane_number()]; }

    // Draws 32 vertices for this warp; returns the number of the first.
    __device__ int take() const
    {
        const int first = lane_number() == 0 ? atomicAdd(&counters->taken, int(LANES)) : 0;
        return __shfl_sync(ALL_LANES, first, 0);
    }

    // Makes `now` and the filter describe another level.
    __device__ void show(Level before, Level level) const
    {
        for (int i = before.first + threadIdx.x; i < before.last; i += blockDim.x) {
            now[queue[i]] = 0;
            filter.remove(queue[i]);
        }
        if (threadIdx.x == 0) counters->taken = counters->candidates = 0;
        __syncthreads();
        for (int i = level.first + threadIdx.x; i < level.last; i += blockDim.x) {
            now[queue[i]] = searches[i];
            filter.add(queue[i]);
        }
        __syncthreads();
    }

    // Marks the unreached neighbours of a level, and makes them candidates.
    __device__ void mark(Level level) const
    {
        const int warp = threadIdx.x / LANES;
        for (int base = level.first + warp * LANES; base < level.last; base += blockDim.x) {
            const int entry = base + lane_number();
            const bool there = entry < level.last;
            const int u = there ? queue[entry] : 0, begin = there ? __ldg(&leaving.indptr[u]) : 0;
            const int end = there ? __ldg(&leaving.indptr[u + 1]) : 0;
            const Word own = there ? searches[entry] : 0;
            for_each_arc<1>(begin, end - begin, [&](const auto &arc, const auto &owner) {
                const Word reaching = __shfl_sync(ALL_LANES, own, owner[0]);
                if (arc[0] == NO_ARC) return;
                const int v = __ldg(&leaving.indices[arc[0]]);
                const Word reached = reaching & ~seen[v];
                if (reached && atomicOr(&marks[v], reached) == 0)
                    candidates[atomicAdd(&counters->candidates, 1)] = v;
            });
        }
    }

    // Adds up, for 32 vertices, one per lane, the rows of their neighbours on the level shown, each search its own
    // column. All lanes then call complete(vertex, wanted, sum, row) for each vertex with a wanted search; `row` is the
    // vertex's own if OWN_ROW.
    template <bool OWN_ROW, typename Complete>
    __device__ void add_rows(Neighbourhood along, int own, Word wanted, Complete complete) const
    {
        const int begin = wanted ? __ldg(&along.indptr[own]) : 0, end = wanted ? __ldg(&along.indptr[own + 1]) : 0;
        const unsigned length = wanted ? end - begin + 1 : 0;  // an arc more, to the vertex itself
        int first = 0, last = 0;                               // of the items that wait
        Real sum[COLUMNS] = {};

        const auto add_waiting = [&](int fewest) {
            __syncwarp();
            for (; last - first >= fewest; first += IN_FLIGHT) {
                const auto item = [&](int i) { return ring[(first + i) % WAITING]; };
                Real row[IN_FLIGHT][COLUMNS];
                unsigned complete_at = 0;  // has a bit for each item that is a vertex itself
#pragma unroll
                for (int i = 0; i < IN_FLIGHT; i++) {
                    const Item<Word> it = first + i < last ? item(i) : Item<Word>{0, 0};
                    const bool itself = it.vertex < 0;
                    if (itself) complete_at |= 1u << i;
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++) {
                        const bool needed = (OWN_ROW || !itself) && has(it.searches, c);
                        row[i][c] = needed ? at(itself ? ~it.vertex : it.vertex, c) : 0;
                    }
                }
#pragma unroll
                for (int i = 0; i < IN_FLIGHT; i++) {
                    const bool itself = complete_at >> i & 1;
                    if (itself) complete(~item(i).vertex, item(i).searches, sum, row[i]);
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++) sum[c] = itself ? 0 : sum[c] + row[i][c];
                }
            }
            __syncwarp();
        };

        for_each_arc<ARCS_IN_FLIGHT>(begin, length, [&](const auto &arc, const auto &owner) {
            int neighbour[ARCS_IN_FLIGHT];
            bool itself[ARCS_IN_FLIGHT];
            Word found[ARCS_IN_FLIGHT];
#pragma unroll
            for (int i = 0; i < ARCS_IN_FLIGHT; i++) {
                const int v = __shfl_sync(ALL_LANES, own, owner[i]);
                itself[i] = arc[i] == unsigned(__shfl_sync(ALL_LANES, end, owner[i]));
                found[i] = __shfl_sync(ALL_LANES, wanted, owner[i]);
                neighbour[i] = itself[i] ? v : arc[i] == NO_ARC ? 0 : __ldg(&along.indices[arc[i]]);
            }
#pragma unroll
            for (int i = 0; i < ARCS_IN_FLIGHT; i++) {
                if (itself[i]) continue;
                const bool possible = arc[i] != NO_ARC && filter.may_have(neighbour[i]);
                found[i] = possible ? found[i] & now[neighbour[i]] : 0;
            }
#pragma unroll
            for (int i = 0; i < ARCS_IN_FLIGHT; i++) {
                const bool waits = itself[i] || found[i];
                const unsigned waiting = __ballot_sync(ALL_LANES, waits);
                const int place = last + __popc(waiting & ((1u << lane_number()) - 1));
                if (waits) ring[place % WAITING] = {itself[i] ? ~neighbour[i] : neighbour[i], found[i]};
                last += __popc(waiting);
                add_waiting(IN_FLIGHT);
            }
        });
        add_waiting(1);
    }

    // Finds the next level: marked vertices, or all, pull path counts. Those that get any enter the queue.
    __device__ void pull(Word used, bool marked) const
    {
        const int groups = (vertices + LANES - 1) / LANES, end = marked ? counters->candidates : groups * int(LANES);
        const auto queue_reached = [&](int v, Word, const auto &paths, const auto &) {
            Word reached = 0;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                reached |= Word(__ballot_sync(ALL_LANES, paths[c] != 0)) << (c * LANES);
                if (paths[c] != 0) at(v, c) = paths[c];
            }
            if (reached == 0 || lane_number() != 0) return;
            const int place = atomicAdd(&counters->queued, 1);
            queue[place] = v;
            searches[place] = reached;
            seen[v] |= reached;
        };
        for (int base = take(); base < end; base = take()) {
            int v = 0;
            Word wanted = 0;
            if (marked && base + int(lane_number()) < end) {
                v = candidates[base + lane_number()];
                wanted = marks[v];
                marks[v] = 0;
            } else if (!marked) {  // neighbours go to different groups: those with many arcs are often neighbours
                v = base / LANES + lane_number() * groups;
                wanted = v < vertices ? used & ~seen[v] : 0;
            }
            add_rows<false>(entering, v, wanted, queue_reached);
        }
    }

    // Computes the delta of a level, while the level behind it is shown, and adds to the scores.
    __device__ void finish(Level level) const
    {
        const auto add_score = [&](int u, Word here, const auto &sum, const auto &paths) {
            Real share = 0;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                if (!has(here, c)) continue;
                if (paths[c] > largest(paths[c])) *batch.overflow = source(c);
                share += source_count[c] * (sum[c] * paths[c]);
                at(u, c) = sum[c] + weights.reach(u) / paths[c];
            }
            for (int distance = LANES / 2; distance > 0; distance /= 2)
                share += __shfl_xor_sync(ALL_LANES, share, distance);
            if (lane_number() == 0 && share != 0) atomicAdd(&batch.score[u], share);
        };
        for (int base = level.first + take(); base < level.last; base = level.first + take()) {
            const int entry = base + lane_number();
            const bool there = entry < level.last;
            add_rows<true>(leaving, there ? queue[entry] : 0, there ? searches[entry] : 0, add_score);
        }
    }

    // Puts the sources on level 0.
    __device__ int start(int sources) const
    {
        for (int v = threadIdx.x; v < vertices; v += blockDim.x) seen[v] = now[v] = marks[v] = 0;
        for (unsigned i = threadIdx.x; i < filter.bits / 32; i += blockDim.x) filter.words[i] = 0;
        if (threadIdx.x == 0) counters->queued = sources;
        __syncthreads();
        for (int i = threadIdx.x; i < sources; i += blockDim.x) {  // all are different
            const int source = batch.sources[first_source + i];
            rows[size_t(source) * COLUMNS * LANES + i] = 1;
            queue[i] = source;
            searches[i] = seen[source] = Word(1) << i;
        }
        __syncthreads();
        return sources;
    }
};

template <typename Word, int IN_FLIGHT, typename Real>
__device__ void add_scores_of_passes(int vertices, Neighbourhood entering, Neighbourhood leaving,
                                     CompactedGraph weights, const Batch<Real> &batch, int *next_pass,
                                     unsigned filter_bits, unsigned few)
{
    using ThisPass = Pass<Real, Word, IN_FLIGHT>;
    constexpr int SEARCHES = ThisPass::COLUMNS * LANES;
    extern __shared__ uint4 shared[];  // the rings, then the filter
    __shared__ Counters counters;
    Item<Word> *const rings = reinterpret_cast<Item<Word> *>(shared);
    Item<Word> *const ring = rings + threadIdx.x / LANES * WAITING;
    const Filter filter{reinterpret_cast<unsigned *>(rings + blockDim.x / LANES * WAITING), filter_bits};

    const size_t cells = size_t(vertices) * SEARCHES;
    Real *const rows = reinterpret_cast<Real *>(batch.workspace + blockIdx.x * batch.block_bytes);
    Word *const searches = reinterpret_cast<Word *>(rows + cells);
    Word *const seen = searches + cells, *const now = seen + vertices, *const marks = now + vertices;
    int *const queue = reinterpret_cast<int *>(marks + vertices);
    int *const candidates = queue + cells;
    int *const ends = candidates + vertices;  // of the levels, in the queue

    const int passes = (batch.last - batch.first + SEARCHES - 1) / SEARCHES;
    for (int drawn; (drawn = draw_pass(next_pass, passes)) < passes;) {
        const int first = batch.first + drawn * SEARCHES, sources = min(SEARCHES, batch.last - first);
        const Word used = Word(~Word(0)) >> (SEARCHES - sources);
        ThisPass pass{vertices, leaving, entering, weights, batch,    first, {},         rows,   seen,
                      now,      marks,   searches, queue,   candidates, filter, ring, &counters};
        for (int c = 0; c < ThisPass::COLUMNS; c++)
            if (c * LANES + lane_number() < sources) pass.source_count[c] = weights.source_count(pass.source(c));

        Level shown{0, 0}, level{0, pass.start(sources)};
        int depth = 0;
        for (;; depth++) {
            if (threadIdx.x == 0) ends[depth] = level.last;
            pass.show(shown, level);
            shown = level;
            const bool marked = size_t(level.last - level.first) * few < unsigned(vertices);
            if (marked) {
                pass.mark(level);
                __syncthreads();
            }
            pass.pull(used, marked);
            __syncthreads();
            level = {level.last, counters.queued};
            if (level.first == level.last) break;
        }
        for (; depth > 0; depth--) {  // the sources' own dependencies do not count
            pass.show(shown, level);
            shown = level;
            level = {ends[depth - 1], ends[depth]};
            pass.finish(level);
            __syncthreads();
        }
    }
}

// A kernel for a precision, a number of searches and the registers of a thread.
#define LANE_QUEUES(Real, SEARCHES, Word, REGISTERS, BLOCKS, IN_FLIGHT)                                          \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS, BLOCKS)                                            \
        lane_queues_##Real##_##SEARCHES##_##REGISTERS(                                                           \
            int vertices, const int *indptr, const int *indices, const int *in_indptr, const int *in_indices,    \
            const int *reach, const int *source_count, BATCH_PARAMETERS(Real), int *next_pass,                   \
            unsigned filter_bits, unsigned few)                                                                  \
    {                                                                                                            \
        add_scores_of_passes<Word, IN_FLIGHT>(vertices, Neighbourhood{in_indptr, in_indices},                    \
                                              Neighbourhood{indptr, indices},                                    \
                                              CompactedGraph{reach, source_count}, BATCH(Real), next_pass,       \
                                              filter_bits, few);                                                 \
    }

LANE_QUEUES(float, 32, unsigned, 32, 2, 4)
LANE_QUEUES(float, 32, unsigned, 64, 1, 8)
LANE_QUEUES(float, 64, unsigned long long, 32, 2, 4)
LANE_QUEUES(float, 64, unsigned long long, 64, 1, 8)
LANE_QUEUES(double, 32, unsigned, 32, 2, 4)
LANE_QUEUES(double, 32, unsigned, 64, 1, 8)
LANE_QUEUES(double, 64, unsigned long long, 32, 2, 4)
LANE_QUEUES(double, 64, unsigned long long, 64, 1, 8)
