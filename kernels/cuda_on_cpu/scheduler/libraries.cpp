// What Python asks of a loaded kernel file: its kernels' parameters, its __constant__ and __device__ variables.

#include "scheduler.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

namespace emulator {

// The writable variables of a loaded library, without the part that the loader has made read-only again.
struct Library {
    const void *inside;  // an address inside the library, which identifies it
    Range variables{nullptr, 0};
};

const char *words(const Parameter *parameters, unsigned count)
{
    std::string text;
    for (unsigned i = 0; i < count; i++) {
        const Parameter &one = parameters[i];
        if (one.pointer) text += 'P';
        if (one.kind) text += one.kind + std::to_string(one.bytes);
        text += ' ';
    }
    return strdup(text.c_str());
}

static Range find_variables(const void *inside)
{
    Library library{inside};
    const auto visit = [](dl_phdr_info *info, size_t, void *data) {
        auto &wanted = *static_cast<Library *>(data);
        Range writable{nullptr, 0};
        char *read_only_end = nullptr;
        bool holds = false;
        for (int i = 0; i < info->dlpi_phnum; i++) {
            const ElfW(Phdr) &header = info->dlpi_phdr[i];
            char *const begin = reinterpret_cast<char *>(info->dlpi_addr + header.p_vaddr);
            if (header.p_type == PT_LOAD && wanted.inside >= begin && wanted.inside < begin + header.p_memsz)
                holds = true;
            if (header.p_type == PT_LOAD && header.p_flags & PF_W) writable = {begin, header.p_memsz};
            if (header.p_type == PT_GNU_RELRO) read_only_end = begin + header.p_memsz;
        }
        if (!holds) return 0;
        char *const begin = std::max(writable.begin, read_only_end), *end = writable.begin + writable.bytes;
        if (begin < end) wanted.variables = {begin, size_t(end - begin)};
        return 1;
    };
    dl_iterate_phdr(visit, &library);
    return library.variables;
}

}  // namespace emulator

// Resets the __constant__ and __device__ variables of a library to their values at the first load, as CUDA does for a
// newly loaded module. `function` is any function of the library.
extern "C" __attribute__((no_sanitize("address"))) void emulator_reset(const void *function)
{
    static std::mutex mutex;
    static auto &first = *new std::map<const void *, std::vector<char>>;
    const std::lock_guard lock(mutex);
    const emulator::Range now = emulator::find_variables(function);
    const auto [saved, is_new] = first.try_emplace(function, now.bytes);
    volatile char *const here = now.begin;  // volatile: memcpy would trip over the sanitizer's red zones
    for (size_t i = 0; i < now.bytes; i++) {
        if (is_new)
            saved->second[i] = here[i];
        else
            here[i] = saved->second[i];
    }
}

// Returns the address of a __constant__ or __device__ variable in a library that dlopen has returned, or null.
extern "C" void *emulator_symbol(void *library, const char *name, size_t *bytes)
{
    void *address = dlsym(library, name);
    Dl_info info;
    void *found = nullptr;
    if (!address || !dladdr1(address, &info, &found, RTLD_DL_SYMENT)) return nullptr;
    const auto *symbol = static_cast<const ElfW(Sym) *>(found);
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT) return nullptr;
    *bytes = symbol->st_size;
    return address;
}
