// CUDA C++ for g++: what a kernel file uses of the language, defined in terms of the scheduler in runtime.h.
//
// A kernel file is compiled unchanged. In a generated file this header comes first, then the .cu, then one
// EMULATE(name) for each __global__ function. What is missing here is a compile error that names it, never a wrong
// answer: intrinsics that cannot be emulated are declared in unsupported.h with the reason, all others are unknown
// names.

#pragma once

#define RETRACE_EMULATOR 1

// What nvcc includes by itself; and standard headers come before a word of theirs is redefined.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "language/types.h"

#include "language/arithmetic.h"
#include "language/atomics.h"
#include "language/barriers.h"
#include "language/failures.h"
#include "language/memory.h"
#include "language/registration.h"
#include "language/vectors.h"
#include "language/warps.h"

#include "language/declarations.h"
#include "language/unsupported.h"
