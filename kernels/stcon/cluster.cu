// stcon/cluster: the length of a shortest path between two vertices of a deep graph, in one launch of one cluster.
//
// Report   none; ours. As bsp-suite's, two breadth-first searches, red from the source and green from the target, which
//          follows arcs backwards.
// Mapping  as bfs/cluster, with two of everything: a round is a level of both searches.
// Trick    a vertex that both reach in round i has the length 2i; one that the other search has reached before, 2i - 1.
//          In the first round with such a vertex the least of these is the answer, and any later round gives more. So
//          nothing but the visited bits is kept, and whether the searches have met is asked every `every` rounds only.

#include "../cluster/parts.cuh"

constexpr unsigned UNREACHABLE = 2147483647;

extern __shared__ __align__(16) unsigned shared_memory[];

template <int WORDS, typename Arcs>
__device__ void search(const Arcs &forward, const Arcs &backward, int words, unsigned source, unsigned target,
                       int every, int *answer)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned here = cluster.block_rank();
    const int first = threadIdx.x, threads = blockDim.x;
    unsigned *const found = shared_memory;  // red's two arrays, which take turns, then green's
    __shared__ unsigned told_red[2][MOST_BLOCKS], told_green[2][MOST_BLOCKS], told_length[2][MOST_BLOCKS], length;
    const Board red_active{told_red}, green_active{told_green}, lengths{told_length};

    for (int word = first; word < 4 * words; word += threads) found[word] = 0;
    __syncthreads();
    if (first == 0) {
        length = UNREACHABLE;
        if (part_of(source) == here) found[position_of(source) >> 5] = 1u << (source & 31);
        if (part_of(target) == here) found[2 * words + (position_of(target) >> 5)] = 1u << (target & 31);
    }
    cluster.sync();

    unsigned visited[2 * WORDS] = {};  // red's words, then green's
    int turn = every, slot = 0;
    for (unsigned round = 0;; round++) {
        unsigned *const now = found + (round & 1) * words, *const next = found + (~round & 1) * words;
        unsigned fresh[2 * WORDS], red = 0, green = 0, sooner = 0, same = 0;
#pragma unroll
        for (int k = 0; k < 2 * WORDS; k++) {
            const int word = first + k % WORDS * threads;
            fresh[k] = word < words ? now[k / WORDS * 2 * words + word] : 0;
        }
#pragma unroll
        for (int k = 0; k < 2 * WORDS; k++) {
            if (!fresh[k]) continue;
            now[k / WORDS * 2 * words + first + k % WORDS * threads] = 0;
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
            if (sooner | same) atomicMin(&length, 2 * round - (sooner != 0));
            const Marks next_red{next, here}, next_green{next + 2 * words, here};
            struct Reached {
                typename Arcs::Record record;
                bool by_red;
            };
            for_each_bit<4>(
                fresh,
                [&](int bit, int k) {
                    const unsigned position = 32 * (first + k % WORDS * threads) + bit;
                    return Reached{k < WORDS ? forward.load(position) : backward.load(position), k < WORDS};
                },
                [&](Reached vertex) {
                    if (vertex.by_red)
                        mark_heads(forward, vertex.record, next_red);
                    else
                        mark_heads(backward, vertex.record, next_green);
                });
        }
        if (--turn == 0) {
            red_active.tell(slot, __syncthreads_or(red));
            green_active.tell(slot, __syncthreads_or(green));
            lengths.tell(slot, length);
        }
        cluster.sync();
        if (turn == 0) {
            const unsigned least = lengths.least(slot);
            if (least != UNREACHABLE || !red_active.any(slot) || !green_active.any(slot)) {
                if (here == 0 && first == 0) {
                    answer[0] = int(least);
                    answer[1] = int(round) + 1;
                }
                break;
            }
            turn = every;
            slot ^= 1;
        }
    }
}

#define KERNELS(WORDS)                                                                                               \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                            \
        cluster_stcon_global_##WORDS(int words, const int *first_out, const unsigned *out, const int *first_in,      \
                                     const unsigned *in, unsigned source, unsigned target, int every, int *answer)   \
    {                                                                                                                \
        const unsigned here = cg::this_cluster().block_rank();                                                       \
        const LongRecords forward{first_out, out}, backward{first_in, in};                                           \
        search<WORDS>(forward.of_block(here, words), backward.of_block(here, words), words, source, target, every,   \
                      answer);                                                                                       \
    }                                                                                                                \
    extern "C" __global__ void __launch_bounds__(1024, 1) cluster_stcon_shared_##WORDS(                              \
        int words, const int *first_out, const unsigned short *out, const int *first_outside_out,                    \
        const unsigned *outside_out, const int *first_in, const unsigned short *in, const int *first_outside_in,     \
        const unsigned *outside_in, unsigned source, unsigned target, int every, int *answer)                        \
    {                                                                                                                \
        const unsigned here = cg::this_cluster().block_rank();                                                       \
        const ShortRecords forward{first_out, out, first_outside_out, outside_out};                                  \
        const ShortRecords backward{first_in, in, first_outside_in, outside_in};                                     \
        unsigned *free = shared_memory + 4 * words;                                                                  \
        const SharedArcs red = forward.of_block(here, words, free);                                                  \
        const SharedArcs green = out == in ? red : backward.of_block(here, words, free);                             \
        search<WORDS>(red, green, words, source, target, every, answer);                                             \
    }
KERNELS(1)
KERNELS(2)
KERNELS(4)
KERNELS(16)
