// Runs the threads of a block, and places its shared memory.

#include "scheduler.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace emulator {

// When the last block of a cluster has ended, replaces them by the next cluster of this worker's share.
void Worker::refill(Resident &ended)
{
    const unsigned size = launch->cluster_blocks;
    Resident *const first = size == 1 ? &ended : &first_of_cluster(ended);
    ended.empty = true;
    for (unsigned rank = 0; rank < size; rank++)
        if (!first[rank].empty) return;
    if (next_cluster == last_cluster || launch->failed.load(std::memory_order_relaxed)) return;
    size_t cluster = next_cluster++;
    if (launch->seeded) cluster = launch->cluster_order[cluster];
    for (unsigned rank = 0; rank < size; rank++) start(first[rank], cluster, rank);
}

static uint3 unravelled(size_t i, dim3 size)
{
    return {unsigned(i % size.x), unsigned(i / size.x % size.y), unsigned(i / size.x / size.y)};
}

void Worker::start(Resident &block, size_t cluster, unsigned rank)
{
    const dim3 grid = launch->grid, size = launch->block, of = launch->cluster;
    const uint3 at = unravelled(cluster, {grid.x / of.x, grid.y / of.y, grid.z / of.z}), in = unravelled(rank, of);
    block.index = {at.x * of.x + in.x, at.y * of.y + in.y, at.z * of.z + in.z};
    block.cluster_rank = rank;
    block.cluster_blocks = launch->cluster_blocks;
    block.threads = size.x * size.y * size.z;
    block.started = block.fibers = block.at_barrier = block.at_grid = block.in_cluster = block.predicates = 0;
    block.empty = false;
    block.order = nullptr;
    if (launch->seeded) {
        block.shuffled.resize(block.threads);
        std::iota(block.shuffled.begin(), block.shuffled.end(), 0);
        std::shuffle(block.shuffled.begin(), block.shuffled.end(), random);
        block.order = block.shuffled.data();
        block.place.resize(block.threads);
        for (unsigned i = 0; i < block.threads; i++) block.place[block.order[i]] = i;
    }
    if (!shared.empty()) poison_shared(block);
}

// Assigns to a fiber a block that has threads to start; returns false if there is none.
bool Worker::attach(Stack &fiber)
{
    Resident *found = nullptr;
    const size_t first = launch->seeded ? pick(blocks.size()) : 0;
    for (size_t i = 0; i < blocks.size() && !found; i++) {
        Resident &block = blocks[(first + i) % blocks.size()];
        if (!block.empty && block.started < block.threads) found = &block;
    }
    if (!found) return false;
    found->fibers++;
    fiber.block = found;
    fiber.block_index = found->index;
    fiber.block_size = launch->block;
    fiber.grid_size = launch->grid;
    fiber.thread_index = {0, 0, 0};
    fiber.suspended = false;
    fiber.preemptible = false;
    return true;
}

// Detaches a fiber from its block, when the block has no more threads to start and the fiber's own have ended.
void Worker::detach(Stack &fiber)
{
    Resident &block = resident(fiber);
    fiber.block = nullptr;
    if (--block.fibers == 0) {
        if (!shared.empty()) check_shared(block);
        outlive(block);
        refill(block);
    } else if (block.at_barrier == block.fibers)
        release_barrier(block);
    else if (block.at_grid == block.fibers)
        release_grid();
    if (launch->cluster_blocks > 1 && !block.empty) release_cluster(first_of_cluster(block));
}

// Lets a block see its shared memory and its late stores, in place of another block's.
void Worker::put_in_place(Resident &block)
{
    if (&block == in_place) return;
    if (in_place) {
        in_place->late.show_some(late_random, stays);
        in_place->late.exchange();
    }
    place_shared(block);
    block.late.exchange();
    in_place = &block;
}

bool Worker::finished() const
{
    return std::all_of(blocks.begin(), blocks.end(), [](const Resident &block) { return block.empty; });
}

// Runs one OS thread's share of a grid: the clusters `first` to `last` - 1. Most have one block.
void Worker::work(Launch &grid, size_t first, size_t last)
{
    launch = &grid;
    watch();
    next_cluster = first;
    last_cluster = last;
    shared.resize(launch->kernel->shared->arrays);
    launch->kernel->shared->find(shared.data());
    for (SharedArray &array : shared)
        if (!array.bytes) array.bytes = launch->dynamic_bytes;
    in_place = nullptr;
    const size_t of = launch->cluster_blocks;
    blocks.resize(launch->cooperative ? (last - first) * of : launch->seeded ? std::max<size_t>(RESIDENT / of, 1) * of : of);
    stop_resting();
    take_turns = blocks.size() > 1 && (launch->seeded || !shared.empty());
    for (Resident &block : blocks) block.empty = true;
    for (Resident &block : blocks) {
        block.suspended.resize(MAX_THREADS);
        if (block.empty) refill(block);
    }
    if (const int how = _setjmp(bail)) {
#ifdef __SANITIZE_ADDRESS__
        if (here != &main) __sanitizer_finish_switch_fiber(main.fake_stack, nullptr, nullptr);
#endif
        if (how == 3) report_fault();
        abandon();
        launch = nullptr;
        rest();
        return;
    }
    while (attach(main)) {
        if (take_turns) put_in_place(resident(main));
        launch->kernel->run_threads(launch->arguments);
        show_block();
        detach(main);
    }
    if (!finished()) switch_to(next());
    outlived.exchange();
    outlived.stores.clear();
    launch = nullptr;
    rest();
}

}  // namespace emulator
