// In a seeded run, every access is to memory that the kernel has: a buffer among its arguments or another that is
// allocated, since a kernel may find its address in memory; a shared array; a variable of the kernel's file; or the
// thread's own stack, which accesses.cpp knows. What __ldg reads is written by no thread of the launch.

#include "scheduler.h"

#include <link.h>

#include <algorithm>

namespace emulator {

constexpr size_t REACH = 1u << 16;  // bytes outside a buffer within which an access is told by it; as in device.py

static bool holds(Range range, const char *at, size_t bytes)
{
    return at >= range.begin && at + bytes <= range.begin + range.bytes;
}

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

// Returns the first of the launch's buffers that has all bytes of an access, or null.
const Buffer *Worker::buffer_of(const char *at, size_t bytes) const
{
    const Buffer *const end = launch->buffers + launch->buffer_count;
    const Buffer *const found =
        std::find_if(launch->buffers, end, [&](const Buffer &buffer) { return holds(buffer, at, bytes); });
    return found == end ? nullptr : found;
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

// Called at an access that is not where the last one was: fails if the kernel has no memory there.
void Worker::look_up(const char *at, size_t bytes, const char *done)
{
    const auto is_here = [&](Range range) { return holds(range, at, bytes); };
    if (const Buffer *const buffer = buffer_of(at, bytes)) {
        known = *buffer;
        return;
    }
    for (const SharedArray &array : shared)
        if (is_here({array.begin, array.bytes})) {
            known = {array.begin, array.bytes};
            return;
        }
    Stack &self = running();  // kernels read their indices there
    if (is_here({reinterpret_cast<char *>(&self), sizeof self}) ||
        is_here({reinterpret_cast<char *>(self.block), sizeof(Resident)}) ||
        is_here({reinterpret_cast<char *>(&here), sizeof here}))
        return;
    if (image_kernel != launch->kernel) {
        image = image_of(*launch->kernel);
        image_kernel = launch->kernel;
    }
    if (is_here(image)) {
        known = image;
        return;
    }
    if (in_other_shared(at, bytes)) return;
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
    if (place.empty() && std::any_of(launch->allocated, launch->allocated + launch->allocated_count, is_here)) return;
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

// Notes that a thread writes to a buffer or reads it by __ldg, and fails if the launch does both to the same bytes.
void Worker::note_use(const char *at, size_t bytes, unsigned char use)
{
    const Buffer *const buffer = buffer_of(at, bytes);
    if (!buffer) return;
    std::vector<unsigned char> &noted = uses[size_t(buffer - launch->buffers)];
    if (noted.empty()) noted.resize(buffer->bytes);
    const auto first = noted.begin() + (at - buffer->begin), last = first + ptrdiff_t(bytes);
    std::for_each(first, last, [use](unsigned char &byte) { byte |= use; });
    if (std::find(first, last, WRITTEN | READ_ONLY) == last) return;
    fail(("__ldg reads what the kernel writes, in parameter " + std::to_string(buffer->parameter)).c_str());
}

void read_only(const void *address, size_t bytes)
{
    if (here->preemptible) here->worker->note_use(static_cast<const char *>(address), bytes, READ_ONLY);
}

}  // namespace emulator
