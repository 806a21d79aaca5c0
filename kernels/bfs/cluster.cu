// bfs/cluster: breadth-first search of a deep graph in one launch of one thread-block cluster.
//
// Report   none; ours. A road graph has hundreds of levels of some 500 vertices: what counts is the time of a round.
// Mapping  a block has a part of the vertices, a thread up to WORDS words of 32 of them, `blockDim.x` apart. Which of
//          these are visited, it keeps in registers. A round is a level:
//            1. read own words of `found`: the bits that are not visited are this level's vertices;
//            2. fetch their records, of up to four arcs each, from shared or global memory;
//            3. set each head's bit in the next `found` of the block that owns it, in distributed shared memory;
//            4. pass the cluster's barrier.
// Trick    the frontier is bits, not a queue: finding a vertex is one atomic OR without an answer, so the chain of
//          dependent steps has no counter, no check whether the head is new, and nothing that can overflow. Levels are
//          stored between arriving at the barrier and waiting there, so that the release does not wait for them.
//          Whether any vertex was found is asked every `every` levels only.

#include "../cluster/parts.cuh"

constexpr int UNREACHABLE = 2147483647;

extern __shared__ __align__(16) unsigned shared_memory[];

template <int WORDS, typename Arcs>
__device__ void search(const Arcs &arcs, int words, unsigned source, int every, const int *vertex_at, int *level_at,
                       int *level, int *levels)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned here = cluster.block_rank();
    const int first = threadIdx.x, threads = blockDim.x, positions = 32 * words;
    __shared__ unsigned told[2][MOST_BLOCKS];
    __shared__ int last;
    const Board board{told};
    unsigned *const found = shared_memory;  // two arrays, which take turns; at the same address in all blocks
    vertex_at += here * positions;
    level_at += here * positions;

    for (int word = first; word < 2 * words; word += threads) found[word] = 0;
    for (int i = first; i < positions; i += threads) level_at[i] = UNREACHABLE;
    if (first == 0) last = -1;
    __syncthreads();
    if (first == 0 && part_of(source) == here) found[position_of(source) >> 5] = 1u << (source & 31);
    cluster.sync();

    unsigned visited[WORDS] = {};
    int my_last = -1, turn = every, slot = 0;
    for (int current = 0;; current++) {
        unsigned *const now = found + (current & 1) * words, *const next = found + (~current & 1) * words;
        unsigned fresh[WORDS], any = 0;
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            const int word = first + k * threads;
            fresh[k] = word < words ? now[word] : 0;
        }
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            if (!fresh[k]) continue;
            now[first + k * threads] = 0;
            fresh[k] &= ~visited[k];
            visited[k] |= fresh[k];
            any |= fresh[k];
        }
        if (any) {
            my_last = current;
            for_each_bit<4>(
                fresh, [&](int bit, int k) { return arcs.load(32 * (first + k * threads) + bit); },
                [&](typename Arcs::Record record) { mark_heads(arcs, record, {next, here}); });
        }
        if (--turn == 0) board.tell(slot, __syncthreads_or(any));
        cluster.barrier_arrive();
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            for (unsigned left = fresh[k]; left; left &= left - 1)
                level_at[32 * (first + k * threads) + __ffs(left) - 1] = current;
        cluster.barrier_wait();
        if (turn == 0) {
            if (!board.any(slot)) break;
            turn = every;
            slot ^= 1;
        }
    }

    atomicMax(&last, my_last);
    __syncthreads();
    if (first == 0) atomicMax(levels, last + 1);
    for (int i = first; i < positions; i += threads)
        if (vertex_at[i] >= 0) level[vertex_at[i]] = level_at[i];
}

#define KERNELS(WORDS)                                                                                               \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                            \
        cluster_bfs_global_##WORDS(int words, const int *first_record, const unsigned *records, unsigned source,     \
                                   int every, const int *vertex_at, int *level_at, int *level, int *levels)          \
    {                                                                                                                \
        const LongRecords graph{first_record, records};                                                              \
        const GlobalArcs arcs = graph.of_block(cg::this_cluster().block_rank(), words);                              \
        search<WORDS>(arcs, words, source, every, vertex_at, level_at, level, levels);                               \
    }                                                                                                                \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                                            \
        cluster_bfs_shared_##WORDS(int words, const int *first_record, const unsigned short *names,                  \
                                   const int *first_outside, const unsigned *outside, unsigned source, int every,    \
                                   const int *vertex_at, int *level_at, int *level, int *levels)                     \
    {                                                                                                                \
        const ShortRecords graph{first_record, names, first_outside, outside};                                       \
        unsigned *free = shared_memory + 2 * words;                                                                  \
        const SharedArcs arcs = graph.of_block(cg::this_cluster().block_rank(), words, free);                        \
        search<WORDS>(arcs, words, source, every, vertex_at, level_at, level, levels);                               \
    }
KERNELS(1)
KERNELS(2)
KERNELS(4)
KERNELS(16)
