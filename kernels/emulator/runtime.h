// What the code of a kernel file and the emulator's scheduler (scheduler/) know of each other.

#pragma once

#include <cstdint>

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

namespace emulator {

struct Worker;

// Computes a warp operation's result for one lane from the operands of the lanes that take part.
using Combine = uint64_t (*)(const uint64_t *operands, unsigned taking_part, unsigned lane, int argument);

// A block that is being run.
struct Block {
    uint3 index;
    unsigned threads;       // in the block
    unsigned started;       // of them
    unsigned fibers;        // at work on the block; each holds one started, unfinished thread
    const unsigned *order;  // in which threads start; null: 0, 1, 2 …
};

// A stack, and the thread that is on it. Kernel code reads its indices here.
struct Fiber {
    uint3 thread_index;
    uint3 block_index;
    dim3 block_size, grid_size;
    unsigned thread;   // linear index in the block
    bool suspended;    // this thread has waited before: the scheduler knows of it
    bool preemptible;  // seeded runs: inside a kernel, so that it may be set aside at any memory access
    Block *block;
    Worker *worker;
};

// The fiber that this OS thread runs. The one thread-local pointer that every access to threadIdx goes through: it
// lives in the scheduler's library, so that it costs 8 bytes of static TLS however many kernel files are loaded.
extern thread_local Fiber *here __attribute__((tls_model("initial-exec")));

// A kernel, as its file exports it.
struct Kernel {
    const char *name;
    const char *parameters;                 // one word each: i4, f8, Pi4 (pointer to i4), P (to a struct)
    void (*run_threads)(void **arguments);  // body of a fiber: runs thread after thread
};

void barrier(bool predicate);  // __syncthreads
unsigned barrier_count();      // of the last one: threads whose predicate held
unsigned barrier_arrived();    // and threads that took part
uint64_t warp_operation(unsigned mask, uint64_t operand, int argument, Combine combine);
void finish_suspended();  // a thread that once waited is done
void may_preempt(const void *address);  // seeded runs: before a memory access
[[noreturn]] void fail(const char *message);

// Takes the next thread of the block; false if all are started.
inline bool begin_thread()
{
    Fiber &fiber = *here;
    Block &block = *fiber.block;
    if (block.started == block.threads) return false;
    const unsigned thread = block.order ? block.order[block.started] : block.started;
    block.started++;
    fiber.thread = thread;
    if (fiber.block_size.y * fiber.block_size.z == 1) {
        fiber.thread_index.x = thread;
    } else {
        const unsigned row = thread / fiber.block_size.x;
        fiber.thread_index = {thread % fiber.block_size.x, row % fiber.block_size.y, row / fiber.block_size.y};
    }
#ifdef __SANITIZE_THREAD__
    fiber.preemptible = true;
#endif
    return true;
}

inline void end_thread()
{
#ifdef __SANITIZE_THREAD__
    here->preemptible = false;
#endif
    if (here->suspended) finish_suspended();
}

}  // namespace emulator
