// stcon/cluster: the length of a shortest path between two vertices of a deep graph, in one launch of one cluster.
//
// Report   none; ours. As bsp-suite's, two breadth-first searches, red from the source and green from the target, which
//          follows arcs backwards.
// Mapping  as bfs/cluster, with two of everything: a round is a level of both searches.
// Trick    a vertex that both reach in round i has the length 2i; one that the other search has reached before, 2i - 1.
//          In the first round with such a vertex the least of these is the answer. So nothing but the visited bits is kept.
//          Whoever meets tells all blocks, which look at the end of the round. Whether a search has vertices left is asked
//          every `every` rounds only.
// Path     if it is wanted, each vertex gets a label, from which labels.cuh tells the arcs of a path: which search reached it
//          first, and in which round. A label has its vertex's place, so that no thread looks for it. Where they fit,
//          labels are kept in shared memory, as 16 bits; in global memory they are stored after arriving at the barrier,
//          which would wait for them. A search of at most `every` rounds that has seen few vertices finds the arcs itself.
//          For any other, the answer asks the host for path-pass.cu, of a longer search before it is over.

#include "../cluster/parts.cuh"
#include "../frontier/frontier.cuh"
#include "../../unreachable.h"
#include "labels.cuh"

enum Labels { NO_LABELS, IN_GLOBAL, IN_SHARED };
enum Pass { DONE = 1, WANTED };  // what the answer says of path-pass.cu

constexpr unsigned short NONE = 0xffff, STORED = 0xfffe;
constexpr unsigned MOST_ROUNDS = 0x7fff;  // whose labels are below these two
// A path is left to path-pass.cu if a warp needs more turns for its vertices, or a vertex has more links after its record.
constexpr unsigned FEW_TURNS = 4;
constexpr int FEW_LINKS = 7;

// Labels of a part, in 16 bits: in place of a round, how far it is above `base`.
struct SharedLabels {
    unsigned short *above;
    unsigned *label;
    int positions;
    unsigned base;

    __device__ void clear() const
    {
        uint4 *const eight = reinterpret_cast<uint4 *>(above);
        for (int i = threadIdx.x; i < positions / 8; i += blockDim.x) eight[i] = {~0u, ~0u, ~0u, ~0u};
    }
    // Returns a label of any block, if none has been stored.
    __device__ unsigned of(unsigned part, unsigned position) const
    {
        const unsigned short there = cg::this_cluster().map_shared_rank(above, part)[position];
        return there == NONE ? NO_LABEL : there;
    }
    __device__ void note(unsigned position, unsigned round, bool by_green) const
    {
        above[position] = static_cast<unsigned short>(make_label(round - base, by_green));
    }
    // Stores the labels that are new since the last time; called by all threads of the block, at a barrier.
    __device__ void store() const
    {
        for (int i = threadIdx.x; i < positions; i += blockDim.x) {
            if (above[i] == STORED) continue;
            label[i] = above[i] == NONE ? NO_LABEL : 2 * base + above[i];
            if (above[i] != NONE) above[i] = STORED;
        }
    }
};

// Tells the host, which waits for it, length, rounds and pass at once.
inline __device__ void tell_host(unsigned long long *answer, unsigned length, unsigned rounds, Pass pass)
{
    *answer = (unsigned long long)(4 * rounds + pass) << 32 | length;
}
// Tells the host that the pass will be wanted, while the search goes on.
inline __device__ void ask_for_pass(unsigned long long *answer)
{
    tell_host(answer, 0, 0, WANTED);
    __threadfence_system();
}

// Notes in all blocks that the searches have met.
inline __device__ void meet(unsigned *met, unsigned length)
{
    if (atomicMin(met, length) <= length) return;  // whoever wrote that tells the others
    const cg::cluster_group cluster = cg::this_cluster();
    for (unsigned block = 0; block < cluster.num_blocks(); block++)
        min_in_block_if(block != cluster.block_rank(), met, length, block);
}

// Returns the position of that visited vertex of lane `owner` which has so many before it. All lanes call it together.
template <int WORDS>
__device__ unsigned visited_vertex(const unsigned (&visited)[2 * WORDS], unsigned owner, unsigned before)
{
    unsigned word = 0, bits = 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const unsigned there = __shfl_sync(ALL_LANES, visited[k] | visited[WORDS + k], owner), count = __popc(there);
        if (bits) continue;
        if (before < count) {
            word = threadIdx.x - lane_number() + owner + k * blockDim.x;
            bits = there;
        } else {
            before -= count;
        }
    }
    return 32 * word + place_of_bit(bits, before);
}

// Finds a path's arcs among those that leave a vertex. Returns false if it has too many.
template <typename Records>
__device__ bool note_arcs(const Records &forward, unsigned position, SharedLabels labels, unsigned length, Path path)
{
    const unsigned here = cg::this_cluster().block_rank(), at_tail = labels.of(here, position);
    unsigned record = position;
#pragma unroll 1
    for (int links = 0; links <= FEW_LINKS; links++) {
        unsigned part[Records::SLOTS], head[Records::SLOTS], at_head[Records::SLOTS];
        record = forward.unpack(forward.load(record), part, head);
#pragma unroll
        for (int slot = 0; slot < Records::SLOTS; slot++) at_head[slot] = labels.of(part[slot], head[slot]);
#pragma unroll
        for (int slot = 0; slot < Records::SLOTS; slot++)
            path.note(here * labels.positions + position, part[slot] * labels.positions + head[slot], at_tail,
                      at_head[slot], length);
        if (record == 0) return true;
    }
    return false;
}

// Finds a path's arcs among those of this block's visited vertices, each of which gets a lane, in a few turns. Returns whether
// this thread has left out none: it has if its warp owns too many, or if one of its vertices has too many arcs.
template <int WORDS, typename Records>
__device__ bool find_path(const Records &forward, const unsigned (&visited)[2 * WORDS], SharedLabels labels,
                          unsigned length, Path path)
{
    unsigned own = 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++) own += __popc(visited[k] | visited[WORDS + k]);
    const unsigned end = sum_up_to(own), total = __shfl_sync(ALL_LANES, end, LANES - 1);
    if (total > FEW_TURNS * LANES) return false;
    bool all = true;
#pragma unroll 1
    for (unsigned base = 0; base < total; base += LANES) {
        const unsigned rank = base + lane_number(), owner = owner_of(rank, end);
        const unsigned before = rank - __shfl_sync(ALL_LANES, end - own, owner);
        const unsigned position = visited_vertex<WORDS>(visited, owner, before);
        if (rank < total && !note_arcs(forward, position, labels, length, path)) all = false;
    }
    return all;
}

template <Labels LABELS, int WORDS, typename Records>
__device__ void search(const Records &forward, const Records &backward, int words, unsigned source, unsigned target,
                       int every, unsigned long long *answer, unsigned *labels, Path path, unsigned *free)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned here = cluster.block_rank();
    const int first = threadIdx.x, threads = blockDim.x;
    unsigned *const found = shared_memory;  // red's two arrays, which take turns, then green's
    __shared__ unsigned told_red[2][MOST_BLOCKS], told_green[2][MOST_BLOCKS];
    __shared__ unsigned met[2];  // in which length, if in this round, or in the last
    const Board red_active{told_red}, green_active{told_green};

    for (int word = first; word < 4 * words; word += threads) found[word] = 0;
    unsigned *const label = labels + 32 * here * words;  // of this block's part
    SharedLabels own{reinterpret_cast<unsigned short *>(free), label, 32 * words, 0};
    if constexpr (LABELS == IN_SHARED) own.clear();
    if constexpr (LABELS == IN_GLOBAL)
        for (int i = first; i < 32 * words; i += threads) label[i] = NO_LABEL;
    red_active.fill(2, 0);
    green_active.fill(2, 0);
    __syncthreads();
    if (first == 0) {
        met[0] = met[1] = UNREACHABLE;
        if (part_of(source) == here) found[position_of(source) >> 5] = 1u << (source & 31);
        if (part_of(target) == here) found[2 * words + (position_of(target) >> 5)] = 1u << (target & 31);
    }
    cluster.sync();

    unsigned visited[2 * WORDS] = {};  // red's words, then green's
    int turn = every, slot = 0;  // no turn is left if a search is over
    unsigned round = 0, length;
    for (;; round++) {
        length = met[~round & 1];
        unsigned *const now = found + (round & 1) * words, *const next = found + (~round & 1) * words;
        Bits<2 * WORDS> left, first_found = {};
        unsigned(&fresh)[2 * WORDS] = left.words, red = 0, green = 0, sooner = 0, same = 0;
#pragma unroll
        for (int k = 0; k < 2 * WORDS; k++) {
            const int word = first + k % WORDS * threads;
            fresh[k] = word < words ? now[k / WORDS * 2 * words + word] : 0;
        }
        if (length != UNREACHABLE || turn == 0) break;
#pragma unroll
        for (int k = 0; k < 2 * WORDS; k++) {
            if (fresh[k]) now[k / WORDS * 2 * words + first + k % WORDS * threads] = 0;
            fresh[k] &= ~visited[k];
            (k < WORDS ? red : green) |= fresh[k];
        }
        if (red | green) {
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                sooner |= (fresh[k] & visited[WORDS + k]) | (fresh[WORDS + k] & visited[k]);
                same |= fresh[k] & fresh[WORDS + k];
                visited[k] |= fresh[k];
                visited[WORDS + k] |= fresh[WORDS + k];
            }
            const auto position = [&](int bit, int k) { return 32 * (first + k % WORDS * threads) + bit; };
            if (sooner | same) {
                meet(&met[round & 1], 2 * round - (sooner != 0));
                // This is the last round: of its vertices, only those where both have arrived may be on a path.
#pragma unroll
                for (int k = 0; k < WORDS; k++)
                    for (unsigned both = fresh[k] & fresh[WORDS + k]; both; both &= both - 1) {
                        const unsigned middle = position(__ffs(both) - 1, k);
                        if constexpr (LABELS == IN_SHARED) own.note(middle, round, false);
                        if constexpr (LABELS == IN_GLOBAL) label[middle] = make_label(round, false);
                    }
            } else {
                if constexpr (LABELS == IN_GLOBAL) first_found = left;
                const Marks next_red{next}, next_green{next + 2 * words};
                do {
                    int k = 0;
                    const int bit = left.take(k);
                    if constexpr (LABELS == IN_SHARED) own.note(position(bit, k), round, k >= WORDS);
                    // By value: a reference to one of the two would keep both in local memory.
                    const Records arcs{k < WORDS ? forward.records : backward.records};
                    mark_heads(arcs, arcs.load(position(bit, k)), k < WORDS ? next_red : next_green);
                } while (left.any());  // which takes less than to try and take another
            }
        }
        if (--turn == 0) {
            red_active.tell(slot, __syncthreads_or(red));
            green_active.tell(slot, __syncthreads_or(green));
        }
        if constexpr (LABELS == IN_GLOBAL) {
            cluster.barrier_arrive();
#pragma unroll
            for (int k = 0; k < 2 * WORDS; k++)
                for (unsigned these = first_found.words[k]; these; these &= these - 1)
                    label[32 * (first + k % WORDS * threads) + __ffs(these) - 1] = make_label(round, k >= WORDS);
            cluster.barrier_wait();
        } else {
            cluster.sync();
        }
        if constexpr (LABELS == IN_SHARED)
            if (round + 1 - own.base == MOST_ROUNDS) {
                own.store();
                own.base = round + 1;
                __syncthreads();
            }
        if (turn == 0) {
            if (red_active.any(slot) && green_active.any(slot)) turn = every;
            if (LABELS != NO_LABELS && here == 0 && first == 0 && round < unsigned(every) && turn != 0 &&
                met[round & 1] == UNREACHABLE)
                ask_for_pass(answer);
            slot ^= 1;
        }
    }
    bool done = LABELS == NO_LABELS;
    if constexpr (LABELS == IN_SHARED) {
        if (round <= unsigned(every) && own.base == 0) {
            const bool all = find_path<WORDS>(forward, visited, own, length, path);
            red_active.tell(slot, !__syncthreads_and(all));
            cluster.sync();
            done = !red_active.any(slot);
        }
        if (!done) own.store();
    }
    if (here == 0 && first == 0) {
        if constexpr (LABELS != NO_LABELS) labels[32 * cluster.num_blocks() * words] = length;
        tell_host(answer, length, round, done ? DONE : WANTED);
    }
}

// `marks`: shared memory has the arrays of bits alone; `state`: labels, too; `arcs`: the records as well, of both ways once
// if they are the same. `labels` has one number for each position of each part, and one more, for the length.
#define KERNEL_WITH_LONG_RECORDS(NAME, LABELS, WORDS)                                                                 \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                             \
        NAME##_##WORDS(int words, const int *first_out, const uint4 *out, const int *first_in, const uint4 *in,       \
                       const unsigned *place, int source, int target, int every, unsigned long long *answer,          \
                       unsigned *labels, int *toward_end, unsigned long long *joint)                                  \
    {                                                                                                                 \
        const unsigned here = cg::this_cluster().block_rank();                                                        \
        const LongRecords forward{out + first_out[here]}, backward{in + first_in[here]};                              \
        unsigned *const free = shared_memory + 4 * words;                                                             \
        search<LABELS, WORDS>(forward, backward, words, place[source], place[target], every, answer, labels,          \
                              {toward_end, joint}, free);                                                             \
    }
#define KERNEL_WITH_SHORT_RECORDS(NAME, LABELS, WORDS)                                                                \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                             \
        NAME##_##WORDS(int words, const int *first_out, const unsigned long long *out, const int *first_in,           \
                       const unsigned long long *in, const unsigned *place, int source, int target, int every,        \
                       unsigned long long *answer, unsigned *labels, int *toward_end, unsigned long long *joint)      \
    {                                                                                                                 \
        const unsigned here = cg::this_cluster().block_rank(), count = first_out[here + 1] - first_out[here];         \
        unsigned *const free = shared_memory + 4 * words, *const copied = free + (LABELS == IN_SHARED ? 16 * words : 0);\
        const ShortRecords forward = ShortRecords::copy(out + first_out[here], count, copied);                        \
        const ShortRecords backward =                                                                                 \
            out == in ? forward                                                                                       \
                      : ShortRecords::copy(in + first_in[here], first_in[here + 1] - first_in[here],                  \
                                           copied + 2 * count);                                                       \
        search<LABELS, WORDS>(forward, backward, words, place[source], place[target], every, answer, labels,          \
                              {toward_end, joint}, free);                                                             \
    }
#define KERNELS(WORDS)                                                                                                \
    KERNEL_WITH_LONG_RECORDS(cluster_stcon_marks, NO_LABELS, WORDS)                                                   \
    KERNEL_WITH_SHORT_RECORDS(cluster_stcon_arcs, NO_LABELS, WORDS)                                                   \
    KERNEL_WITH_LONG_RECORDS(cluster_stcon_labelled_marks, IN_GLOBAL, WORDS)                                          \
    KERNEL_WITH_LONG_RECORDS(cluster_stcon_labelled_state, IN_SHARED, WORDS)                                          \
    KERNEL_WITH_SHORT_RECORDS(cluster_stcon_labelled_arcs, IN_SHARED, WORDS)
KERNELS(1)
KERNELS(4)
KERNELS(16)
