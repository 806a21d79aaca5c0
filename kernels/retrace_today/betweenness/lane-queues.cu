// betweenness/lane-queues: betweenness centrality of 32, 64 or 128 sources at a time; ours, not from a report.
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
// Mapping  a block takes 32, 64 or 128 sources, a pass, from the first level to the last score, and draws the next pass from a
//          counter. The warps of a block draw groups of 32 vertices from another.
//          With GRID, all blocks share one pass after the other: few passes, or few whose rows fit into the memory, then
//          keep all multiprocessors busy. There is no filter, which each block would have to fill with the whole level.
// Forward  an unreached vertex pulls path counts from its predecessors, so that only its own warp writes its row. On a
//          level with few entries, these first mark their unreached neighbours, and only marked vertices pull; on others,
//          all vertices that are not reached by all searches.
// Back     the vertices of a level add up the delta of their successors; delta is defined in brandes.cuh.
// Atomics  none on rows. A score costs one atomic addition per entry of the queue.
// Memory   of a pass: one row per vertex; the queue, which has room for each vertex in each search; three words and a
//          candidate per vertex; the ends of the levels. A row is valid only where its bit in `seen` is set.

#include "../frontier/frontier.cuh"
#include "../../betweenness/brandes.cuh"
#include "passes.cuh"

#ifndef SCORE  // lane-queues-fixed.cu has another
#define SCORE(Real) Real
#endif

// A bit for each search of a pass: 32 for each part.
template <int PARTS> struct alignas(4 * PARTS) Searches {
    unsigned part[PARTS];

    // The first of all searches, so many.
    __device__ static Searches first(int count)
    {
        Searches found;
        for (int i = 0; i < PARTS; i++) {
            const int here = min(max(count - i * int(LANES), 0), int(LANES));
            found.part[i] = here == 0 ? 0 : ALL_LANES >> (LANES - here);
        }
        return found;
    }
    __device__ static Searches one(int search) { return first(search + 1) & ~first(search); }
    __device__ static Searches none() { return first(0); }

    __device__ Searches operator&(const Searches &other) const
    {
        return each([&](int i) { return part[i] & other.part[i]; });
    }
    __device__ Searches operator|(const Searches &other) const
    {
        return each([&](int i) { return part[i] | other.part[i]; });
    }
    __device__ Searches operator~() const
    {
        return each([&](int i) { return ~part[i]; });
    }
    __device__ explicit operator bool() const
    {
        unsigned any = 0;
#pragma unroll
        for (int i = 0; i < PARTS; i++) any |= part[i];
        return any != 0;
    }
    // What lane `from` has.
    __device__ Searches of_lane(int from) const
    {
        return each([&](int i) { return __shfl_sync(ALL_LANES, part[i], from); });
    }

  private:
    template <typename Part> __device__ static Searches each(Part part_of)
    {
        Searches found;
#pragma unroll
        for (int i = 0; i < PARTS; i++) found.part[i] = part_of(i);
        return found;
    }
};

struct Neighbourhood {
    const Offset *indptr;
    const int *indices;
};

// A place in the queue, which may have more entries than 32 bits count as well: one for each vertex in each search.
#ifdef WIDE
using Place = long long;
__device__ inline Place take_place(Place *next) { return atomicAdd(reinterpret_cast<unsigned long long *>(next), 1ull); }
#else
using Place = int;
__device__ inline Place take_place(Place *next) { return atomicAdd(next, 1); }
#endif

// The entries of a level, in the queue.
struct Level {
    Place first, last;
};

// One of the 32 vertices whose sums a warp computes.
template <typename Word> struct alignas(2 * sizeof(Word)) Sum {
    Word wanted;
    int vertex;
    unsigned end;  // of the vertex's arcs; the lower 32 bits tell it from all of them
    int reach;     // on the way back
};

// A row that is to be added to a sum, in the columns of some searches. Or, as ~i, the end of the i-th of the sums.
template <typename Word> struct alignas(2 * sizeof(Word)) Item {
    int vertex;
    Word searches;
};

// What a warp has in shared memory.
template <typename Word, int ARCS> struct Desk {
    static constexpr int PLACES = 2 * ARCS * LANES;  // a power of two: for what was left, and ARCS arcs of each lane
    Sum<Word> sums[LANES];
    Item<Word> ring[PLACES];
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

// What the threads of a pass count together.
struct Counters {
    Place queued;  // entries in the queue
    int marked;    // candidates
    int taken;     // vertices that warps have taken
};

// A pass as a block has it in shared memory. A lane requests ARCS arcs at a time, a warp IN_FLIGHT rows.
template <typename Real, typename Word, int ARCS, int IN_FLIGHT, bool GRID> struct Pass {
    static constexpr int COLUMNS = sizeof(Word) / sizeof(unsigned);  // searches of a lane
    static constexpr int SEARCHES = COLUMNS * LANES;
    using OwnDesk = Desk<Word, ARCS>;
    static constexpr int PLACES = OwnDesk::PLACES;

    int vertices;
    Neighbourhood leaving, entering;
    CompactedGraph weights;
    Batch<Real, SCORE(Real)> batch;
    Real *rows;                // sigma; delta of finished vertices
    Word *seen, *now, *marks;  // searches that have reached a vertex, that have it on the level shown, that will reach it
    Word *searches;            // in which the vertices of the queue are on their level
    int *queue, *candidates, *claims;  // claims: whether a vertex is a candidate, with more than 64 searches
    Place *ends;  // of the levels, in the queue
    Filter filter;
    OwnDesk *desks;

    int sources[SEARCHES], source_counts[SEARCHES];
    Counters own, *of_grid;

    __device__ static Team team() { return {!GRID}; }
    __device__ Counters &counters()
    {
        if constexpr (GRID) return *of_grid;
        return own;
    }

    __device__ static bool has(const Word &word, int column) { return word.part[column] >> lane_number() & 1; }

    // Draws 32 vertices for this warp; returns the number of the first.
    __device__ int take()
    {
        const int first = lane_number() == 0 ? atomicAdd(&counters().taken, int(LANES)) : 0;
        return __shfl_sync(ALL_LANES, first, 0);
    }

    // Makes `now` and the filter describe another level.
    __device__ void show(Level before, Level level)
    {
        const int thread = team().thread(), threads = team().threads();
        for (Place i = before.first + thread; i < before.last; i += threads) {
            now[queue[i]] = Word::none();
            filter.remove(queue[i]);
        }
        if (thread == 0) counters().taken = counters().marked = 0;
        team().sync();
        for (Place i = level.first + thread; i < level.last; i += threads) {
            now[queue[i]] = searches[i];
            filter.add(queue[i]);
        }
        team().sync();
    }

    // Adds to the marks of a vertex; returns whether it had none. One atomic does both for up to 64 searches.
    __device__ bool add_marks(int v, const Word &reached)
    {
        if constexpr (COLUMNS == 1) {
            return atomicOr(marks[v].part, reached.part[0]) == 0;
        } else if constexpr (COLUMNS == 2) {
            using Both = unsigned long long;
            return atomicOr(reinterpret_cast<Both *>(marks[v].part), Both(reached.part[1]) << LANES | reached.part[0]) == 0;
        } else {
            for (int i = 0; i < COLUMNS; i++)
                if (reached.part[i]) atomicOr(&marks[v].part[i], reached.part[i]);
            return atomicExch(&claims[v], 1) == 0;
        }
    }

    // Marks the unreached neighbours of a level, and makes them candidates.
    __device__ void mark(Level level)
    {
        for (Place base = level.first + team().warp() * LANES; base < level.last; base += team().warps() * LANES) {
            const Place entry = base + lane_number();
            const bool there = entry < level.last;
            const int u = there ? queue[entry] : 0;
            const Offset begin = there ? __ldg(&leaving.indptr[u]) : 0, end = there ? __ldg(&leaving.indptr[u + 1]) : 0;
            const Word own = there ? searches[entry] : Word::none();
            for_each_arc<1>(begin, end - begin, [&](const auto &arc, const auto &owner) {
                const Word reaching = own.of_lane(owner[0]);
                if (arc[0] == NO_ARC) return;
                const int v = __ldg(&leaving.indices[arc[0]]);
                const Word reached = reaching & ~seen[v];
                if (reached && add_marks(v, reached)) candidates[atomicAdd(&counters().marked, 1)] = v;
            });
        }
    }

    // Adds up, for 32 vertices, one per lane, the rows of their neighbours on the level shown, each search its own
    // column. All lanes then call complete(vertex, sum, row) for each vertex with a wanted search; `row` is the vertex's
    // own if BACK.
    template <bool BACK, typename Complete>
    __device__ void add_rows(Neighbourhood along, int own, Word wanted, Complete complete) const
    {
        OwnDesk &desk = desks[threadIdx.x / LANES];
        Real *const column = rows + lane_number();
        const Word *const on_level = now;
        const Filter on_any = filter;
        const Offset begin = wanted ? __ldg(&along.indptr[own]) : 0, end = wanted ? __ldg(&along.indptr[own + 1]) : 0;
        const unsigned length = wanted ? end - begin + 1 : 0;  // an arc more, where the sum ends
        desk.sums[lane_number()] = {wanted, own, unsigned(end), BACK && wanted ? weights.reach(own) : 0};
        __syncwarp();
        int first = 0, last = 0;  // of the items that wait
        Real sum[COLUMNS] = {};

        const auto add_waiting = [&](int fewest) {
            __syncwarp();
            for (; last - first >= fewest; first += IN_FLIGHT) {
                Real row[IN_FLIGHT][COLUMNS];
                unsigned endings = 0;  // has a bit for each item that ends a sum
#pragma unroll
                for (int i = 0; i < IN_FLIGHT; i++) {
                    const Item<Word> item = first + i < last ? desk.ring[(first + i) % PLACES] : Item<Word>{0, Word::none()};
                    if (item.vertex < 0) endings |= 1u << i;
                    const int v = BACK && item.vertex < 0 ? desk.sums[~item.vertex].vertex : item.vertex;
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++)
                        row[i][c] = has(item.searches, c) ? column[(size_t(unsigned(v)) * COLUMNS + c) * LANES] : 0;
                }
                for (int from = 0, to;; from = to + 1, endings &= endings - 1) {
                    to = endings ? __ffs(endings) - 1 : IN_FLIGHT;
                    Real own_row[COLUMNS] = {};
#pragma unroll
                    for (int i = 0; i < IN_FLIGHT; i++)
#pragma unroll
                        for (int c = 0; c < COLUMNS; c++) {
                            if (from <= i && i < to) sum[c] += row[i][c];
                            if (BACK && i == to) own_row[c] = row[i][c];
                        }
                    if (!endings) break;
                    complete(desk.sums[~desk.ring[(first + to) % PLACES].vertex], sum, own_row);
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++) sum[c] = 0;
                }
            }
            __syncwarp();
        };

        for_each_arc<ARCS>(begin, length, [&](const auto &arc, const auto &owner) {
            int vertex[ARCS];
            Word found[ARCS];
#pragma unroll
            for (int i = 0; i < ARCS; i++) {
                const Sum<Word> &of = desk.sums[owner[i]];
                const bool is_arc = sizeof(Offset) == sizeof(of.end) || arc[i] != NO_ARC;  // else no arc is an end
                const bool ends = is_arc && unsigned(arc[i]) == of.end;
                found[i] = arc[i] == NO_ARC || (ends && !BACK) ? Word::none() : of.wanted;
                vertex[i] = ends ? ~int(owner[i]) : arc[i] == NO_ARC ? 0 : __ldg(&along.indices[arc[i]]);
            }
#pragma unroll
            for (int i = 0; i < ARCS; i++)
                if (vertex[i] >= 0)
                    found[i] = found[i] && on_any.may_have(vertex[i]) ? found[i] & on_level[vertex[i]] : Word::none();
#pragma unroll
            for (int i = 0; i < ARCS; i++) {
                const bool waits = vertex[i] < 0 || bool(found[i]);
                const unsigned waiting = __ballot_sync(ALL_LANES, waits);
                const int place = last + __popc(waiting & ((1u << lane_number()) - 1));
                if (waits) desk.ring[place % PLACES] = {vertex[i], found[i]};
                last += __popc(waiting);
            }
            add_waiting(IN_FLIGHT);
        });
        add_waiting(1);
    }

    // Finds the next level: candidates, or all vertices, pull path counts. Those that get any enter the queue.
    __device__ void pull(Word used, bool from_candidates)
    {
        const int groups = (vertices + LANES - 1) / LANES, end = from_candidates ? counters().marked : groups * int(LANES);
        const auto queue_reached = [&](const Sum<Word> &of, const auto &paths, const auto &) {
            Word reached;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                reached.part[c] = __ballot_sync(ALL_LANES, paths[c] != 0);
                if (paths[c] != 0) rows[(size_t(of.vertex) * COLUMNS + c) * LANES + lane_number()] = paths[c];
            }
            if (!reached || lane_number() != 0) return;
            const Place place = take_place(&counters().queued);
            queue[place] = of.vertex;
            searches[place] = reached;
            seen[of.vertex] = seen[of.vertex] | reached;
        };
        for (int base = take(); base < end; base = take()) {
            int v = 0;
            Word wanted = Word::none();
            if (from_candidates && base + int(lane_number()) < end) {
                v = candidates[base + lane_number()];
                wanted = marks[v];
                marks[v] = Word::none();
                if (COLUMNS > 2) claims[v] = 0;
            } else if (!from_candidates) {  // neighbours go to different groups: those with many arcs are often neighbours
                v = base / LANES + lane_number() * groups;
                wanted = v < vertices ? used & ~seen[v] : Word::none();
            }
            add_rows<false>(entering, v, wanted, queue_reached);
        }
    }

    // Computes the delta of a level, while the level behind it is shown, and adds to the scores.
    __device__ void finish(Level level)
    {
        const auto add_score = [&](const Sum<Word> &of, const auto &sum, const auto &paths) {
            Real share = 0;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                if (!has(of.wanted, c)) continue;
                const int search = c * LANES + lane_number();
                if (paths[c] > largest(paths[c])) *batch.overflow = sources[search];
                share += source_counts[search] * (sum[c] * paths[c]);
                rows[size_t(of.vertex) * SEARCHES + search] = sum[c] + of.reach / paths[c];
            }
            for (int distance = LANES / 2; distance > 0; distance /= 2)
                share += __shfl_xor_sync(ALL_LANES, share, distance);
            if (lane_number() == 0 && share != 0) atomicAdd(&batch.score[of.vertex], share);
        };
        for (Place base = level.first + take(); base < level.last; base = level.first + take()) {
            const Place entry = base + lane_number();
            const bool there = entry < level.last;
            add_rows<true>(leaving, there ? queue[entry] : 0, there ? searches[entry] : Word::none(), add_score);
        }
    }

    // Puts the sources from `first` on, SEARCHES or as many as there are, on level 0. Returns their number;
    // show() waits for all threads.
    __device__ int start(int first)
    {
        const int here = min(SEARCHES, batch.last - first), thread = team().thread();
        for (int v = thread; v < vertices; v += team().threads()) {
            seen[v] = now[v] = marks[v] = Word::none();
            if (COLUMNS > 2) claims[v] = 0;
        }
        for (unsigned i = threadIdx.x; i < filter.bits / 32; i += blockDim.x) filter.words[i] = 0;
        if (thread == 0) counters().queued = here;
        team().sync();
        for (int i = threadIdx.x; i < here; i += blockDim.x) {  // all are different
            const int source = sources[i] = batch.sources[first + i];
            source_counts[i] = weights.source_count(source);
            if (GRID && blockIdx.x > 0) continue;
            rows[size_t(source) * SEARCHES + i] = 1;
            queue[i] = source;
            searches[i] = seen[source] = Word::one(i);
        }
        return here;
    }
};

// Returns the next pass of this block, or `passes` if none is left. All threads call it together.
template <bool GRID> __device__ int next_of(int drawn, int *next_pass, int passes)
{
    if constexpr (!GRID) return draw_pass(next_pass, passes);
    cg::this_grid().sync();  // all threads have read the counters of the last one
    return drawn + 1;
}

template <typename Word, int ARCS, int IN_FLIGHT, bool GRID, typename Real>
__device__ void add_scores_of_passes(int vertices, Neighbourhood entering, Neighbourhood leaving,
                                     CompactedGraph weights, const Batch<Real, SCORE(Real)> &batch,
                                     int *next_pass, unsigned filter_bits, unsigned few)
{
    using ThisPass = Pass<Real, Word, ARCS, IN_FLIGHT, GRID>;
    constexpr int SEARCHES = ThisPass::SEARCHES;
    extern __shared__ uint4 shared[];  // the desks of the warps, then the filter
    __shared__ ThisPass pass;
    if (threadIdx.x == 0) {
        const size_t cells = size_t(vertices) * SEARCHES;
        pass.vertices = vertices;
        pass.leaving = leaving;
        pass.entering = entering;
        pass.weights = weights;
        pass.batch = batch;
        pass.rows = reinterpret_cast<Real *>(batch.workspace + (GRID ? 0 : blockIdx.x * batch.block_bytes));
        pass.searches = reinterpret_cast<Word *>(pass.rows + cells);
        pass.seen = pass.searches + cells;
        pass.now = pass.seen + vertices;
        pass.marks = pass.now + vertices;
        pass.queue = reinterpret_cast<int *>(pass.marks + vertices);
        pass.candidates = pass.queue + cells;
        pass.claims = pass.candidates + vertices;
        pass.desks = reinterpret_cast<typename ThisPass::OwnDesk *>(shared);
        int *const numbers_end = pass.claims + (ThisPass::COLUMNS > 2 ? vertices : 0);
        const bool odd = sizeof(Place) > sizeof(int) && reinterpret_cast<size_t>(numbers_end) % sizeof(Place) != 0;
        pass.ends = reinterpret_cast<Place *>(numbers_end + odd);
        pass.of_grid = reinterpret_cast<Counters *>(pass.ends + vertices);
        pass.filter = {reinterpret_cast<unsigned *>(pass.desks + blockDim.x / LANES), filter_bits};
    }
    __syncthreads();
    const Team team = pass.team();
    const int passes = (batch.last - batch.first + SEARCHES - 1) / SEARCHES;
    for (int drawn = -1; (drawn = next_of<GRID>(drawn, next_pass, passes)) < passes;) {
        Level shown{0, 0}, level{0, pass.start(batch.first + drawn * SEARCHES)};
        const Word used = Word::first(level.last);
        int depth = 0;
        for (;; depth++) {
            if (team.thread() == 0) pass.ends[depth] = level.last;
            pass.show(shown, level);
            shown = level;
            const bool sparse = size_t(level.last - level.first) * few < unsigned(vertices);
            if (sparse) {
                pass.mark(level);
                team.sync();
            }
            pass.pull(used, sparse);
            team.sync();
            level = {level.last, pass.counters().queued};
            if (level.first == level.last) break;
        }
        for (; depth > 0; depth--) {  // the sources' own dependencies do not count
            pass.show(shown, level);
            shown = level;
            level = {pass.ends[depth - 1], pass.ends[depth]};
            pass.finish(level);
            team.sync();
        }
    }
}

// A kernel for a precision, a number of searches and the registers of a thread: with 32 of them twice as many threads run,
// with 64 each requests twice as much.
#define LANE_QUEUES(name, GRID, Real, PARTS, SEARCHES, REGISTERS, BLOCKS, ARCS, IN_FLIGHT)                    \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS, BLOCKS)                                         \
        name##_##Real##_##SEARCHES##_##REGISTERS(                                                             \
            int vertices, const Offset *indptr, const int *indices, const Offset *in_indptr,                  \
            const int *in_indices, const int *reach, const int *source_count, BATCH_PARAMETERS(SCORE(Real)),  \
            int *next_pass, unsigned filter_bits, unsigned few)                                               \
    {                                                                                                         \
        static_assert(PARTS * LANES == SEARCHES);                                                             \
        add_scores_of_passes<Searches<PARTS>, ARCS, IN_FLIGHT, GRID>(                                         \
            vertices, Neighbourhood{in_indptr, in_indices}, Neighbourhood{indptr, indices},                   \
            CompactedGraph{reach, source_count}, BATCH(Real, SCORE(Real)), next_pass, filter_bits, few);      \
    }
#define LANE_QUEUES_OF(Real)                                   \
    LANE_QUEUES(lane_queues, false, Real, 1, 32, 32, 2, 1, 4)  \
    LANE_QUEUES(lane_queues, false, Real, 1, 32, 64, 1, 2, 8)  \
    LANE_QUEUES(lane_queues, false, Real, 2, 64, 32, 2, 1, 4)  \
    LANE_QUEUES(lane_queues, false, Real, 2, 64, 64, 1, 2, 8)  \
    LANE_QUEUES(lane_queues, false, Real, 4, 128, 64, 1, 1, 4) \
    LANE_QUEUES(lane_queues_grid, true, Real, 2, 64, 64, 1, 2, 8)

LANE_QUEUES_OF(float)
LANE_QUEUES_OF(double)
