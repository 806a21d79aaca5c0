// bfs/direction: direction-optimising breadth-first search in one cooperative launch; ours, for graphs of few levels.
//
// Paper    S. Beamer, K. Asanović and D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
// Idea     a level is found from above, along the arcs that leave the frontier, or from below: each vertex that is not
//          visited looks for a visited one among those whose arcs enter it, and stops at the first. From below is less
//          work if the frontier has many arcs and few vertices are left.
// Trick    one bitmap of visited vertices, which stays in the caches, is all that a level needs to know. From below it
//          takes the frontier's place: if a vertex of an earlier level had an arc to v, then v would be visited. What
//          is found is written to a second bitmap, and the two swap, so that a warp owns 32 vertices and needs no
//          atomics. Going over from above to below costs nothing; going back, the vertices by which the bitmaps differ
//          are queued. From above, neighbouring lanes mark vertices of one word of it by one atomic: heads are sorted, as
//          a rule, and those that many vertices have are in few lines of memory, where atomics wait for each other.
// Mapping  from above, arcs are divided evenly among all warps: frontier.cuh. From below, a warp takes as many words of
//          the bitmap as any other, up to 32, a lane for each, and puts the vertices that are not visited in a row, a
//          lane for each. The fewer of these have arcs left, the more lanes look at the arcs of each. Vertices that are
//          not found are listed once they are few.
// Barriers one of the grid per level, one at the start, and one for each return to above. While levels have at most
//          `alone` arcs, block 0 goes on alone, with barriers of its own, and the grid waits at one. Three counters
//          take turns: one is read, one is written, one is cleared; block 0 alone has three others, since some of the
//          grid may not have read theirs when it begins. From below, when at most `rest` vertices are left and
//          listed, block 0 finds the levels that remain, and the other blocks end.
// End      vertices that no arc enters are never visited, and do not count among those that are left.
// Trees    predecessors, if wanted (TREE), are written with the levels, as labels: whoever finds a vertex knows the tail
//          of the arc, and vertices that are found together are rarely neighbours, so that a word is a write to memory.
//          From above, an entry of the queue is then a vertex and its first arc; how many arcs follow from that. Whoever
//          sees that a vertex is left writes its label, before it is marked: all who do have a tail of the same level.
// Departs  from the paper in when it returns to above: when the frontier has less than 1 / beta of the vertices that
//          are left, not of all. The arcs of those that are left are estimated by the mean.

#include <type_traits>

#include "../frontier/frontier.cuh"
#include "../../label.cuh"

constexpr unsigned NO_WORD = 0xFFFFFFFF;
constexpr int FROM_ABOVE = 2;  // arcs of a lane in flight
constexpr int FIRST_FROM_BELOW = 4;  // the same, of the first arcs that enter a vertex, and of further ones
constexpr int FROM_BELOW = 8;
constexpr unsigned QUEUED_UP_TO = 4;  // a frontier of so many times fewer arcs than for from below queues the next
constexpr unsigned LISTED_FROM = 8;  // what is left is listed from so many times `rest` vertices on
constexpr unsigned MOST_LEFT = 4;  // vertices of a thread of the one block that finishes

// What is counted of a level while it is found. The arcs, in the upper bits, are counted from above only. With offsets of
// 64 bits the upper bits of 2^33 or more are lost; they only decide how the next level is found.
constexpr int VERTEX_BITS = sizeof(Offset) == sizeof(unsigned) ? 32 : 31;

struct Level {
    unsigned long long arcs_and_vertices;
    unsigned entries;                      // entries in the queue, from above only
    unsigned listed;                       // vertices in the list of what is left, from below only

    __device__ unsigned vertices() const { return arcs_and_vertices & ((1ull << VERTEX_BITS) - 1); }
    __device__ Offset arcs() const { return Offset(arcs_and_vertices >> VERTEX_BITS); }
};

__device__ inline unsigned long long counted(Offset arcs, unsigned vertices)
{
    return (unsigned long long)(arcs) << VERTEX_BITS | vertices;
}

struct Adjacency {
    const Offset *indptr;
    const unsigned *indices;
};

// How far a search has come.
struct Progress {
    unsigned number;  // of the level whose vertices are the frontier
    unsigned step;    // of the counters
    unsigned left;    // vertices on none of the levels before
    unsigned from_below, returns, unused;
    Level frontier;

    // Whether this level is empty or the last.
    __device__ bool ends() const { return frontier.vertices() == 0 || frontier.vertices() == left; }
};

// What stays the same during a search. With TREE, predecessors are found.
template <bool TREE> struct Search {
    using Found = std::conditional_t<TREE, Label, int>;  // or the level alone

    unsigned vertices, words;
    unsigned entered;  // vertices that an arc enters
    Adjacency leaving, entering;
    Found *found;  // of each vertex
    Entry *queues;  // for even levels and for odd ones, of `capacity` entries each
    unsigned capacity, piece;
    Level *levels;  // levels[i % 3] counts what is the frontier in step i
    unsigned block_queue_size;
    Level *levels_alone;  // this and the following are in shared memory
    Entry *block_queue;
    unsigned *tail;
    unsigned long long *sum;

    __device__ static Found make_found(int level, int tail)
    {
        if constexpr (TREE) return make_label(level, tail);
        return level;
    }

    __device__ Level &of(unsigned step) const { return levels[step % 3]; }

    // The queue of a level, which a step counts.
    __device__ BlockQueue queue(unsigned number, unsigned step) const
    {
        const Queue queue{queues + number % 2 * capacity, &of(step).entries};
        return {queue, block_queue, block_queue_size, tail};
    }

    // The vertices that are left after a level is found: in place of its queue, which is empty from below.
    __device__ unsigned *list(unsigned number) const { return (unsigned *)(queues + number % 2 * capacity); }

    // Ends a block's part of a level: adds what it has counted, after a barrier.
    __device__ void finish(unsigned step, unsigned long long found) const
    {
        add_over_warp(sum, found);
        __syncthreads();
        if (threadIdx.x > 0) return;
        if (*sum) atomicAdd(&of(step).arcs_and_vertices, *sum);
        *sum = 0;
    }

    // The entry of some arcs of v.
    __device__ static Entry entry(unsigned v, Offset first, unsigned count)
    {
        return TREE ? Entry{v, first} : Entry{first, count};
    }

    // The first and the number of the arcs of an entry.
    __device__ Entry arcs_of(Entry entry) const
    {
        if constexpr (TREE) {
            const Offset left = __ldg(&leaving.indptr[entry.x + 1]) - entry.y;
            return {entry.y, min(Offset(piece), left)};
        }
        return entry;
    }

    // Queues vertices v, by their arcs, as part of a level. All lanes call it together; those without have begin = end.
    template <int BATCH>
    __device__ void enter(const BlockQueue &to, const unsigned (&v)[BATCH], const Offset (&begin)[BATCH],
                          const Offset (&end)[BATCH]) const
    {
        to.add(begin, end, piece, [&](int b, unsigned lane, Offset first, unsigned count) {
            return entry(TREE ? __shfl_sync(ALL_LANES, v[b], lane) : 0, first, count);
        });
    }

    // Puts v on the level after this one, to which an arc from `tail` leads.
    __device__ void put_on_next(unsigned v, const Progress &now, unsigned tail) const
    {
        found[v] = make_found(int(now.number) + 1, int(tail));
    }

    // Marks vertices as visited; is_new[b] says whether this lane's v[b] was marked by no other lane before. Neighbouring
    // lanes with vertices in one word of the bitmap are a run, whose last lane marks all, unless a block is alone: its
    // atomics wait for few others. All lanes call it together.
    template <int BATCH>
    __device__ static void mark(bool alone, unsigned *visited, const unsigned (&v)[BATCH], const bool (&wanted)[BATCH],
                                bool (&is_new)[BATCH])
    {
        unsigned bits[BATCH], before[BATCH];
        bool goes_on[BATCH], has_runs = false;  // this lane's is in the run of the lane before
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            const unsigned word = wanted[b] ? v[b] / 32 : NO_WORD, word_before = __shfl_up_sync(ALL_LANES, word, 1);
            goes_on[b] = wanted[b] && word == word_before && lane_number() > 0;
            has_runs |= goes_on[b];
            bits[b] = wanted[b] ? 1u << v[b] % 32 : 0;
        }
        if (!alone && __any_sync(ALL_LANES, has_runs)) {
            mark_runs(visited, v, goes_on, bits, before);
        } else {
#pragma unroll
            for (int b = 0; b < BATCH; b++) before[b] = wanted[b] ? atomicOr(&visited[v[b] / 32], bits[b]) : 0;
        }
#pragma unroll
        for (int b = 0; b < BATCH; b++) is_new[b] = wanted[b] && !(before[b] >> v[b] % 32 & 1);
    }

    // Sets the bits of runs in the bitmap; before[b] is what it had before this lane's were set.
    template <int BATCH>
    __device__ static void mark_runs(unsigned *visited, const unsigned (&v)[BATCH], const bool (&goes_on)[BATCH],
                                     unsigned (&bits)[BATCH], unsigned (&before)[BATCH])
    {
        const unsigned lane = lane_number();
        unsigned first[BATCH], last[BATCH];
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            const unsigned beginning = ~__ballot_sync(ALL_LANES, goes_on[b]);
            const unsigned later = beginning & ~(ALL_LANES >> (31 - lane));
            first[b] = 31 - __clz(beginning & ~later);
            last[b] = later ? __ffs(later) - 2 : 31;
            for (unsigned by = 1; by < LANES; by *= 2) {
                const unsigned lower = __shfl_up_sync(ALL_LANES, bits[b], by);
                if (lane >= first[b] + by) bits[b] |= lower;
            }
        }
#pragma unroll
        for (int b = 0; b < BATCH; b++)
            before[b] = bits[b] && lane == last[b] ? atomicOr(&visited[v[b] / 32], bits[b]) : 0;
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            const unsigned lower = __shfl_up_sync(ALL_LANES, bits[b], 1);
            before[b] = __shfl_sync(ALL_LANES, before[b], last[b]) | (lane > first[b] ? lower : 0);
        }
    }

    // Finds the next level from the queue of this one; counts its arcs and queues it, if it is to be queued.
    __device__ void from_above(const Team &team, const Progress &now, unsigned *visited, bool queueing) const
    {
        const Entry *const frontier = queues + now.number % 2 * capacity;
        const BlockQueue next = queue(now.number + 1, now.step + 1);
        const unsigned entries = now.frontier.entries, share = team.share(entries);
        unsigned long long found = 0;
        for (unsigned first = team.warp() * share; first < entries; first += team.warps() * share) {
            const unsigned i = first + lane_number();
            const bool has = lane_number() < share && i < entries;
            const Entry own = has ? frontier[i] : Entry{0, 0}, arcs = has ? arcs_of(own) : Entry{0, 0};
            for_each_arc<FROM_ABOVE>(arcs.x, arcs.y, [&](const Offset *arc, const unsigned *owner) {
                unsigned head[FROM_ABOVE], word[FROM_ABOVE];
#pragma unroll
                for (int b = 0; b < FROM_ABOVE; b++) head[b] = arc[b] == NO_ARC ? 0 : __ldg(&leaving.indices[arc[b]]);
#pragma unroll
                for (int b = 0; b < FROM_ABOVE; b++) word[b] = arc[b] == NO_ARC ? ALL_LANES : visited[head[b] / 32];
                Offset begin[FROM_ABOVE], end[FROM_ABOVE];
                bool is_left[FROM_ABOVE], is_new[FROM_ABOVE];
#pragma unroll
                for (int b = 0; b < FROM_ABOVE; b++) {
                    is_left[b] = !(word[b] >> head[b] % 32 & 1);
                    begin[b] = is_left[b] && queueing ? __ldg(&leaving.indptr[head[b]]) : 0;
                    end[b] = is_left[b] && queueing ? __ldg(&leaving.indptr[head[b] + 1]) : 0;
                }
                if constexpr (TREE) {  // tails are not kept until it is known who marks: there are no registers for them
#pragma unroll
                    for (int b = 0; b < FROM_ABOVE; b++) {
                        const unsigned tail = __shfl_sync(ALL_LANES, unsigned(own.x), owner[b]);
                        if (is_left[b]) put_on_next(head[b], now, tail);
                    }
                }
                mark(team.alone, visited, head, is_left, is_new);
#pragma unroll
                for (int b = 0; b < FROM_ABOVE; b++) {
                    if (!TREE && is_new[b]) put_on_next(head[b], now, 0);
                    if (!is_new[b]) end[b] = begin[b];
                    found += counted(end[b] - begin[b], is_new[b]);
                }
                enter(next, head, begin, end);
            });
        }
        finish(now.step + 1, found);
        next.flush();
    }

    // Returns the vertices of a word of the bitmap that are not visited, a bit for each.
    __device__ unsigned left_in(unsigned word, unsigned visited) const
    {
        return ~visited & (word < vertices / 32 ? ALL_LANES : (1u << vertices % 32) - 1);
    }

    // Finds the next level among the vertices that are not visited, and writes the bitmap of those that then are. The
    // vertices that are left then are listed, if they are to be.
    __device__ void from_below(const Team &team, const Progress &now, const unsigned *visited, unsigned *next,
                               bool listing) const
    {
        __shared__ unsigned words_found[MOST_THREADS];
        unsigned *const here = words_found + threadIdx.x / LANES * LANES;  // what is found of this warp's words
        const unsigned share = team.share((words + 1) / 2);  // two turns at least, so that slow words even out
        const bool soon = now.left / 7 < vertices / 8;
        unsigned long long found = 0;
        for (unsigned first = team.warp() * share; first < words; first += team.warps() * share) {
            const unsigned word = first + lane_number();
            const bool has_word = lane_number() < share && word < words;
            const unsigned before = has_word ? visited[word] : 0;
            const unsigned left = has_word ? left_in(word, before) : 0;
            here[lane_number()] = 0;
            __syncwarp();
            for_each_bit(left, [&](bool is_left, unsigned owner, unsigned bit) {
                const unsigned v = (first + owner) * 32 + bit;
                unsigned tail;
                const bool is_next = follows_visited(is_left, v, visited, soon, tail);
                if (is_next) {
                    put_on_next(v, now, tail);
                    atomicOr(&here[owner], 1u << bit);
                }
                if (listing) enlist(is_left && !is_next, v, now);
            });
            __syncwarp();
            if (has_word) next[word] = before | here[lane_number()];
            found += counted(0, __popc(here[lane_number()]));
        }
        finish(now.step + 1, found);
    }

    // Returns whether a visited vertex has an arc to v, and for a tree writes one that has; all lanes call it together, each
    // for its own vertex, if wanted. If an eighth of the vertices is visited, most find one `soon`, among their first arcs.
    __device__ bool follows_visited(bool wanted, unsigned v, const unsigned *visited, bool soon, unsigned &tail) const
    {
        Offset arc = wanted ? __ldg(&entering.indptr[v]) : 0;
        const Offset end = wanted ? __ldg(&entering.indptr[v + 1]) : 0;
        bool found = soon && any_visited<FIRST_FROM_BELOW>(arc, 1, end, visited, tail);
        if (soon) arc += FIRST_FROM_BELOW;
        for (;;) {
            const unsigned left = __ballot_sync(ALL_LANES, !found && arc < end), count = __popc(left);
            if (count == 0) return found;
            const unsigned each = LANES >> (LANES - __clz(count - 1));  // lanes for a vertex that is left
            const unsigned rank = lane_number() / each, of = rank < count ? place_of_bit(left, rank) : 0;
            const Offset first = __shfl_sync(ALL_LANES, arc, of) + lane_number() % each;
            const Offset last = __shfl_sync(ALL_LANES, end, of);
            unsigned tail_there;
            const bool finds = rank < count && any_visited<FROM_BELOW>(first, each, last, visited, tail_there);
            const unsigned own = __popc(left & ((1u << lane_number()) - 1)) * each;  // the first lane for this one's
            const unsigned finders = __ballot_sync(ALL_LANES, finds) >> own % LANES & (ALL_LANES >> (LANES - each));
            const bool found_now = (left >> lane_number() & 1) && finders;
            if constexpr (TREE) {
                const unsigned there = __shfl_sync(ALL_LANES, tail_there, own + __ffs(finders) - 1);
                if (found_now) tail = there;
            }
            found |= found_now;
            arc += FROM_BELOW * each;
        }
    }

    // Returns whether one of COUNT arcs before `end`, each so many after the one before, comes from a visited vertex,
    // and for a tree writes that one.
    template <int COUNT>
    __device__ bool any_visited(Offset arc, unsigned step, Offset end, const unsigned *visited, unsigned &from) const
    {
        unsigned tail[COUNT], word[COUNT];
        bool found = false;
#pragma unroll
        for (int b = 0; b < COUNT; b++) tail[b] = arc + b * step < end ? __ldg(&entering.indices[arc + b * step]) : 0;
#pragma unroll
        for (int b = 0; b < COUNT; b++) word[b] = arc + b * step < end ? visited[tail[b] / 32] : 0;
#pragma unroll
        for (int b = 0; b < COUNT; b++) {
            const bool is_visited = (word[b] >> tail[b] % 32 & 1) != 0;
            if (TREE && is_visited) from = tail[b];
            found |= is_visited;
        }
        return found;
    }

    // Adds a vertex to the list of what is left after the next level, if an arc enters it. All lanes call it together,
    // each for its own vertex, if wanted.
    __device__ void enlist(bool wanted, unsigned v, const Progress &now) const
    {
        wanted = wanted && __ldg(&entering.indptr[v]) < __ldg(&entering.indptr[v + 1]);
        const unsigned all = __ballot_sync(ALL_LANES, wanted);
        if (all == 0) return;
        unsigned place = lane_number() == 0 ? atomicAdd(&of(now.step + 1).listed, unsigned(__popc(all))) : 0;
        place = __shfl_sync(ALL_LANES, place, 0) + __popc(all & ((1u << lane_number()) - 1));
        if (wanted) list(now.number + 1)[place] = v;
    }

    // Finds all further levels from below in block 0, whose threads share the vertices that are listed.
    __device__ Progress finish_alone(Progress now, unsigned *visited) const
    {
        unsigned *const left = (unsigned *)block_queue;
        for (unsigned i = threadIdx.x; i < now.left; i += blockDim.x) left[i] = list(now.number)[i];
        __syncthreads();
        for (unsigned found = 1; found && now.left; now.left -= found) {
            unsigned v[MOST_LEFT], tail_of[MOST_LEFT];
            bool is_next[MOST_LEFT];
#pragma unroll
            for (unsigned k = 0; k < MOST_LEFT; k++) {
                const unsigned i = k * blockDim.x + threadIdx.x;
                v[k] = i < now.left ? left[i] : vertices;
                is_next[k] = k * blockDim.x < now.left && follows_visited(v[k] < vertices, v[k], visited, true, tail_of[k]);
            }
            __syncthreads();  // after which no thread looks at the bitmap or at the list any more
#pragma unroll
            for (unsigned k = 0; k < MOST_LEFT; k++) {
                if (is_next[k]) {
                    put_on_next(v[k], now, tail_of[k]);
                    atomicOr(&visited[v[k] / 32], 1u << v[k] % 32);
                } else if (v[k] < vertices) {
                    left[atomicAdd(tail, 1)] = v[k];
                }
            }
            __syncthreads();
            found = now.left - *tail;
            __syncthreads();
            if (threadIdx.x == 0) *tail = 0;
            now.number++;
            now.from_below++;
        }
        return now;
    }

    // Queues this level: the vertices that are visited, and were not before.
    __device__ void collect(const Team &team, const Progress &now, const unsigned *visited,
                            const unsigned *before) const
    {
        const BlockQueue here = queue(now.number, now.step);
        for (unsigned word = team.warp(); word < words; word += team.warps()) {
            const unsigned found = visited[word] & ~before[word];
            if (found == 0) continue;
            const bool is_here = found >> lane_number() & 1;
            const unsigned v[] = {word * 32 + lane_number()};
            const Offset begin[] = {is_here ? leaving.indptr[*v] : 0}, end[] = {is_here ? leaving.indptr[*v + 1] : 0};
            enter(here, v, begin, end);
        }
        __syncthreads();
        here.flush();
    }

    // Finds levels from above in block 0, until one has more than `alone` arcs or is the last; returns that one.
    __device__ Progress go_on_alone(Progress now, unsigned alone, unsigned *visited) const
    {
        const Team block{true};
        const unsigned step_of_all = now.step;
        Search own = *this;
        own.levels = levels_alone;
        if (threadIdx.x < 3) levels_alone[threadIdx.x] = {0, 0, 0};
        block.sync();
        while (!now.ends() && now.frontier.arcs() <= alone) {
            now.left -= now.frontier.vertices();
            own.from_above(block, now, visited, true);
            if (threadIdx.x == 0) own.of(now.step + 2) = {0, 0, 0};
            block.sync();
            now.number++;
            now.frontier = own.of(++now.step);
        }
        now.step = step_of_all;
        return now;
    }
};

// Sets the source's level, and counts and queues it; nothing else is visited or counted.
template <bool TREE> __device__ void start(const Search<TREE> &search, unsigned source, unsigned *visited)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (unsigned v = thread; v < search.vertices; v += threads)
        search.found[v] = search.make_found(v == source ? 0 : UNREACHABLE, -1);
    for (unsigned word = thread; word < search.words; word += threads)
        visited[word] = word == source / 32 ? 1u << source % 32 : 0;
    const Offset begin = search.leaving.indptr[source], arcs = search.leaving.indptr[source + 1] - begin;
    const unsigned pieces = (arcs + search.piece - 1) / search.piece;
    for (unsigned i = thread; i < pieces; i += threads) {
        const Offset before = Offset(i) * search.piece;
        search.queues[i] = search.entry(source, begin + before, unsigned(min(Offset(search.piece), arcs - before)));
    }
    if (thread < 3) search.levels[thread] = thread ? Level{0, 0, 0} : Level{counted(arcs, 1), pieces, 0};
    if (threadIdx.x == 0) {
        *search.tail = 0;
        *search.sum = 0;
    }
}

template <bool TREE>
__device__ void find_levels(Search<TREE> search, unsigned source, unsigned *bitmaps, Progress *progress, unsigned alone,
                            unsigned rest, unsigned alpha, unsigned beta, long long *observed)
{
    extern __shared__ Entry block_queue[];
    __shared__ Level levels_alone[3];
    __shared__ unsigned tail;
    __shared__ unsigned long long sum;
    search.levels_alone = levels_alone;
    search.block_queue = block_queue;
    search.tail = &tail;
    search.sum = &sum;
    const double mean_arcs = double(search.leaving.indptr[search.vertices]) / search.vertices;
    const Team grid{false};
    const bool first_thread = blockIdx.x == 0 && threadIdx.x == 0;
    unsigned *visited = bitmaps, *other = bitmaps + search.words;

    start(search, source, visited);
    grid.sync();
    const bool is_entered = search.entering.indptr[source] < search.entering.indptr[source + 1];
    Progress now{0, 0, search.entered + !is_entered, 0, 0, 0, search.of(0)};
    bool below = false, queued = true;
    for (;;) {
        if (!below && queued && !now.ends() && now.frontier.arcs() <= alone) {
            if (blockIdx.x == 0) now = search.go_on_alone(now, alone, visited);
            if (first_thread) *progress = now;
            grid.sync();
            now = *progress;
        }
        if (now.ends()) break;
        now.left -= now.frontier.vertices();
        if (!below) {
            below = !queued || double(now.frontier.arcs()) * alpha > now.left * mean_arcs;
        } else if (double(now.frontier.vertices()) * beta < now.left) {
            search.collect(grid, now, visited, other);
            grid.sync();
            now.frontier = search.of(now.step);
            below = false;
            queued = true;
            now.returns++;
        }
        if (below && now.left <= rest && now.frontier.listed == now.left) {
            if (blockIdx.x == 0) now = search.finish_alone(now, visited);
            break;
        }
        if (below) {
            search.from_below(grid, now, visited, other, now.left <= LISTED_FROM * rest);
            unsigned *const swapped = visited;
            visited = other;
            other = swapped;
            now.from_below++;
        } else {
            queued = double(now.frontier.arcs()) * alpha * QUEUED_UP_TO <= now.left * mean_arcs;
            search.from_above(grid, now, visited, queued);
        }
        if (first_thread) search.of(now.step + 2) = {0, 0, 0};
        grid.sync();
        now.number++;
        now.frontier = search.of(++now.step);
    }
    if (first_thread) {
        observed[0] = now.number;
        observed[1] = now.from_below;
        observed[2] = now.returns;
    }
}

// With 32 registers, a multiprocessor runs 2,048 threads.
#define DIRECTION_KERNEL(name, TREE, threads, blocks)                                                                 \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name(                                               \
        int vertices, const Offset *indptr, const unsigned *indices, const Offset *in_indptr,                         \
        const unsigned *in_indices, unsigned entered, int source, Search<TREE>::Found *found, unsigned *bitmaps,      \
        Entry *queues, unsigned capacity, Level *levels, Progress *progress, unsigned piece,                          \
        unsigned block_queue_size, unsigned alone, unsigned rest, unsigned alpha, unsigned beta, long long *observed) \
    {                                                                                                                 \
        const unsigned words = (unsigned(vertices) + 31) / 32;                                                        \
        find_levels<TREE>({unsigned(vertices), words, entered, {indptr, indices}, {in_indptr, in_indices}, found,     \
                           queues, capacity, piece, levels, block_queue_size, nullptr, nullptr, nullptr, nullptr},    \
                          unsigned(source), bitmaps, progress, alone, rest, alpha, beta, observed);                   \
    }

DIRECTION_KERNEL(direction_32, false, 1024, 2)
DIRECTION_KERNEL(direction_64, false, UNSPILLED, 1)
DIRECTION_KERNEL(direction_tree_32, true, 1024, 2)
DIRECTION_KERNEL(direction_tree_64, true, UNSPILLED, 1)
