// The emulator's scheduler: runs the blocks of a grid on OS threads and the threads of a block on fibers.
//
// A fiber runs thread after thread of a block in a plain loop, until one has to wait: at __syncthreads or at a warp
// operation. The fiber is then set aside with that thread on its stack, and another one takes over: one whose wait
// is over, else a fresh one that goes on with the next thread. So a kernel without barriers costs a loop, and only
// threads that wait cost a stack. Each OS thread has its own Worker and nothing of it is shared, so there are no
// locks. If nothing can run and threads still wait, that is a deadlock, and the launch fails.
//
// With a seed the grid runs on one OS thread: blocks and threads start in a shuffled order, RESIDENT blocks are
// under way at once, and at every memory access any thread of any of them may go on instead (see accesses.cpp).
//
// A thread that waits in a loop for a later thread of its own block waits for ever, unless there is a seed: use
// barriers and warp operations to wait, as the kernels of this project do.
//
// Later: persistent kernels that hold a barrier across blocks need all blocks resident, as the seeded run has
// RESIDENT of them; clusters likewise. With one OS thread a resident block, static __shared__ works as it does now.
//
//   launch.cpp     from a grid to its blocks: OpenMP threads, or a shuffled order
//   blocks.cpp     from a block to its threads; where its shared memory lies
//   fibers.cpp     stacks, and switching from one to another
//   waiting.cpp    barriers and warp operations
//   accesses.cpp   a seeded run's switches at memory accesses
//   failures.cpp   what ends a launch with an error
//   libraries.cpp  variables of a loaded kernel file

#pragma once

#include "../runtime.h"

#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulator {

constexpr unsigned WARP = 32;
constexpr unsigned RESIDENT = 4;  // blocks under way at once in a seeded run
constexpr unsigned MAX_THREADS = 1024;  // of a block
constexpr size_t DYNAMIC_SHARED_BYTES = 232448;  // storage of a dynamic array; as in build.py

// A grid on its way.
struct Launch {
    const Kernel *kernel;
    void **arguments;
    dim3 grid, block;
    size_t blocks;
    std::vector<uint32_t> block_order;  // empty: 0, 1, 2 …
    bool seeded;
    uint64_t seed;
    size_t dynamic_bytes;
    void *(*dynamic_storage)();
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::string error;
};

enum class Wait { NOTHING, BARRIER, WARP };

// A fiber as the scheduler knows it.
struct Stack : Fiber {
    jmp_buf context;
    bool entered = false;  // its context is set
    char *bottom = nullptr;
    size_t bytes = 0;
    void *fake_stack = nullptr;  // address sanitizer's
    Wait wait = Wait::NOTHING;
    unsigned mask;
    uint64_t operand, result;
    int argument;
    Combine combine;
};

// A block as the scheduler knows it.
struct Resident : Block {
    std::vector<Stack *> suspended;         // by thread; null: not started, running or done
    std::vector<unsigned> shuffled, place;  // the order of threads, and each thread's place in it
    std::vector<char> shared;  // its shared memory, while another block's is in place
    unsigned at_barrier = 0, predicates = 0;
    unsigned count = 0, arrived = 0;  // of the barrier last passed
    bool empty = true;
};

// One piece of memory that holds __shared__ variables.
struct Range {
    char *begin;
    size_t bytes;
};

// What runs on one OS thread.
struct Worker {
    Stack main;  // the OS thread's own
    std::vector<std::unique_ptr<Stack>> stacks;
    std::vector<Stack *> idle;
    std::deque<Stack *> ready;
    std::vector<Resident> blocks;
    Resident *in_place = nullptr;  // the block whose shared memory is in place
    std::vector<Range> shared;     // empty if no blocks have to take turns
    Launch *launch = nullptr;
    size_t next_block = 0, last_block = 0;  // what is left of its share
    jmp_buf bail;
    std::mt19937_64 random;
    unsigned mean_run = 1, run_left = 0;  // memory accesses from one preemption to the next (seeded runs)

    ~Worker();
    unsigned pick(size_t n) { return static_cast<unsigned>(random() % n); }
    // blocks.cpp
    void work(Launch &, size_t first, size_t last);
    void refill(Resident &);
    bool attach(Stack &);
    void detach(Stack &);
    bool finished() const;
    void place_shared(Resident *);
    // fibers.cpp
    Stack *next();
    Stack *idle_stack();
    void switch_to(Stack *);
    void suspend();
    // waiting.cpp
    void release_waiting();
    void release_barrier(Resident &);
    bool release_warp(Resident &, const Stack &);
    // failures.cpp
    [[noreturn]] void give_up(const std::string &message);
    std::string deadlock();
    void abandon();
};

inline Stack &running() { return static_cast<Stack &>(*here); }
inline Resident &resident(Fiber &fiber) { return static_cast<Resident &>(*fiber.block); }

Worker &this_worker();  // of this OS thread

// What is known of a loaded library: where it lies, its thread-local memory on this OS thread, and what it may
// write, but for the part that the loader has made read-only again.
struct Library {
    const void *inside = nullptr;  // an address in it, by which it is found
    Range thread_local_part{nullptr, 0}, variables{nullptr, 0};
};

Library find_library(const void *inside);

}  // namespace emulator
