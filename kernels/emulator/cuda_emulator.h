// CUDA C++ for g++: defines the parts of the language that kernel files use, on top of the scheduler in runtime.h.
//
// A kernel file is compiled unchanged. A generated file includes this header first, then the .cu file, then one
// EMULATE(name) for each __global__ function. A missing feature is a compile error that names it: unsupported.h declares
// the intrinsics that cannot be emulated, with the reason; all others are unknown names. What C++ leaves undefined is an
// error where g++ can check it: shifts by too many bits, conversions out of an integer's range, misaligned accesses. For
// the first two nvcc gives a value, but which one depends on what it knows when it compiles. Not noticed are accesses far
// outside a buffer that hit other memory of the process.

#pragma once

#define RETRACE_EMULATOR 1

// Headers that nvcc includes by default. Standard headers come before any of their names is redefined.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "language/types.h"

#include "language/arithmetic.h"
#include "language/atomics.h"
#include "language/barriers.h"
#include "language/conversions.h"
#include "language/failures.h"
#include "language/memory.h"
#include "language/registration.h"
#include "language/shifts.h"
#include "language/vectors.h"
#include "language/warps.h"

#include "language/declarations.h"
#include "language/unsupported.h"
