// Shared by betweenness/frontier and betweenness/cluster: blocks that share the levels of a search.
//
// Mapping  a warp takes up to 32 vertices and puts their arcs in a row (frontier.cuh), so that no lane waits for
//          another's; neighbouring lanes then add up what belongs to one vertex. A vertex of more than `hub` arcs
//          belongs to a block.
// Forward  a level of few arcs marks its unreached neighbours, which enter the queue and then add up the path counts of
//          their predecessors. On a level of many, all unreached vertices look for predecessors, and need no mark.
// Back     the vertices of a level add up the shares of their successors. A share, (1 + delta) / sigma, takes the place of
//          the path count sigma; brandes.cuh has the recurrence.
// Atomics  none on sums: each has one thread that writes it.
// Memory   path counts, levels, the queue and the ends of its levels: 20 bytes per vertex in double precision.

#pragma once

#include "../frontier/blocks.cuh"
#include "../../betweenness/brandes.cuh"

constexpr int IN_FLIGHT = 2;  // arcs that a lane requests at a time

struct Rows {
    const Offset *indptr;
    const int *indices;

    __device__ Offset begin(int v) const { return __ldg(&indptr[v]); }
    __device__ Offset end(int v) const { return __ldg(&indptr[v + 1]); }
    __device__ Offset length(int v) const { return end(v) - begin(v); }
};

// The entries of a level, in the queue.
struct Level {
    int first, last;
};

struct Counters {
    unsigned long long arcs[2];  // that leave the vertices of a level: of even levels, and of odd ones
    int queued;
};

// A search by some blocks, a Grid or a Cluster. add_score(blocks, score, value) of the kernel file adds to a score.
template <typename Real, typename Together> struct SharedSearch {
    int vertices;
    Rows leaving, entering;
    const int *hubs;  // all vertices of more arcs, to or from them, than `hub`
    int hub_count;
    unsigned few, hub;
    Real *paths;  // sigma; a finished vertex's share
    int *level, *queue, *ends;
    Counters *counters;
    Real *sums;  // of this warp, in shared memory: one for each lane
    Together team;

    // Puts vertices that were found, one per lane, on level `depth`. All lanes call it together.
    __device__ void enqueue(bool found, int v, int depth) const
    {
        const unsigned finders = __ballot_sync(ALL_LANES, found);
        if (!finders) return;
        add_over_warp(&counters->arcs[depth % 2], found ? leaving.length(v) : 0);
        const int first = lane_number() == 0 ? atomicAdd(&counters->queued, __popc(finders)) : 0;
        const int place = __shfl_sync(ALL_LANES, first, 0) + __popc(finders & ((1u << lane_number()) - 1));
        if (found) queue[place] = v;
    }

    // Calls visit(vertex, whether there is one) for those of the queue, one per lane of as many warps as there are.
    template <typename Visit> __device__ void for_each_entry(Level of, Visit visit) const
    {
        const unsigned entries = of.last - of.first, share = team.share(entries);
        for (unsigned base = team.warp() * share; base < entries; base += team.warps() * share) {
            const bool there = lane_number() < share && base + lane_number() < entries;
            visit(there ? queue[of.first + base + lane_number()] : 0, there);
        }
    }

    // Returns what the neighbours of this lane's vertex have that are on level `depth`. All lanes call it together.
    __device__ Real sum_of_row(Rows rows, int v, bool wanted, int depth) const
    {
        const Offset begin = wanted ? rows.begin(v) : 0, length = wanted ? rows.end(v) - begin : 0;
        sums[lane_number()] = 0;
        __syncwarp();
        for_each_arc<IN_FLIGHT>(begin, unsigned(length), [&](const auto &arc, const auto &owner) {
            int neighbour[IN_FLIGHT];
            bool counts[IN_FLIGHT];
            Real sum[IN_FLIGHT];
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++) neighbour[i] = arc[i] == NO_ARC ? 0 : __ldg(&rows.indices[arc[i]]);
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++) counts[i] = arc[i] != NO_ARC && level[neighbour[i]] == depth;
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++) sum[i] = counts[i] ? paths[neighbour[i]] : 0;
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++) {
                if (!__any_sync(ALL_LANES, counts[i])) continue;
                for (unsigned by = 1; by < LANES; by *= 2) {  // lanes of one owner are neighbours: the last has their sum
                    const Real before = __shfl_up_sync(ALL_LANES, sum[i], by);
                    const unsigned its_owner = __shfl_up_sync(ALL_LANES, owner[i], by);
                    if (lane_number() >= by && its_owner == owner[i]) sum[i] += before;
                }
                const unsigned next = __shfl_down_sync(ALL_LANES, owner[i], 1);
                if (lane_number() == LANES - 1 || next != owner[i]) sums[owner[i]] += sum[i];
                __syncwarp();
            }
        });
        const Real sum = sums[lane_number()];
        __syncwarp();
        return sum;
    }

    // The threads of a block together: adds up the row of a hub. Thread 0 gets the sum.
    __device__ Real sum_of_hub(Rows rows, int v, int depth, Real *of_warps) const
    {
        Real sum = 0;
        for (Offset arc = rows.begin(v) + threadIdx.x; arc < rows.end(v); arc += blockDim.x) {
            const int neighbour = __ldg(&rows.indices[arc]);
            if (level[neighbour] == depth) sum += paths[neighbour];
        }
        for (int by = LANES / 2; by > 0; by /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, by);
        if (lane_number() == 0) of_warps[threadIdx.x / LANES] = sum;
        __syncthreads();
        if (threadIdx.x == 0)
            for (unsigned warp = 1; warp < blockDim.x / LANES; warp++) sum += of_warps[warp];
        __syncthreads();
        return sum;
    }

    // Calls visit(hub) for the hubs of this block with a long row, and a level that is wanted. All its threads call it
    // together, and each looks at a hub of its own first.
    template <typename Visit> __device__ void for_each_hub(Rows rows, int depth, Visit visit) const
    {
        __shared__ unsigned wanted[MOST_THREADS / LANES];  // a bit for each thread
        for (int first = int(team.rank); first < hub_count; first += int(team.count * blockDim.x)) {
            const int k = first + int(team.count * threadIdx.x);
            const bool own = k < hub_count && rows.length(hubs[k]) > hub && level[hubs[k]] == depth;
            const unsigned votes = __ballot_sync(ALL_LANES, own);
            if (lane_number() == 0) wanted[threadIdx.x / LANES] = votes;
            __syncthreads();
            for (int of_warp = first, warp = 0; of_warp < hub_count && warp < int(blockDim.x / LANES);
                 of_warp += int(team.count * LANES), warp++)
                for (unsigned rest = wanted[warp]; rest; rest &= rest - 1)
                    visit(hubs[of_warp + int(team.count) * (__ffs(int(rest)) - 1)]);
            __syncthreads();
        }
    }

    // Marks the unreached neighbours of a level, and queues them.
    __device__ void mark(Level of, int depth) const
    {
        const auto reach = [&](bool there, Offset arc) {
            const int v = there ? __ldg(&leaving.indices[arc]) : 0;
            const bool found = there && level[v] == UNSEEN && atomicCAS(&level[v], UNSEEN, depth + 1) == UNSEEN;
            enqueue(found, v, depth + 1);
        };
        for_each_entry(of, [&](int u, bool there) {
            const bool own = there && leaving.length(u) <= hub;
            for_each_arc<1>(own ? leaving.begin(u) : 0, own ? unsigned(leaving.length(u)) : 0,
                            [&](const auto &arc, const auto &) { reach(arc[0] != NO_ARC, arc[0]); });
        });
        for_each_hub(leaving, depth, [&](int u) {
            for (Offset base = leaving.begin(u); base < leaving.end(u); base += blockDim.x)
                reach(base + threadIdx.x < leaving.end(u), base + threadIdx.x);
        });
    }

    // Counts the paths to the vertices that were marked, over those to their predecessors.
    __device__ void count_paths(Level of, int depth, Real *of_warps) const
    {
        for_each_entry(of, [&](int v, bool there) {
            const bool own = there && entering.length(v) <= hub;
            const Real sum = sum_of_row(entering, v, own, depth);
            if (own) paths[v] = sum;
        });
        for_each_hub(entering, depth + 1, [&](int v) {
            const Real sum = sum_of_hub(entering, v, depth, of_warps);
            if (threadIdx.x == 0) paths[v] = sum;
        });
    }

    // Counts the paths to all vertices that are behind a level, and queues them; their level is set later.
    __device__ void pull(int depth, Real *of_warps) const
    {
        for (unsigned base = team.warp() * LANES; base < unsigned(vertices); base += team.warps() * LANES) {
            const unsigned v = base + lane_number();
            const bool own = v < unsigned(vertices) && level[v] == UNSEEN && entering.length(v) <= hub;
            const Real sum = sum_of_row(entering, v, own, depth);
            if (sum != 0) paths[v] = sum;
            enqueue(sum != 0, v, depth + 1);
        }
        for_each_hub(entering, UNSEEN, [&](int v) {
            const Real sum = sum_of_hub(entering, v, depth, of_warps);
            if (threadIdx.x == 0 && sum != 0) paths[v] = sum;
            enqueue(threadIdx.x == 0 && sum != 0, v, depth + 1);
        });
    }

    // Finishes the vertices of a level: adds to their scores, and puts their shares in place of their path counts.
    __device__ void finish(Level of, int depth, const Batch<Real> &batch, int source, Real *of_warps) const
    {
        const auto complete = [&](int v, Real sum) {
            const Real own = paths[v];
            if (own > largest(own)) *batch.overflow = source;
            if (sum != 0) add_score(team, &batch.score[v], sum * own);
            paths[v] = sum + 1 / own;
        };
        for_each_entry(of, [&](int v, bool there) {
            const bool own = there && leaving.length(v) <= hub;
            const Real sum = sum_of_row(leaving, v, own, depth + 1);
            if (own) complete(v, sum);
        });
        for_each_hub(leaving, depth, [&](int v) {
            const Real sum = sum_of_hub(leaving, v, depth + 1, of_warps);
            if (threadIdx.x == 0) complete(v, sum);
        });
    }

    __device__ void start(int source) const
    {
        for (unsigned v = team.thread(); v < unsigned(vertices); v += team.threads()) level[v] = UNSEEN;
        team.sync();
        if (team.thread() > 0) return;
        level[source] = 0;
        paths[source] = 1;
        queue[0] = source;
        counters->queued = 1;
        counters->arcs[0] = leaving.length(source);
        counters->arcs[1] = 0;
    }

    __device__ void from(const Batch<Real> &batch, int source, Real *of_warps) const
    {
        start(source);
        team.sync();
        Level shown{0, 1};
        int depth = 0;
        for (;; depth++) {
            const bool sparse = counters->arcs[depth % 2] * few < leaving.indptr[vertices];
            if (team.thread() == 0) ends[depth] = shown.last;
            if (sparse)
                mark(shown, depth);
            else
                pull(depth, of_warps);
            team.sync();
            shown = {shown.last, counters->queued};
            if (team.thread() == 0) counters->arcs[depth % 2] = 0;  // for the level after the next
            if (sparse)
                count_paths(shown, depth, of_warps);
            else
                for (int i = shown.first + int(team.thread()); i < shown.last; i += team.threads())
                    level[queue[i]] = depth + 1;
            team.sync();
            if (shown.first == shown.last) break;
        }
        for (; depth > 0; depth--) {  // the source's own dependency does not count
            finish({ends[depth - 1], ends[depth]}, depth, batch, source, of_warps);
            team.sync();
        }
    }
};

// Searches from the sources of a batch that these blocks have: every `rows`-th from the row `row` on, with their row of the
// workspace.
template <typename Real, typename Together>
__device__ void add_scores_of_rows(const Together &team, int row, int rows, int vertices, Rows leaving, Rows entering,
                                   const int *hubs, int hub_count, unsigned few, unsigned hub, const Batch<Real> &batch)
{
    __shared__ Real sums[MOST_THREADS], of_warps[MOST_THREADS / LANES];
    unsigned char *const workspace = batch.workspace + row * batch.block_bytes;
    Real *const paths = reinterpret_cast<Real *>(workspace);
    Counters *const counters = reinterpret_cast<Counters *>(workspace + batch.block_bytes - sizeof(Counters));
    int *const level = reinterpret_cast<int *>(paths + vertices);
    const SharedSearch<Real, Together> search{vertices, leaving, entering, hubs, hub_count, few, hub, paths, level,
                                              level + vertices, level + 2 * size_t(vertices), counters,
                                              sums + threadIdx.x / LANES * LANES, team};
    for (int k = batch.first + row; k < batch.last; k += rows) search.from(batch, batch.sources[k], of_warps);
}

// The parameters of both kernels, and what they call.
#define SHARED_SEARCH_PARAMETERS(Real)                                                                              \
    int vertices, const Offset *indptr, const int *indices, const Offset *in_indptr, const int *in_indices,         \
        const int *hubs, int hub_count, BATCH_PARAMETERS(Real), unsigned few, unsigned hub
#define SEARCH_OF_ROWS(Real, team, row, rows)                                                                       \
    add_scores_of_rows(team, row, rows, vertices, {indptr, indices}, {in_indptr, in_indices}, hubs, hub_count, few, \
                       hub, BATCH(Real))
