// Qualifiers of functions and variables, and the indices of a thread.
//
// __shared__ is thread_local, because one OS thread runs a block from start to end. `extern __shared__ T x[]` then
// declares a thread-local array; a second generated file defines its storage. `used` says that the variable may change
// where g++ does not see it: otherwise it takes a variable that no thread writes for 0, where the scheduler has filled it
// with invalid bytes.

#pragma once

#include "../runtime.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ __attribute__((used)) thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

#define threadIdx (emulator::here->thread_index)
#define blockIdx (emulator::here->block_index)
#define blockDim (emulator::here->block_size)
#define gridDim (emulator::here->grid_size)
constexpr int warpSize = 32;
