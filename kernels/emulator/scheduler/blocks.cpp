// Runs the threads of a block, and places its shared memory.

#include "scheduler.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace emulator {

// Replaces a finished block by the next block of this worker's share.
void Worker::refill(Resident &block)
{
    block.empty = next_block == last_block || launch->failed.load(std::memory_order_relaxed);
    if (block.empty) return;
    size_t index = next_block++;
    if (launch->seeded) index = launch->block_order[index];
    const dim3 grid = launch->grid, size = launch->block;
    block.index = {unsigned(index % grid.x), unsigned(index / grid.x % grid.y), unsigned(index / grid.x / grid.y)};
    block.threads = size.x * size.y * size.z;
    block.started = block.fibers = block.at_barrier = block.predicates = 0;
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
    if (take_turns) place_shared(found);
    return true;
}

// Detaches a fiber from its block, when the block has no more threads to start and the fiber's own have ended.
void Worker::detach(Stack &fiber)
{
    Resident &block = resident(fiber);
    fiber.block = nullptr;
    if (--block.fibers == 0) {
        if (!shared.empty()) check_shared(block);
        refill(block);
    } else if (block.at_barrier == block.fibers)
        release_barrier(block);
}

bool Worker::finished() const
{
    return std::all_of(blocks.begin(), blocks.end(), [](const Resident &block) { return block.empty; });
}

// Runs one OS thread's share of a grid: the blocks `first` to `last` - 1.
void Worker::work(Launch &grid, size_t first, size_t last)
{
    launch = &grid;
    next_block = first;
    last_block = last;
    shared.resize(launch->kernel->shared->arrays);
    launch->kernel->shared->find(shared.data());
    for (SharedArray &array : shared)
        if (!array.bytes) array.bytes = launch->dynamic_bytes;
    in_place = nullptr;
    take_turns = launch->seeded && !shared.empty();
    blocks.resize(launch->seeded ? RESIDENT : 1);
    for (Resident &block : blocks) {
        block.suspended.resize(MAX_THREADS);
        refill(block);
    }
    if (const int how = _setjmp(bail)) {
#ifdef __SANITIZE_ADDRESS__
        if (how == 2) __sanitizer_finish_switch_fiber(main.fake_stack, nullptr, nullptr);
#endif
        (void)how;
        abandon();
        return;
    }
    while (attach(main)) {
        launch->kernel->run_threads(launch->arguments);
        detach(main);
    }
    if (!finished()) switch_to(next());
}

}  // namespace emulator
