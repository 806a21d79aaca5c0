// In a seeded run, the scheduler may switch threads at every memory access.
//
// For seeded runs a kernel file is compiled with -fsanitize=thread. g++ then inserts a call before every memory access
// and replaces every atomic operation by a call. The file is not linked with the thread sanitizer: the functions below
// take the place of its interface, with the same names and parameters.
//
// Stores may also be seen late by other threads: see late_stores.cpp. Where a kernel may access memory: bounds.cpp.

#include "scheduler.h"

namespace emulator {

// What may_preempt does rarely: apart from it, since it is called far more often and needs no stack of its own then.
[[gnu::noinline]] static const Buffer *look_or_preempt(Stack &self, const char *at, size_t bytes, const char *done)
{
    Worker &worker = *self.worker;
    const Buffer *const buffer = worker.place_of(at, bytes, done).buffer;
    if (worker.run_left-- > 0) return buffer;
    worker.run_left = worker.pick(2 * worker.mean_run);
    worker.ready.push_back(&self);
    worker.suspend();
    return buffer;
}

// Returns the running fiber if other threads may run before its access to an address: not within the scheduler, nor to
// its own stack or indices. What the compiler keeps there, and how often it looks, changes no schedule.
static Stack *sharing(const void *address)
{
    if (!here || !here->preemptible) return nullptr;
    Stack &self = running();
    const uintptr_t byte = uintptr_t(address);
    const bool alone = byte - uintptr_t(self.bottom) < self.bytes || byte - uintptr_t(&self) < sizeof(Fiber) ||
                       byte - uintptr_t(&here) < sizeof here;
    return alone ? nullptr : &self;
}

// A GPU ends a launch at such an access. g++'s check of it, -fsanitize=alignment, takes half as much code again.
[[noreturn, gnu::noinline]] static void refuse_misaligned(const void *address, size_t bytes)
{
    fail(("the address " + std::to_string(uintptr_t(address)) + " is not a multiple of " + std::to_string(bytes) +
          " (without a seed, its line is told)").c_str());
}

// Called before a memory access in a seeded run; may let other threads run first. Returns the launch's buffer that has the
// address, or null.
static const Buffer *may_preempt(const void *address, size_t bytes, size_t alignment, const char *done)
{
    Stack *const self = sharing(address);
    if (!self) return nullptr;
    if (uintptr_t(address) & (alignment - 1)) refuse_misaligned(address, alignment);
    Worker &worker = *self->worker;
    const char *const at = static_cast<const char *>(address);
    const Place &place = worker.slot(at);
    if (worker.run_left == 0 || !holds(place, at, bytes)) return look_or_preempt(*self, at, bytes, done);
    worker.run_left--;
    return place.buffer;
}

static void before_load(const void *address, size_t bytes, size_t alignment)
{
    may_preempt(address, bytes, alignment, "read");
}

static const Buffer *before_store(const void *address, size_t bytes, size_t alignment)
{
    const Buffer *const buffer = may_preempt(address, bytes, alignment, "stored");
    if (buffer) running().worker->note_use(*buffer, static_cast<const char *>(address), bytes, WRITTEN);
    return buffer;
}

static void before_plain_store(void *address, size_t bytes, size_t alignment)
{
    const Buffer *const buffer = before_store(address, bytes, alignment);
    if (buffer) may_be_late(*buffer, static_cast<char *>(address), bytes);
}

}  // namespace emulator

using emulator::before_load;
using emulator::before_plain_store;
using emulator::before_store;

// Returns the address after other threads have had a chance to run. An atomic operation is on what all threads see.
template <typename T> static volatile T *after_others(const volatile T *address, bool stores = true)
{
    const void *const at = const_cast<const T *>(address);
    stores ? void(before_store(at, sizeof(T), sizeof(T))) : before_load(at, sizeof(T), sizeof(T));
    emulator::show_all(address, sizeof(T));
    return const_cast<volatile T *>(address);
}

constexpr int ORDER = __ATOMIC_SEQ_CST;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void *) {}
void __tsan_read_range(void *address, size_t bytes) { before_load(address, bytes, 1); }
void __tsan_write_range(void *address, size_t bytes) { before_store(address, bytes, 1); }
void __tsan_atomic_thread_fence(int order) { order == ORDER ? emulator::show_all() : emulator::show_block(); }

// Of 16 bytes, g++ knows an alignment of 8; an unaligned_ access may be anywhere.
#define ACCESSES(bytes)                                                                                  \
    void __tsan_read##bytes(void *address) { before_load(address, bytes, bytes > 8 ? 8 : bytes); }       \
    void __tsan_write##bytes(void *address) { before_plain_store(address, bytes, bytes > 8 ? 8 : bytes); } \
    void __tsan_unaligned_read##bytes(void *address) { before_load(address, bytes, 1); }                 \
    void __tsan_unaligned_write##bytes(void *address) { before_plain_store(address, bytes, 1); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define UPDATE(T, atomic, name)                                                       \
    T atomic##_##name(volatile T *p, T value, int) { return __atomic_##name(after_others(p), value, ORDER); }

#define COMPARE(T, atomic, strength)                                                  \
    bool atomic##_compare_exchange_##strength(volatile T *p, T *expected, T value, int, int) \
    {                                                                                 \
        return __atomic_compare_exchange_n(after_others(p), expected, value, false, ORDER, ORDER); \
    }

#define ATOMICS(T, atomic)                                                            \
    T atomic##_load(const volatile T *p, int) { return __atomic_load_n(after_others(p, false), ORDER); } \
    void atomic##_store(volatile T *p, T value, int) { __atomic_store_n(after_others(p), value, ORDER); } \
    T atomic##_exchange(volatile T *p, T value, int) { return __atomic_exchange_n(after_others(p), value, ORDER); } \
    UPDATE(T, atomic, fetch_add)                                                      \
    UPDATE(T, atomic, fetch_sub)                                                      \
    UPDATE(T, atomic, fetch_and)                                                      \
    UPDATE(T, atomic, fetch_or)                                                       \
    UPDATE(T, atomic, fetch_xor)                                                      \
    COMPARE(T, atomic, strong)                                                        \
    COMPARE(T, atomic, weak)

ATOMICS(uint8_t, __tsan_atomic8)
ATOMICS(uint16_t, __tsan_atomic16)
ATOMICS(uint32_t, __tsan_atomic32)
ATOMICS(uint64_t, __tsan_atomic64)

}  // extern "C"
