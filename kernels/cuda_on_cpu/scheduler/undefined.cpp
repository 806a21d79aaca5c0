// Operations that C++ does not define, and for which a CPU and a GPU give different results, are errors of the launch. Of
// shifts and conversions, these are the ones that gpu_values.py has not rewritten.
//
// A kernel file is compiled with some of g++'s checks for undefined behaviour, such as -fsanitize=shift-exponent, but
// not linked with that sanitizer: the functions below take the place of its interface.

#include "scheduler.h"

namespace emulator {

// How the sanitizer describes the line of an operation.
struct Line {
    const char *file;
    unsigned number, column;
};

struct Access {
    Line line;
    const void *type;
    unsigned char log_alignment, kind;
};

[[noreturn]] static void refuse(const std::string &what, const Line &line)
{
    const std::string file = line.file ? line.file : "";
    fail((what + (file.empty() ? "" : ", at " + file.substr(file.rfind('/') + 1) + ":" + std::to_string(line.number))).c_str());
}

}  // namespace emulator

using emulator::refuse;

extern "C" {

void __ubsan_handle_type_mismatch_v1_abort(emulator::Access *access, uintptr_t address)
{
    const unsigned bytes = 1u << access->log_alignment;
    refuse("the address " + std::to_string(address) + " is not a multiple of " + std::to_string(bytes), access->line);
}

void __ubsan_handle_shift_out_of_bounds_abort(emulator::Line *line, uintptr_t, uintptr_t by)
{
    refuse("a shift by " + std::to_string(by) + " bits or more than the number has", *line);
}

void __ubsan_handle_divrem_overflow_abort(emulator::Line *line, uintptr_t, uintptr_t)
{
    refuse("an integer is divided by zero", *line);
}

void __ubsan_handle_float_cast_overflow_abort(emulator::Line *line, uintptr_t)
{
    refuse("a floating-point number is converted to an integer type that cannot hold it (int(x) has a GPU's value)", *line);
}

void __ubsan_handle_out_of_bounds_abort(emulator::Line *line, uintptr_t index)
{
    refuse("the index " + std::to_string(static_cast<long long>(index)) + " is outside an array", *line);
}

}  // extern "C"
