// Copies arrays to a GPU by way of page-locked memory, which some threads fill while the GPU reads: the driver's own copy from
// ordinary memory is done by one thread. The functions of CUDA's driver are given as pointers, as in repeat.cpp.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

using Result = int;                  // CUresult, 0 is success
using Address = unsigned long long;  // CUdeviceptr

struct Driver {
    Result (*use)(void *context);  // by this thread
    Result (*copy)(Address to, const void *from, size_t bytes, void *stream);
    Result (*record)(void *event, void *stream);
    Result (*wait)(void *event);
};

struct Copy {
    Address to;
    const char *from;
    size_t bytes;
};

constexpr int SLOTS = 2;  // of each thread: it fills one while the GPU reads the other

// Page-locked memory of SLOTS slots for each thread, and an event for each slot.
struct Staging {
    char *memory;
    size_t slot_bytes;
    void **events;
};

// Returns the parts of arrays, each of the size of a slot or less.
static std::vector<Copy> pieces_of(const Copy *copies, int count, size_t most)
{
    std::vector<Copy> pieces;
    for (const Copy *copy = copies; copy < copies + count; copy++)
        for (size_t begin = 0; begin < copy->bytes; begin += most)
            pieces.push_back({copy->to + begin, copy->from + begin, std::min(most, copy->bytes - begin)});
    return pieces;
}

// Copies all arrays, and returns when the GPU has them. Returns what failed, or 0.
extern "C" Result copy_staged(const Driver *driver, void *context, const Copy *copies, int count, const Staging *staging,
                              int threads)
{
    const std::vector<Copy> pieces = pieces_of(copies, count, staging->slot_bytes);
    std::atomic<size_t> next = 0;
    std::atomic<Result> failed = 0;
    const auto copy_pieces = [&](int thread) {
        const auto succeeds = [&](Result result) {
            if (result) failed = result;
            return result == 0;
        };
        if (!succeeds(driver->use(context))) return;
        int turn = 0;
        for (size_t number; !failed && (number = next++) < pieces.size(); turn++) {
            const int slot = SLOTS * thread + turn % SLOTS;
            if (turn >= SLOTS && !succeeds(driver->wait(staging->events[slot]))) return;
            char *const memory = staging->memory + slot * staging->slot_bytes;
            const auto [to, from, bytes] = pieces[number];
            memcpy(memory, from, bytes);
            if (!succeeds(driver->copy(to, memory, bytes, nullptr))) return;
            if (!succeeds(driver->record(staging->events[slot], nullptr))) return;
        }
        for (int slot = SLOTS * thread; slot < SLOTS * thread + std::min(turn, SLOTS); slot++)
            if (!succeeds(driver->wait(staging->events[slot]))) return;
    };
    {
        std::vector<std::jthread> others;
        try {
            for (int thread = 1; thread < threads; thread++) others.emplace_back(copy_pieces, thread);
        } catch (const std::system_error &) {
            // No more threads can be made: those that there are copy all.
        }
        copy_pieces(0);
    }
    return failed;
}
