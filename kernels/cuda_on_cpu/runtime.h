// The interface between the code of a kernel file and the emulator's scheduler (scheduler/).

#pragma once

#include <cstddef>
#include <cstdint>

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

namespace emulator {

struct Worker;

// Computes the result of a warp operation for one lane, from the operands of all lanes that take part.
using Combine = uint64_t (*)(const uint64_t *operands, unsigned taking_part, unsigned lane, int argument);

// A running block.
struct Block {
    uint3 index;
    unsigned cluster_rank, cluster_blocks;  // its place in its cluster, and the size of that
    unsigned threads;       // number of threads in the block
    unsigned started;       // number of them that have started
    unsigned fibers;        // number of fibers on the block; each holds one started, unfinished thread
    const unsigned *order;  // order in which threads start; null for 0, 1, 2 …
};

// A stack and the thread that runs on it. Kernel code reads its indices here.
struct Fiber {
    uint3 thread_index;
    uint3 block_index;
    dim3 block_size, grid_size;
    unsigned thread;   // linear index in the block
    bool suspended;    // this thread has waited before, so the scheduler has registered it
    volatile bool preemptible;  // it is inside a kernel, where others may run: at a memory access, or after a tick
    Block *block;
    Worker *worker;
};

// The fiber that this OS thread runs. Every access to threadIdx goes through this thread-local pointer. It is defined
// in the scheduler's library, so that it takes 8 bytes of static TLS regardless of the number of loaded kernel files.
extern thread_local Fiber *here __attribute__((tls_model("initial-exec")));

constexpr unsigned GUARD_BYTES = 256;  // before and after each buffer and each array in shared memory; as in assembly.py
constexpr unsigned char POISON = 0xCD;  // value of uninitialised bytes; as in emulator.py

// A variable in shared memory, as this OS thread sees it.
struct SharedArray {
    const char *name;
    char *begin;
    size_t bytes;  // 0 for a dynamic array
};

// The shared memory of a kernel.
struct Shared {
    unsigned static_bytes, arrays;
    void (*find)(SharedArray *);
};

// The type of a kernel's parameter: of a number or of what a pointer points to, 0 if that is no number.
struct Parameter {
    bool pointer;
    char kind;
    unsigned bytes;
};

// Returns a word for each parameter, as Kernel has them; allocated and never freed.
const char *words(const Parameter *, unsigned count);

// A kernel as exported by its file.
struct Kernel {
    const char *name;
    const char *parameters;                 // one word per parameter: i4, f8, Pi4 (pointer to i4), P (to a struct)
    void (*run_threads)(void **arguments);  // body of a fiber: runs one thread after the other
    const Shared *shared;
    unsigned static_bytes;  // of shared memory
    unsigned most_threads;  // per block: __launch_bounds__
    dim3 cluster;           // __cluster_dims__; 0 if there is none
};

void barrier(bool predicate);  // __syncthreads
unsigned barrier_count();      // last barrier: number of threads whose predicate was true
unsigned barrier_arrived();    // last barrier: number of threads that took part
void grid_barrier();
bool is_cooperative();
void cluster_arrive();
void cluster_wait();
void *map_shared(void *address, unsigned rank);  // the same variable of another block of the cluster
void let_others_run();
void read_only(const void *address, size_t bytes);  // before a load by the cache that sees no store: seeded runs
uint64_t warp_operation(unsigned mask, uint64_t operand, int argument, Combine combine);
void finish_suspended();  // called when a thread that has waited ends
[[noreturn]] void fail(const char *message);

// Runs the threads of the block that have not started, one after the other. What the loop needs is kept in local
// variables: a kernel's stores may change any other memory, so the compiler would load it again for each thread.
template <typename Body> inline void run_each_thread(Body body)
{
    Fiber &fiber = *here;
    Block &block = *fiber.block;
    const unsigned threads = block.threads, *const order = block.order;
    const dim3 size = fiber.block_size;
    const bool one_row = size.y * size.z == 1;
    unsigned next = block.started;
    while (next < threads) {
        const unsigned thread = order ? order[next] : next;
        block.started = ++next;
        fiber.thread = thread;
        if (one_row)
            fiber.thread_index.x = thread;
        else
            fiber.thread_index = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
        asm volatile("" ::: "memory");  // the clock finds all of the above done
        fiber.preemptible = true;
        body();
        fiber.preemptible = false;
        asm volatile("" ::: "memory");
        if (fiber.suspended) {
            finish_suspended();
            next = block.started;  // other fibers have started threads in the meantime
        }
    }
}

}  // namespace emulator
