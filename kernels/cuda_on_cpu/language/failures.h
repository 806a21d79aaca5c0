// Functions that end a launch with an error.

#pragma once

#include <cassert>

#include "../runtime.h"

// glibc's assert calls this
#define __assert_fail(text, file, line, function) emulator::fail("assertion failed: " text)
inline void __trap() { emulator::fail("__trap was called"); }
