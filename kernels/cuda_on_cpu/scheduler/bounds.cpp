// In a seeded run, every access is to memory that the kernel has: a buffer among its arguments or another that is
// allocated, since a kernel may find its address in memory; a shared array; a variable of the kernel's file; or the
// thread's own stack and indices, which accesses.cpp knows. What __ldg reads is written by no thread of the launch.

#include "scheduler.h"

#include <link.h>

#include <algorithm>

namespace emulator {

constexpr size_t REACH = 1u << 16;  // bytes outside a buffer within which an access is told by it; as in device.py

// Returns where the file of a kernel is loaded.
static Range image_of(const Kernel &kernel)
{
    struct Search {
        const char *code;
        Range image;
    } search{reinterpret_cast<const char *>(kernel.run_threads), {}};
    dl_iterate_phdr(
        [](dl_phdr_info *file, size_t, void *into) {
            auto &[code, image] = *static_cast<Search *>(into);
            const auto base = reinterpret_cast<char *>(file->dlpi_addr);
            size_t bytes = 0;
            for (const ElfW(Phdr) *part = file->dlpi_phdr; part < file->dlpi_phdr + file->dlpi_phnum; part++)
                if (part->p_type == PT_LOAD) bytes = std::max(bytes, size_t(part->p_vaddr + part->p_memsz));
            if (!holds({base, bytes}, code, 1)) return 0;
            image = {base, bytes};
            return 1;
        },
        &search);
    return search.image;
}

// Whether an address is in the shared memory of a block that does not run, which map_shared_rank() has returned.
bool Worker::in_other_shared(const char *at, size_t bytes) const
{
    for (const Resident &block : blocks) {
        char *begin = const_cast<char *>(block.shared.data());
        if (!holds({begin, block.shared.size()}, at, bytes)) continue;
        for (const SharedArray &array : shared) {
            if (holds({begin + GUARD_BYTES, array.bytes}, at, bytes)) return true;
            begin += array.bytes + 2 * GUARD_BYTES;
        }
    }
    return false;
}

// Returns the memory of an access that is in none of `places`, or fails if the kernel has none there.
Place Worker::look_up(const char *at, size_t bytes, const char *done)
{
    const auto is_here = [&](Range range) { return holds(range, at, bytes); };
    const Buffer *const end = launch->buffers + launch->buffer_count;
    if (const Buffer *const buffer = std::find_if(launch->buffers, end, is_here); buffer != end)
        return {*buffer, buffer};
    for (const SharedArray &array : shared)
        if (const Range range{array.begin, array.bytes}; is_here(range)) return {range, nullptr};
    if (const Range block{reinterpret_cast<char *>(here->block), sizeof(Block)}; is_here(block)) return {block, nullptr};
    if (in_other_shared(at, bytes)) return {};
    if (const Range image = image_of(*launch->kernel); is_here(image)) return {image, nullptr};
    std::string place;
    const auto beside = [&](Range range, size_t reach, const std::string &name) {
        if (place.empty() && at + reach >= range.begin && at < range.begin + range.bytes + reach)
            place = outside(done, name, range, at);
    };
    const auto beside_buffers = [&](size_t reach) {
        for (unsigned i = 0; i < launch->buffer_count; i++)
            beside(launch->buffers[i], reach, "parameter " + std::to_string(launch->buffers[i].parameter));
    };
    beside_buffers(GUARD_BYTES);
    const Range *const last = launch->allocated + launch->allocated_count;
    if (const Range *const buffer = std::find_if(launch->allocated, last, is_here); buffer != last && place.empty())
        return {*buffer, nullptr};
    for (const SharedArray &array : shared)
        beside({array.begin, array.bytes}, GUARD_BYTES, "the shared array " + std::string(array.name));
    beside_buffers(REACH);
    if (place.empty()) {
        char text[60];
        snprintf(text, sizeof text, "an access to the invalid address %p", at);
        place = text;
    }
    fail(place.c_str());
}

// Returns the memory of an access, or fails if the kernel has none there.
const Place &Worker::place_of(const char *at, size_t bytes, const char *done)
{
    Place &place = slot(at);
    if (!holds(place, at, bytes)) place = look_up(at, bytes, done);
    return place;
}

// Notes that a thread writes to a buffer or reads it by __ldg, and fails if the launch does both to the same bytes.
void Worker::note_use(const Buffer &buffer, const char *at, size_t bytes, unsigned char use)
{
    std::vector<unsigned char> &noted = uses[size_t(&buffer - launch->buffers)];
    if (noted.empty()) noted.resize(buffer.bytes);
    const auto first = noted.begin() + (at - buffer.begin), last = first + ptrdiff_t(bytes);
    std::for_each(first, last, [use](unsigned char &byte) { byte |= use; });
    if (std::find(first, last, WRITTEN | READ_ONLY) == last) return;
    fail(("__ldg reads what the kernel writes, in parameter " + std::to_string(buffer.parameter)).c_str());
}

void read_only(const void *address, size_t bytes)
{
    if (!here->preemptible) return;
    const char *const at = static_cast<const char *>(address);
    Worker &worker = *running().worker;
    if (const Buffer *const buffer = worker.place_of(at, bytes, "read").buffer)
        worker.note_use(*buffer, at, bytes, READ_ONLY);
}

}  // namespace emulator
