// In a seeded run, some stores to buffers reach other threads late.
//
// On a GPU, what a thread stores becomes visible to other threads at any time and in any order, until the thread
// executes a fence or takes part in a barrier. Here, the compiled store itself has written to memory when another fiber
// runs. So a late store is undone whenever its fiber is suspended, and done again when its fiber goes on: its own thread
// always sees it. It stays for all at a fence, a barrier or a warp operation, when the thread's next atomic operation is
// on the same address, when the fiber ends, or by chance, since no store is late for ever.

#include "scheduler.h"

#include <algorithm>

namespace emulator {

constexpr unsigned STAYS = 4;  // a late store stays for all at one suspension in as many

void LateStore::exchange() { std::swap_ranges(at, at + bytes, other); }

void Worker::seed_late_stores(uint64_t seed)
{
    late_random = {~seed};
    mean_gap = 1u << late_random.pick(7);
    until_late = late_random.pick(2 * mean_gap);
}

void Worker::hide_late_stores(Stack &stack)
{
    std::erase_if(stack.late, [&](const LateStore &) { return late_random.pick(STAYS) == 0; });
    for (LateStore &store : stack.late) store.exchange();
}

void Worker::show_late_stores(Stack &stack)
{
    for (LateStore &store : stack.late) store.exchange();
}

static bool overlap(const LateStore &store, const char *at, size_t bytes)
{
    return at < store.at + store.bytes && store.at < at + bytes;
}

// Called before a store in a seeded run; may make it a late one.
void may_be_late(Stack &self, void *address, size_t bytes)
{
    Worker &worker = *self.worker;
    if (worker.until_late-- > 0) return;
    worker.until_late = worker.late_random.pick(2 * worker.mean_gap);
    char *const at = static_cast<char *>(address);
    const Buffer *const buffers = worker.launch->buffers;
    const bool in_buffer = std::any_of(buffers, buffers + worker.launch->buffer_count, [&](const Buffer &buffer) {
        return at >= buffer.begin && at + bytes <= buffer.begin + buffer.bytes;
    });
    const auto covers = [&](const LateStore &store) { return overlap(store, at, bytes); };
    if (!in_buffer || std::any_of(self.late.begin(), self.late.end(), covers)) return;
    LateStore &store = self.late.emplace_back(LateStore{at, bytes, {}});
    std::copy(at, at + bytes, store.other);
}

// Makes the running thread's stores to an address visible to all.
void show_all(const volatile void *address, size_t bytes)
{
    if (!here) return;
    std::vector<LateStore> &late = running().late;
    if (late.empty()) return;
    const char *const at = static_cast<const char *>(const_cast<const void *>(address));
    std::erase_if(late, [&](const LateStore &store) { return overlap(store, at, bytes); });
}

// Makes all its stores visible to all: at a fence or barrier.
void show_all()
{
    if (here) running().late.clear();
}

}  // namespace emulator
