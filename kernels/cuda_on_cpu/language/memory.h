// Loads and stores with cache operators, and fences: in a seeded run, the order of one says for whom it is.

#pragma once

#include <atomic>
#include <type_traits>

#include "../runtime.h"

template <typename T> inline T __ldg(const T *address)
{
#ifdef __SANITIZE_THREAD__
    emulator::read_only(address, sizeof(T));
#endif
    return *address;
}
template <typename T> inline T __ldca(const T *address) { return *address; }
template <typename T> inline T __ldcg(const T *address) { return *address; }
template <typename T> inline T __ldcs(const T *address) { return *address; }
template <typename T> inline T __ldlu(const T *address) { return *address; }
template <typename T> inline T __ldcv(const T *address) { return *const_cast<const volatile T *>(address); }
template <typename T> inline void __stwb(T *address, std::type_identity_t<T> value) { *address = value; }
template <typename T> inline void __stcg(T *address, std::type_identity_t<T> value) { *address = value; }
template <typename T> inline void __stcs(T *address, std::type_identity_t<T> value) { *address = value; }
template <typename T> inline void __stwt(T *address, std::type_identity_t<T> value) { *address = value; }

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { std::atomic_thread_fence(std::memory_order_acq_rel); }
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
