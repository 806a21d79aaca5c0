// atomicAdd of doubles for GPUs that have none, those of compute capability 5.
//
// Source   CUDA C++ Programming Guide, "Atomic Functions": any atomic operation can be made of atomicCAS.

#pragma once

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ inline double atomicAdd(double *address, double addend)
{
    auto *const bits = reinterpret_cast<unsigned long long *>(address);
    unsigned long long before = *bits, assumed;
    do {
        assumed = before;
        before = atomicCAS(bits, assumed, __double_as_longlong(__longlong_as_double(assumed) + addend));
    } while (before != assumed);  // as bits: a NaN is unlike itself
    return __longlong_as_double(before);
}
#endif
