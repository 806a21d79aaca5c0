// Makes a kernel known to Python: its name, its parameters and the loop over its threads.

#pragma once

#include <type_traits>
#include <utility>

#include "../runtime.h"
#include "types.h"

namespace emulator {

// Describes the type of a parameter, against which Python checks arguments. Not as a std::string, which would take g++
// longer than many a kernel.
template <typename T> constexpr Parameter described()
{
    using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
    constexpr bool pointer = std::is_pointer_v<T>;
    if constexpr (pointer && !arithmetic<Target>)
        return {pointer, 0, 0};
    else {
        static_assert(arithmetic<Target>,
                      "the emulator cannot run kernels with a parameter that is neither a number nor a pointer");
        const char kind = std::is_same_v<Target, bool>       ? 'b'
                          : std::is_floating_point_v<Target> ? 'f'
                          : std::is_signed_v<Target>         ? 'i'
                                                             : 'u';
        return {pointer, kind, sizeof(Target)};
    }
}

template <auto kernel> struct Emulated;

template <typename... P, void (*kernel)(P...)> struct Emulated<kernel> {
    static void run(P... values)
    {
        run_each_thread([=] { kernel(values...); });
    }

    template <size_t... i> static void run_with(void **arguments, std::index_sequence<i...>)
    {
        run(*static_cast<P *>(arguments[i])...);
    }

    // flatten: inlines the kernel's code into the loop over threads
    [[gnu::flatten]] static void run_threads(void **arguments) { run_with(arguments, std::index_sequence_for<P...>()); }

    static const char *parameters()
    {
        const Parameter all[] = {described<P>()..., {}};
        return words(all, sizeof...(P));
    }
};

}  // namespace emulator

namespace emulator {

// The first of the numbers in __launch_bounds__.
template <typename... Rest> constexpr unsigned first_of(unsigned first, Rest...) { return first; }

constexpr dim3 dims(unsigned x, unsigned y = 1, unsigned z = 1) { return {x, y, z}; }

}  // namespace emulator

// Defines a C function, so that Python finds a kernel by its name. Its result is allocated and never freed. It is not a
// static variable, because static variables are reset whenever the file is loaded again.
#define EMULATE(name, most_threads, cluster)                                                                      \
    extern "C" const emulator::Shared emulated_shared_##name;                                                     \
    extern "C" const emulator::Kernel *emulated_##name()                                                          \
    {                                                                                                             \
        using Emulated = emulator::Emulated<&name>;                                                               \
        const emulator::Shared &shared = emulated_shared_##name;                                                  \
        return new emulator::Kernel{#name, Emulated::parameters(), Emulated::run_threads, &shared,                \
                                    shared.static_bytes, unsigned(most_threads), cluster};                        \
    }
