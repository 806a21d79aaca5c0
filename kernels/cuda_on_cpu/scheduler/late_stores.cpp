// In a seeded run, some stores to buffers reach other threads late.
//
// On a GPU, what a thread stores becomes visible to other threads at any time and in any order, until the thread executes
// a fence. A barrier of a block, a warp operation and __threadfence_block make it visible to the block alone, until one of
// the block's threads executes a fence for all. Here, the compiled store itself has written to memory when another fiber
// runs. So a late store is undone whenever those that see it do not run, and done again when they go on: first its own
// fiber, then its block, and once the block has ended none. It stays for all at a fence, at a barrier of the grid or of a
// cluster, at the next atomic operation of its thread or block on the same address, when the launch ends, or by chance:
// no store is late for ever.

#include "scheduler.h"

#include <algorithm>

namespace emulator {

constexpr size_t MOST_LATE = 64;  // in one place; further stores are not late

static bool overlap(const LateStore &store, const char *at, size_t bytes)
{
    return at < store.at + store.bytes && store.at < at + bytes;
}

void LateStore::exchange() { std::swap_ranges(at, at + bytes, other); }

// Takes another one, unless it has none of the bytes of those that are there: what others see of these is kept already.
bool LateStores::add(const LateStore &store)
{
    const auto covers = [&](const LateStore &known) { return overlap(known, store.at, store.bytes); };
    if (stores.size() == MOST_LATE || std::any_of(stores.begin(), stores.end(), covers)) return false;
    stores.push_back(store);
    return true;
}

void LateStores::exchange()
{
    for (LateStore &store : stores) store.exchange();
}

void LateStores::show(const char *at, size_t bytes)
{
    std::erase_if(stores, [&](const LateStore &store) { return overlap(store, at, bytes); });
}

// Makes one of them visible to all, by chance: mostly the newest, so that a flag often comes before what it stands for.
void LateStores::show_some(Random &random, unsigned stays, bool hidden)
{
    if (stores.empty() || random.pick(stays) >= stores.size()) return;
    const size_t newest = stores.size() - 1;
    const auto due = stores.begin() + ptrdiff_t(random.pick(16) ? newest : random.pick(newest));
    if (hidden) due->exchange();
    stores.erase(due);
}

void Worker::seed_late_stores(const Launch &grid)
{
    late_random = {~grid.seed};
    stays = 64u << late_random.pick(5);
    mean_gap.resize(grid.buffer_count);
    for (unsigned &gap : mean_gap) gap = late_random.pick(4) ? 1 : late_random.pick(2) ? 2u << late_random.pick(6) : 0;
}

// Called before a store to a buffer in a seeded run; may make it a late one.
void may_be_late(const Buffer &buffer, char *at, size_t bytes)
{
    Stack &self = running();
    Worker &worker = *self.worker;
    const unsigned gap = worker.mean_gap[size_t(&buffer - worker.launch->buffers)];
    if (!gap || worker.late_random.pick(gap)) return;
    LateStore store{at, bytes, {}};
    std::copy(at, at + bytes, store.other);
    self.late.add(store);
}

// Makes the running thread's and its block's stores to an address visible to all.
void show_all(const volatile void *address, size_t bytes)
{
    if (!here || !here->block) return;
    const char *const at = static_cast<const char *>(const_cast<const void *>(address));
    running().late.show(at, bytes);
    resident(*here).late.show(at, bytes);
}

// Makes all its stores visible to all, and those that its block sees: at a fence.
void show_all()
{
    if (!here || !here->block) return;
    running().late.stores.clear();
    resident(*here).late.stores.clear();
}

// Makes the running thread's stores visible to its block: at a barrier.
void show_block()
{
    std::vector<LateStore> &late = running().late.stores;
    for (const LateStore &store : late) resident(*here).late.add(store);
    late.clear();
}

// Called when a block has ended, which is the one in place: its late stores are seen by none.
void Worker::outlive(Resident &ended)
{
    for (const LateStore &store : ended.late.stores)
        if (outlived.add(store)) outlived.stores.back().exchange();
    ended.late.stores.clear();
}

}  // namespace emulator
