// CUDA C++ for g++: defines the parts of the language that kernel files use, on top of the scheduler in runtime.h.
//
// A generated file includes this header first; then comes what the preprocessor makes of the kernel file, then one
// EMULATE(name) for each __global__ function. A missing feature is a compile error that names it: unsupported.h declares
// the intrinsics that cannot be emulated, with the reason; all others are unknown names.
//
// Of what C++ leaves undefined, shifts by too many bits and conversions out of an integer's range are rewritten
// (gpu_values.py), so that they have the values of a GPU's instructions; of operands that nvcc knows when it
// compiles, it may make others. Such a shift or conversion that is not rewritten, and a misaligned access, is an error of
// the launch. Not noticed, without a seed, are accesses far outside a buffer that hit other memory of the process.

#pragma once

#define CUDA_ON_CPU 1

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
