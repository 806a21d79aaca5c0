// Guards: bytes around each buffer and each array in shared memory, which no kernel may change. A kernel that
// reads them gives a wrong answer. The debug build also reports each access, with its line.

#include "scheduler.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace emulator {

// The values of the bytes of guards; those round arrays in shared memory have the first. As numbers they are large and
// positive, so that a loop which ends where they say leaves the program's memory.
constexpr unsigned char GUARD = 0x40, LAST_GUARD = 0x7E;

const char *altered(Range guard, unsigned char value)
{
    const auto bad = [value](char byte) { return static_cast<unsigned char>(byte) != value; };
    char *const end = guard.begin + guard.bytes, *const found = std::find_if(guard.begin, end, bad);
    return found == end ? nullptr : found;
}

std::string outside(const char *done, const std::string &name, Range range, const char *at)
{
    char text[120];
    if (at < range.begin)
        snprintf(text, sizeof text, "a thread %s %zu bytes before the start of ", done, size_t(range.begin - at));
    else
        snprintf(text, sizeof text, "a thread %s past the end, at byte %zu of the %zu bytes of ", done,
                 size_t(at - range.begin), range.bytes);
    return text + name;
}

// Buffers may overlap or touch, as views do. What lies beside all of them is a guard, up to GUARD_BYTES.
BufferGuards::BufferGuards(const Buffer *all, unsigned count)
{
    std::vector<const Buffer *> sorted(count);
    for (unsigned i = 0; i < count; i++) sorted[i] = all + i;
    std::sort(sorted.begin(), sorted.end(), [](const Buffer *a, const Buffer *b) { return a->begin < b->begin; });
    const auto add = [&](char *begin, char *end, const Buffer *buffer) {
        const unsigned char byte = GUARD + 1 + guards.size() % (LAST_GUARD - GUARD);
        if (begin < end) guards.push_back({{begin, size_t(end - begin)}, buffer, byte, {}});
    };
    char *done = nullptr;
    for (unsigned i = 0; i < count;) {
        const Buffer *last = sorted[i];
        add(std::max(last->begin - GUARD_BYTES, done), last->begin, last);
        char *end = last->begin + last->bytes;
        while (++i < count && sorted[i]->begin <= end) {
            if (sorted[i]->begin + sorted[i]->bytes < end) continue;
            last = sorted[i];
            end = last->begin + last->bytes;
        }
        done = end + GUARD_BYTES;
        if (i < count) done = std::min(done, sorted[i]->begin);
        add(end, done, last);
    }
    for (Guard &guard : guards) {
        memcpy(guard.kept, guard.range.begin, guard.range.bytes);
        memset(guard.range.begin, guard.byte, guard.range.bytes);
        forbid(guard.range);
    }
}

std::string BufferGuards::remove()
{
    std::string message;
    for (const Guard &guard : guards) {
        forbid(guard.range, false);
        const char *const found = altered(guard.range, guard.byte);
        if (found && message.empty()) {
            const Buffer &buffer = *guard.buffer;
            message = outside("stored", "parameter " + std::to_string(buffer.parameter), buffer, found);
        }
        memcpy(guard.range.begin, guard.kept, guard.range.bytes);
    }
    return message;
}

// An array in shared memory with its guards.
static Range guarded(const SharedArray &array)
{
    return {array.begin - GUARD_BYTES, array.bytes + 2 * GUARD_BYTES};
}

static Range before(const SharedArray &array) { return {array.begin - GUARD_BYTES, GUARD_BYTES}; }
static Range after(const SharedArray &array) { return {array.begin + array.bytes, GUARD_BYTES}; }

// Fills a new block's shared memory and its guards.
void Worker::poison_shared(Resident &block)
{
    const auto fill = [](const SharedArray &array, char *begin) {
        memset(begin, GUARD, array.bytes + 2 * GUARD_BYTES);
        memset(begin + GUARD_BYTES, POISON, array.bytes);
    };
    if (take_turns) {
        size_t bytes = 0;
        for (const SharedArray &array : shared) bytes += guarded(array).bytes;
        block.shared.resize(bytes);
        char *begin = block.shared.data();
        for (const SharedArray &array : shared) {
            fill(array, begin);
            begin += guarded(array).bytes;
        }
        if (in_place == &block) in_place = nullptr;
        return;
    }
    for (const SharedArray &array : shared) {
        forbid(guarded(array), false);
        fill(array, guarded(array).begin);
        forbid(before(array));
        forbid(after(array));
    }
}

// Checks the guards of a block that has ended, which is the one in place.
void Worker::check_shared(const Resident &block)
{
    for (const SharedArray &array : shared) {
        forbid(guarded(array), false);
        const char *found = altered(before(array), GUARD);
        if (!found) found = altered(after(array), GUARD);
        if (found)
            give_up(outside("stored", "the shared array " + std::string(array.name), {array.begin, array.bytes}, found) +
                    ", in block " + text(block.index));
    }
}

// Copies the shared memory of a block to the address at which the kernel's code accesses it.
void Worker::place_shared(Resident &block)
{
    const auto move = [this](auto copy) {
        size_t offset = 0;
        for (const SharedArray &array : shared) {
            const Range range = guarded(array);
            forbid(range, false);
            copy(range, offset);
            offset += range.bytes;
            forbid(before(array));
            forbid(after(array));
        }
    };
    if (in_place)
        move([&](const Range &r, size_t at) { memcpy(in_place->shared.data() + at, r.begin, r.bytes); });
    move([&](const Range &r, size_t at) { memcpy(r.begin, block.shared.data() + at, r.bytes); });
}

}  // namespace emulator
