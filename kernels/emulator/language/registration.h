// Makes a kernel known to Python: its name, its parameters and the loop over its threads.

#pragma once

#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../runtime.h"
#include "types.h"

namespace emulator {

// Describes the type of a parameter in one word, against which Python checks arguments.
template <typename T> std::string describe()
{
    if constexpr (std::is_pointer_v<T>) {
        using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
        if constexpr (arithmetic<Target>)
            return "P" + describe<Target>();
        else
            return "P";
    } else {
        static_assert(arithmetic<T>,
                      "the emulator cannot run kernels with a parameter that is neither a number nor a pointer");
        const char *kind = std::is_same_v<T, bool>             ? "b"
                           : std::is_floating_point_v<T> ? "f"
                           : std::is_signed_v<T>         ? "i"
                                                         : "u";
        return kind + std::to_string(sizeof(T));
    }
}

template <auto kernel> struct Emulated;

template <typename... P, void (*kernel)(P...)> struct Emulated<kernel> {
    template <size_t... i> static void run([[maybe_unused]] void **arguments, std::index_sequence<i...>)
    {
        const std::tuple<P...> values{*static_cast<P *>(arguments[i])...};
        run_each_thread([&] { kernel(std::get<i>(values)...); });
    }

    // flatten: inlines the kernel's code into the loop over threads
    [[gnu::flatten]] static void run_threads(void **arguments) { run(arguments, std::index_sequence_for<P...>()); }

    static std::string parameters() { return ((describe<P>() + " ") + ... + std::string()); }
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
        return new emulator::Kernel{#name, strdup(Emulated::parameters().c_str()), Emulated::run_threads,         \
                                    &shared, shared.static_bytes, unsigned(most_threads), cluster};               \
    }
