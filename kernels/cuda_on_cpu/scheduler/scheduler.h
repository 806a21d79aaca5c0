// The emulator's scheduler: runs the blocks of a grid on OS threads and the threads of a block on fibers.
//
// A fiber runs the threads of a block one after the other in a plain loop, until one has to wait at __syncthreads or at
// a warp operation. The fiber is then suspended with that thread on its stack, and another fiber runs: one whose wait
// is over, or else a new one, which continues with the next thread. A kernel without barriers thus costs a loop, and
// only waiting threads cost a stack. Each OS thread has its own Worker and shares nothing of it, so it needs no locks.
// If nothing can run while threads still wait, there is a deadlock, and the launch fails.
//
// With a seed, the grid runs on one OS thread. Blocks and threads start in a shuffled order, RESIDENT blocks run at the
// same time, and at every memory access the scheduler may switch to any thread of any of them (see accesses.cpp).
//
// Without a seed, a thread that spins until another one acts is interrupted by a clock, and from then on all threads of
// the launch take turns (see faults.cpp).
//
// The blocks of a cluster run at the same time on one OS thread; so do all blocks of a cooperative launch. Wherever
// several blocks run, __shared__ variables hold the memory of the block that runs, and each other block's is in its
// Resident::shared. map_shared_rank() returns an address there, which is valid for the block that asked: the other
// block's memory is back in the same place whenever this one runs.
//
//   launch.cpp     from a grid to its blocks: OpenMP threads, or a shuffled order
//   blocks.cpp     from a block to its threads; placement of its shared memory
//   fibers.cpp     stacks, and switching between them
//   waiting.cpp    barriers and warp operations
//   accesses.cpp   switches at memory accesses in seeded runs
//   bounds.cpp     accesses to memory that a kernel does not have, in seeded runs
//   late_stores.cpp  stores that reach other threads late in seeded runs
//   guards.cpp     what is stored outside a buffer or a shared array
//   failures.cpp   errors that end a launch
//   faults.cpp     faults of the processor and endless loops, which become such errors
//   undefined.cpp  operations that C++ does not define
//   libraries.cpp  variables of a loaded kernel file

#pragma once

#include "../runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csetjmp>
#include <ctime>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulator {

constexpr unsigned WARP = 32;
constexpr unsigned RESIDENT = 4;  // blocks that run at the same time in a seeded run
constexpr unsigned MAX_THREADS = 1024;  // per block
constexpr size_t MAX_STACKS = 24 * MAX_THREADS;  // of a process: each is two of the 65,530 mappings that Linux allows
constexpr size_t MAX_AT_ONCE = 16 * MAX_THREADS;  // threads of a cooperative launch; as THREADS_AT_ONCE of device.py
constexpr size_t MAX_SHUFFLED = 1u << 28;        // clusters of a seeded launch, whose order takes four bytes each

struct Range {
    char *begin;
    size_t bytes;
};

inline bool holds(Range range, const char *at, size_t bytes)
{
    return at >= range.begin && at + bytes <= range.begin + range.bytes;
}

// An argument of a kernel, counted from 1.
struct Buffer : Range {
    size_t parameter;
};

// Memory that a kernel has: one of the launch's buffers, or another.
struct Place : Range {
    const Buffer *buffer;
};

// What a launch does to a byte of a buffer.
constexpr unsigned char WRITTEN = 1, READ_ONLY = 2;

// What Python asks for; the same as CRequest in device.py.
struct Request {
    const Kernel *kernel;
    void **arguments;
    const Buffer *buffers;  // those among the arguments
    unsigned buffer_count;
    const Range *allocated;  // all buffers of the device, in a seeded run
    size_t allocated_count;
    dim3 grid, block, cluster;
    unsigned dynamic_bytes;
    unsigned cooperative;  // all blocks run at the same time
    unsigned seeded;
    uint64_t seed;
    double patience;  // seconds of processor time without progress, after which a kernel is ended
};

// A running grid.
struct Launch : Request {
    size_t clusters;
    unsigned cluster_blocks;
    int workers = 1;  // OS threads that run it
    size_t block_threads() const { return size_t(block.x) * block.y * block.z; }
    std::vector<uint32_t> cluster_order;  // empty for 0, 1, 2 …
    std::atomic<bool> failed{false};
    std::string error;  // of whoever set `failed` first; read once all threads have ended
};

// SplitMix64 of G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
// It is seeded at each launch, for which the state of a Mersenne Twister is too large.
struct Random {
    using result_type = uint64_t;
    uint64_t state = 0;

    static constexpr uint64_t min() { return 0; }
    static constexpr uint64_t max() { return UINT64_MAX; }
    uint64_t operator()()
    {
        uint64_t mixed = state += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return mixed ^ mixed >> 31;
    }
    // Returns a number less than n, where n fits into 32 bits.
    unsigned pick(size_t n) { return static_cast<unsigned>((operator()() >> 32) * n >> 32); }
};

enum class Wait { NOTHING, BARRIER, WARP, GRID, CLUSTER };

// A store that other threads do not see yet.
struct LateStore {
    char *at;
    size_t bytes;
    char other[16];  // what others see, while those run that see the store; else what is stored

    void exchange();  // between memory and `other`
};

// Those that a fiber, a block or nothing sees. No two of them overlap.
struct LateStores {
    std::vector<LateStore> stores;

    bool add(const LateStore &);
    void exchange();
    void show(const char *at, size_t bytes);
    void show_some(Random &, unsigned stays, bool hidden = false);
};

// The scheduler's data of a fiber.
struct Stack : Fiber {
    jmp_buf context;
    bool entered = false;  // the context is set
    char *bottom = nullptr;
    size_t bytes = 0;
    void *fake_stack = nullptr;  // address sanitizer's
    Wait wait = Wait::NOTHING;
    bool arrived = false;  // between arriving at the barrier of its cluster and waiting there
    uint64_t phase;        // of the cluster's barrier when it arrived
    unsigned mask;
    uint64_t operand, result;
    int argument;
    Combine combine;
    LateStores late;  // seeded runs
};

// The scheduler's data of a block.
struct Resident : Block {
    std::vector<Stack *> suspended;         // by thread; null if not started, running or done
    std::vector<unsigned> shuffled, place;  // the order of threads, and each thread's position in it
    std::vector<char> shared;  // its shared memory with guards, while another block's is in place
    unsigned at_barrier = 0, at_grid = 0, predicates = 0;
    unsigned count = 0, arrived = 0;  // results of the last barrier
    unsigned in_cluster = 0;  // for the first block of a cluster: threads that have arrived at its barrier
    uint64_t phase = 0;       // and how often it was passed
    bool empty = true;
    LateStores late;  // that its threads see
};

// Fibers that may run, in the order in which they became ready.
class Ready {
  public:
    bool empty() const { return size() == 0; }
    size_t size() const { return stacks.size() - taken; }
    void clear()
    {
        stacks.clear();
        taken = 0;
    }
    void push_back(Stack *stack)
    {
        if (2 * taken > stacks.size()) {
            stacks.erase(stacks.begin(), stacks.begin() + ptrdiff_t(taken));
            taken = 0;
        }
        stacks.push_back(stack);
    }
    // Removes one of them; the others keep their order.
    Stack *take(size_t at)
    {
        const auto first = stacks.begin() + ptrdiff_t(taken), place = first + ptrdiff_t(at);
        Stack *const stack = *place;
        if (at < size() / 2) {
            std::move_backward(first, place, place + 1);
            taken++;
        } else
            stacks.erase(place);
        return stack;
    }

  private:
    std::vector<Stack *> stacks;
    size_t taken = 0;  // so many at the front are no longer there
};

// The state of one OS thread.
struct Worker {
    Stack main;  // the OS thread's own stack
    std::vector<std::unique_ptr<Stack>> stacks;
    std::vector<Stack *> idle;
    Ready ready;
    std::vector<Resident> blocks;
    Resident *in_place = nullptr;  // the block whose shared memory and late stores are in place
    std::vector<SharedArray> shared;
    bool take_turns = false;       // several blocks run, and what each one sees is in place while it runs
    Launch *launch = nullptr;
    size_t next_cluster = 0, last_cluster = 0;  // the remaining clusters of its share
    jmp_buf bail;
    Random random;
    unsigned mean_run = 1, run_left = 0;  // memory accesses between preemptions (seeded runs)
    unsigned fairness = 1;  // one switch in as many is to any thread, others to the last that became ready: some starve

    Random late_random;  // apart from `random`: what is late does not change the order of threads
    std::vector<unsigned> mean_gap;  // for each buffer: one store in as many is late; 0 for none
    unsigned stays = 1;              // suspensions until a late store stays for all, on average
    LateStores outlived;             // those of blocks that have ended, which nothing sees

    std::array<Place, 64> places;  // of the last accesses, by address
    std::vector<std::vector<unsigned char>> uses;  // of each buffer's bytes; empty until there is one

    ~Worker();
    unsigned pick(size_t n) { return random.pick(n); }
    // for faults and endless loops
    std::unique_ptr<char[]> signal_stack;
    timer_t clock;
    bool watched = false;  // the clock is set
    bool overdue = false;
    double patience = 0;
    bool in_turns = false;  // threads spin, and the clock lets each one run for a while
    double moved = 0;       // processor seconds at the last look that saw progress
    uint64_t works = 0, barriers = 0, last_progress = 0;
    int fault = 0;
    void *fault_address = nullptr;

    // blocks.cpp
    void work(Launch &, size_t first, size_t last);
    void refill(Resident &);
    void start(Resident &, size_t cluster, unsigned rank);
    bool attach(Stack &);
    void detach(Stack &);
    bool finished() const;
    void put_in_place(Resident &);
    void place_shared(Resident &);
    void poison_shared(Resident &);
    void check_shared(const Resident &);
    // fibers.cpp
    Stack *next(bool fresh_first = false);
    Stack *idle_stack();
    Stack *take_stack();
    void rest();
    void stop_resting();
    void switch_to(Stack *);
    void suspend(bool fresh_first = false);
    // bounds.cpp
    Place &slot(const char *at) { return places[uintptr_t(at) >> 12 & (places.size() - 1)]; }
    const Place &place_of(const char *at, size_t bytes, const char *done);
    bool in_other_shared(const char *at, size_t bytes) const;
    Place look_up(const char *at, size_t bytes, const char *done);
    void note_use(const Buffer &, const char *at, size_t bytes, unsigned char use);
    // late_stores.cpp
    void seed_late_stores(const Launch &);
    void outlive(Resident &);
    // waiting.cpp
    void release_waiting();
    void release_barrier(Resident &);
    bool release_warp(Resident &, const Stack &);
    void release_grid();
    void release_cluster(Resident &);
    void release_all(Resident &, Wait);
    Resident &first_of_cluster(const Resident &);
    // failures.cpp
    [[noreturn]] void give_up(const std::string &message);
    [[noreturn]] void escape(int how);
    void report_fault();
    std::string deadlock();
    void abandon();
    // faults.cpp
    void watch();
    void stop_watching();
    void set_clock();
    double tick() const;
    std::string fault_text() const;
};

inline Stack &running() { return static_cast<Stack &>(*here); }
inline Resident &resident(Fiber &fiber) { return static_cast<Resident &>(*fiber.block); }

void may_be_late(const Buffer &, char *at, size_t bytes);
void show_all(const volatile void *address, size_t bytes);
void show_all();
void show_block();

Worker &this_worker();  // of this OS thread
std::string text(uint3 index);

// The memory before and after the buffers that a launch is given. While the kernel runs, it holds bytes that differ from
// guard to guard: what a thread too many copies from behind one buffer to behind another is found too.
class BufferGuards {
  public:
    BufferGuards(const Buffer *buffers, unsigned count);
    std::string remove();  // restores what was there; returns a message if the kernel has stored there

  private:
    struct Guard {
        Range range;
        const Buffer *buffer;
        unsigned char byte;
        char kept[GUARD_BYTES];
    };
    std::vector<Guard> guards;
};

// Says where a thread has done something beside a range.
std::string outside(const char *done, const std::string &name, Range range, const char *at);

// Returns the first of a guard's bytes that has another value, or null.
const char *altered(Range guard, unsigned char value);

// Tells the address sanitizer whether accesses to a guard are errors.
inline void forbid([[maybe_unused]] Range guard, [[maybe_unused]] bool forbidden = true)
{
#ifdef __SANITIZE_ADDRESS__
    forbidden ? __asan_poison_memory_region(guard.begin, guard.bytes)
              : __asan_unpoison_memory_region(guard.begin, guard.bytes);
#endif
}

}  // namespace emulator
