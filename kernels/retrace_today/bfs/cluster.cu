// bfs/cluster: breadth-first search of a deep graph in one launch of one thread-block cluster.
//
// Report   none; ours. A road graph has hundreds of levels of some 500 vertices: what counts is the time of a round.
// Mapping  a block has a part of the vertices, a thread up to WORDS words of 32 of them, `blockDim.x` apart. Which of
//          these are visited, it keeps in registers. A round is a level:
//            1. read own words of `found`: the bits that are not visited are this level's vertices;
//            2. fetch their records, of three or four arcs each, from shared or global memory;
//            3. set each head's bit in the next `found` of the block that owns it, in distributed shared memory;
//            4. pass the cluster's barrier.
// Trick    the frontier is bits, not a queue: finding a vertex is one atomic OR without an answer, so the chain of
//          dependent steps has no counter, no check whether the head is new, and nothing that can overflow. Levels
//          are kept in shared memory, too, where they fit, as 16 bits: the barrier waits for stores to global memory.
//          Whether any vertex was found is asked every `every` levels only.

#include "../cluster/parts.cuh"
#include "../../unreachable.h"

constexpr unsigned NO_LEVEL = 0xffff;

// Levels of a part, in 16 bits: how far they are above `base`.
struct SharedLevels {
    unsigned short *above;
    int base, positions;
    const int *vertex_at;
    int *level;

    __device__ void clear() const
    {
        for (int i = threadIdx.x; i < positions; i += blockDim.x) above[i] = NO_LEVEL;
    }
    // Stores the levels that were found since the last time; called by all threads of the block, at a barrier.
    __device__ void store() const
    {
        for (int i = threadIdx.x; i < positions; i += blockDim.x)
            if (above[i] != NO_LEVEL) level[vertex_at[i]] = base + above[i];
    }
};

template <int WORDS, bool LEVELS_IN_SHARED, typename Records>
__device__ void search(const Records &records, SharedLevels levels, int words, unsigned source, int every,
                       const int *vertex_at, int *level, int *count)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned here = cluster.block_rank();
    const int first = threadIdx.x, threads = blockDim.x, positions = 32 * words;
    __shared__ unsigned told[2][MOST_BLOCKS];
    __shared__ int last;
    const Board board{told};
    unsigned *const found = shared_memory;  // two arrays, which take turns; at the same address in all blocks

    for (int word = first; word < 2 * words; word += threads) found[word] = 0;
    for (int i = first; i < positions; i += threads)
        if (vertex_at[i] >= 0) level[vertex_at[i]] = UNREACHABLE;
    if (LEVELS_IN_SHARED) levels.clear();
    board.fill(2, 0);
    if (first == 0) last = 0;
    __syncthreads();
    if (first == 0 && part_of(source) == here) found[position_of(source) >> 5] = 1u << (source & 31);
    cluster.sync();

    unsigned visited[WORDS] = {};
    int my_last = 0, turn = every, slot = 0;
    for (int current = 0;; current++) {
        unsigned *const now = found + (current & 1) * words, *const next = found + (~current & 1) * words;
        Bits<WORDS> fresh;
        unsigned any = 0;
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            const int word = first + k * threads;
            fresh.words[k] = word < words ? now[word] : 0;
        }
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            if (fresh.words[k]) now[first + k * threads] = 0;
            fresh.words[k] &= ~visited[k];
            visited[k] |= fresh.words[k];
            any |= fresh.words[k];
        }
        if (any) {
            my_last = current + 1;
            const auto visit = [&](int bit, int k) {
                const unsigned position = 32 * (first + k * threads) + bit;
                if (LEVELS_IN_SHARED) levels.above[position] = static_cast<unsigned short>(current - levels.base);
                return records.load(position);
            };
            Bits<WORDS> left = fresh;
            int k = 0, bit = left.take(k);
            typename Records::Record record = visit(bit, k);
            do {
                const typename Records::Record arrived = record;
                bit = left.take(k);  // the next, while the record is on its way
                if (bit >= 0) record = visit(bit, k);
                mark_heads(records, arrived, {next});
            } while (bit >= 0);
        }
        if (--turn == 0) board.tell(slot, __syncthreads_or(any));
        cluster.barrier_arrive();
        if (!LEVELS_IN_SHARED)  // after arriving, which would wait for these stores
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                for (unsigned left = fresh.words[k]; left; left &= left - 1)
                    level[vertex_at[32 * (first + k * threads) + __ffs(left) - 1]] = current;
        cluster.barrier_wait();
        if (turn == 0) {
            if (!board.any(slot)) break;
            turn = every;
            slot ^= 1;
        }
        if (LEVELS_IN_SHARED && current + 1 - levels.base == NO_LEVEL) {
            levels.store();
            __syncthreads();
            levels.clear();
            levels.base = current + 1;
            __syncthreads();
        }
    }

    atomicMax(&last, my_last);
    __syncthreads();
    board.tell(slot ^= 1, last);
    if (LEVELS_IN_SHARED) levels.store();
    cluster.sync();
    if (here == 0 && first == 0) *count = int(board.most(slot));
}

// `marks`: shared memory has the two arrays of bits alone; `state`: the levels, too; `arcs`: the levels and the records.
#define KERNEL(KEPT, WORDS, LEVELS_IN_SHARED, TYPE, RECORDS)                                                          \
    extern "C" __global__ void __launch_bounds__(1024, 1) cluster_bfs_##KEPT##_##WORDS(                               \
        int words, const int *first_record, const TYPE *records, const unsigned *place, int source, int every,        \
        const int *vertex_at, int *level, int *count)                                                                 \
    {                                                                                                                 \
        const unsigned here = cg::this_cluster().block_rank(), begin = first_record[here];                            \
        unsigned short *const above = reinterpret_cast<unsigned short *>(shared_memory + 2 * words);                  \
        vertex_at += 32 * here * words;                                                                               \
        search<WORDS, LEVELS_IN_SHARED>(RECORDS, {above, 0, 32 * words, vertex_at, level}, words, place[source],      \
                                        every, vertex_at, level, count);                                              \
    }
#define KERNELS(WORDS)                                                                                                \
    KERNEL(marks, WORDS, false, uint4, LongRecords{records + begin})                                                  \
    KERNEL(state, WORDS, true, uint4, LongRecords{records + begin})                                                  \
    KERNEL(arcs, WORDS, true, unsigned long long,                                                                     \
           ShortRecords::copy(records + begin, first_record[here + 1] - begin, shared_memory + 18 * words))
KERNELS(1)
KERNELS(4)
KERNELS(16)
