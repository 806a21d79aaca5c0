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

#include "runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
constexpr size_t STACK_BYTES = 256 << 10;
#else
constexpr size_t STACK_BYTES = 64 << 10;
#endif

namespace emulator {

thread_local Fiber *here = nullptr;

constexpr unsigned WARP = 32;
constexpr unsigned RESIDENT = 4;  // blocks under way at once in a seeded run
constexpr unsigned char POISON = 0xCD;
constexpr size_t DYNAMIC_SHARED_BYTES = 232448;  // storage of a dynamic array; as in build.py

// A grid on its way.
struct Launch {
    const Kernel *kernel;
    void **arguments;
    dim3 grid, block;
    size_t blocks, chunk;
    std::vector<uint32_t> block_order;  // empty: 0, 1, 2 …
    bool seeded;
    uint64_t seed;
    size_t dynamic_bytes;
    void *(*dynamic_storage)();
    std::atomic<size_t> next_block{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::string error;
};

enum class Wait { NOTHING, BARRIER, WARP };

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

struct Resident : Block {
    std::vector<Stack *> suspended;  // by thread; null: not started, running or done
    std::vector<unsigned> shuffled;
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

struct Worker {
    Stack main;
    std::vector<std::unique_ptr<Stack>> stacks;
    std::vector<Stack *> idle;
    std::deque<Stack *> ready;
    std::vector<Resident> blocks;
    Resident *in_place = nullptr;  // the block whose shared memory is in place
    std::vector<Range> shared;     // empty if no blocks have to take turns
    Launch *launch = nullptr;
    size_t next_block = 0, last_block = 0;  // of the chunk taken
    jmp_buf bail;
    std::mt19937_64 random;
    unsigned mean_run = 1, run_left = 0;  // memory accesses from one preemption to the next (seeded runs)

    unsigned pick(size_t n) { return static_cast<unsigned>(random() % n); }
    void work(Launch &);
    bool refill(Resident &);
    bool attach(Stack &);
    void detach(Stack &);
    bool finished() const;
    Stack *next();
    Stack *idle_stack();
    void switch_to(Stack *);
    void suspend();
    void release_waiting();
    void release_barrier(Resident &);
    bool release_warp(Resident &, const Stack &);
    void place_shared(Resident *);
    [[noreturn]] void give_up(const std::string &message);
    std::string deadlock();
};

static Stack &running() { return static_cast<Stack &>(*here); }
static Resident &resident(Fiber &fiber) { return static_cast<Resident &>(*fiber.block); }

// ---- blocks ----

// Puts the next block of the grid into the place of a finished one.
bool Worker::refill(Resident &block)
{
    block.empty = true;
    if (next_block == last_block) {
        next_block = launch->next_block.fetch_add(launch->chunk, std::memory_order_relaxed);
        last_block = std::min(next_block + launch->chunk, launch->blocks);
        if (next_block >= last_block || launch->failed.load(std::memory_order_relaxed)) {
            next_block = last_block = 0;
            return false;
        }
    }
    size_t index = next_block++;
    if (launch->seeded) index = launch->block_order[index];
    const dim3 grid = launch->grid, size = launch->block;
    block.index = {unsigned(index % grid.x), unsigned(index / grid.x % grid.y), unsigned(index / grid.x / grid.y)};
    block.threads = size.x * size.y * size.z;
    block.started = block.fibers = block.at_barrier = block.predicates = 0;
    block.order = nullptr;
    block.empty = false;
    if (launch->seeded) {
        block.shuffled.resize(block.threads);
        std::iota(block.shuffled.begin(), block.shuffled.end(), 0);
        std::shuffle(block.shuffled.begin(), block.shuffled.end(), random);
        block.order = block.shuffled.data();
        size_t bytes = 0;
        for (const Range &range : shared) bytes += range.bytes;
        block.shared.assign(bytes, POISON);
        if (in_place == &block) in_place = nullptr;
    }
    return true;
}

// Gives a fiber a block that has threads to start; false if there is none.
bool Worker::attach(Stack &fiber)
{
    Resident *found = nullptr;
    const size_t first = launch->seeded ? pick(blocks.size()) : 0;
    for (size_t i = 0; i < blocks.size() && !found; i++) {
        Resident &block = blocks[(first + i) % blocks.size()];
        if (!block.empty && block.started < block.threads) found = &block;
    }
    if (!found) return false;
    found->fibers++;
    fiber.block = found;
    fiber.block_index = found->index;
    fiber.block_size = launch->block;
    fiber.grid_size = launch->grid;
    fiber.thread_index = {0, 0, 0};
    fiber.suspended = false;
    fiber.preemptible = false;
    if (!shared.empty()) place_shared(found);
    return true;
}

// A fiber's block has no more threads to start, and its own are done.
void Worker::detach(Stack &fiber)
{
    Resident &block = resident(fiber);
    fiber.block = nullptr;
    if (--block.fibers == 0)
        refill(block);
    else if (block.at_barrier == block.fibers)
        release_barrier(block);
}

bool Worker::finished() const
{
    return std::all_of(blocks.begin(), blocks.end(), [](const Resident &block) { return block.empty; });
}

// Brings the shared memory of a block to where its code looks for it.
void Worker::place_shared(Resident *block)
{
    if (block == in_place) return;
    const auto move = [this](auto copy) {
        size_t offset = 0;
        for (const Range &range : shared) {
            copy(range, offset);
            offset += range.bytes;
        }
    };
    if (in_place)
        move([&](const Range &r, size_t at) { memcpy(in_place->shared.data() + at, r.begin, r.bytes); });
    move([&](const Range &r, size_t at) { memcpy(r.begin, block->shared.data() + at, r.bytes); });
    in_place = block;
}

// ---- fibers ----

static void fiber_main()
{
    Stack &self = running();
    Worker &worker = *self.worker;
#ifdef __SANITIZE_ADDRESS__
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
    if (!worker.main.bottom) {  // the first switch of all comes from the main fiber
        worker.main.bottom = static_cast<char *>(const_cast<void *>(bottom));
        worker.main.bytes = bytes;
    }
#endif
    for (;;) {
        worker.launch->kernel->run_threads(worker.launch->arguments);
        worker.detach(self);
        worker.idle.push_back(&self);
        worker.switch_to(worker.next());
    }
}

Stack *Worker::idle_stack()
{
    if (idle.empty()) {
        const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        void *memory = mmap(nullptr, STACK_BYTES + page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) give_up("no memory for the stack of another waiting thread");
        mprotect(memory, page, PROT_NONE);  // an overflow faults instead of writing elsewhere
        stacks.push_back(std::make_unique<Stack>());
        Stack &stack = *stacks.back();
        stack.bottom = static_cast<char *>(memory) + page;
        stack.bytes = STACK_BYTES;
        stack.worker = this;
        return &stack;
    }
    Stack *stack = idle.back();
    idle.pop_back();
    return stack;
}

// Which fiber goes on: one whose wait is over, else a fresh thread. At the end it is the main one.
Stack *Worker::next()
{
    for (bool released = false;; released = true) {
        const bool fresh = std::any_of(blocks.begin(), blocks.end(), [](const Resident &block) {
            return !block.empty && block.started < block.threads;
        });
        if (!ready.empty() && !(launch->seeded && fresh && pick(2))) {
            if (launch->seeded) std::swap(ready.front(), ready[pick(ready.size())]);
            Stack *stack = ready.front();
            ready.pop_front();
            return stack;
        }
        if (fresh) {
            Stack *stack = idle_stack();
            attach(*stack);
            return stack;
        }
        if (finished()) return &main;
        if (released) give_up(deadlock());
        release_waiting();
    }
}

void Worker::switch_to(Stack *to)
{
    Stack *from = &running();
    if (to == from) return;
    here = to;
    if (!shared.empty() && to->block) place_shared(&resident(*to));
    if (_setjmp(from->context) == 0) {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->bytes);
#endif
        if (to->entered || to == &main) _longjmp(to->context, 1);
        to->entered = true;
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = to->bottom;
        context.uc_stack.ss_size = to->bytes;
        context.uc_link = nullptr;
        makecontext(&context, fiber_main, 0);
        setcontext(&context);
    }
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
#endif
}

// Sets the running thread aside and lets another one run.
void Worker::suspend()
{
    Stack &self = running();
    self.suspended = true;
    resident(self).suspended[self.thread] = &self;
    switch_to(next());
}

void finish_suspended()
{
    Stack &self = running();
    resident(self).suspended[self.thread] = nullptr;
    self.suspended = false;
}

// ---- waiting ----

void Worker::release_barrier(Resident &block)
{
    block.count = block.predicates;
    block.arrived = block.at_barrier;
    block.predicates = block.at_barrier = 0;
    for (Stack *stack : block.suspended) {
        if (stack && stack->wait == Wait::BARRIER) {
            stack->wait = Wait::NOTHING;
            ready.push_back(stack);
        }
    }
}

static bool has_started(const Block &block, unsigned thread)
{
    if (!block.order) return thread < block.started;
    const unsigned *const end = block.order + block.started;
    return std::find(block.order, end, thread) != end;
}

// Completes the warp operation that a fiber waits at, if all lanes of its mask are there or done.
bool Worker::release_warp(Resident &block, const Stack &waiting)
{
    const unsigned first = waiting.thread / WARP * WARP;
    uint64_t operands[WARP];
    unsigned taking_part = 0;
    for (unsigned lane = WARP; lane-- > 0;) {
        const unsigned thread = first + lane;
        if (!(waiting.mask >> lane & 1) || thread >= block.threads) continue;
        const Stack *stack = block.suspended[thread];
        if (!stack) {
            if (!has_started(block, thread)) return false;
            continue;  // done: it does not count
        }
        const bool at_the_same = stack->mask == waiting.mask && stack->combine == waiting.combine;
        if (stack->wait != Wait::WARP || !at_the_same) return false;
        operands[lane] = stack->operand;
        taking_part |= 1u << lane;
    }
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(taking_part >> lane & 1)) continue;
        Stack *stack = block.suspended[first + lane];
        stack->result = stack->combine ? stack->combine(operands, taking_part, lane, stack->argument) : 0;
        stack->wait = Wait::NOTHING;
        if (stack != &running()) ready.push_back(stack);
    }
    return true;
}

// Nothing can run: looks for waits that ended because other threads are done.
void Worker::release_waiting()
{
    for (Resident &block : blocks) {
        if (block.empty) continue;
        for (Stack *stack : block.suspended)
            if (stack && stack->wait == Wait::WARP) release_warp(block, *stack);
    }
}

void barrier(bool predicate)
{
    Stack &self = running();
    Resident &block = resident(self);
    block.at_barrier++;
    block.predicates += predicate;
    if (block.at_barrier == block.fibers && block.started == block.threads) {
        self.worker->release_barrier(block);
        return;
    }
    self.wait = Wait::BARRIER;
    self.worker->suspend();
}

unsigned barrier_count() { return resident(*here).count; }
unsigned barrier_arrived() { return resident(*here).arrived; }

uint64_t warp_operation(unsigned mask, uint64_t operand, int argument, Combine combine)
{
    Stack &self = running();
    Resident &block = resident(self);
    if (!(mask >> self.thread % WARP & 1)) fail("a lane calls a warp operation whose mask leaves it out");
    self.wait = Wait::WARP;
    self.mask = mask;
    self.operand = operand;
    self.argument = argument;
    self.combine = combine;
    self.suspended = true;
    block.suspended[self.thread] = &self;
    if (!self.worker->release_warp(block, self)) self.worker->suspend();
    return self.result;
}

// A kernel is about to access memory, in a seeded run: perhaps others go on first.
void may_preempt(const void *address)
{
    if (!here || !here->preemptible) return;
    Stack &self = running();
    Worker &worker = *self.worker;
    const char *const byte = static_cast<const char *>(address);
    if (byte >= self.bottom && byte < self.bottom + self.bytes) return;  // its own stack: nobody else's business
    if (worker.run_left-- > 0) return;
    worker.run_left = worker.pick(2 * worker.mean_run);
    worker.ready.push_back(&self);
    worker.suspend();
}

// ---- failing ----

static std::string text(uint3 index)
{
    char buffer[48];
    snprintf(buffer, sizeof buffer, "(%u, %u, %u)", index.x, index.y, index.z);
    return buffer;
}

std::string Worker::deadlock()
{
    std::string message;
    for (Resident &block : blocks) {
        if (block.empty || !message.empty()) continue;
        message = "deadlock in block " + text(block.index) + ":";
        const Stack *at_barrier = nullptr, *in_warp = nullptr;
        for (Stack *stack : block.suspended) {
            if (stack && stack->wait == Wait::BARRIER && !at_barrier) at_barrier = stack;
            if (stack && stack->wait == Wait::WARP && !in_warp) in_warp = stack;
        }
        if (at_barrier) message += " thread " + text(at_barrier->thread_index) + " waits at __syncthreads";
        if (in_warp) {
            char mask[16];
            snprintf(mask, sizeof mask, "0x%08x", in_warp->mask);
            message += std::string(at_barrier ? ", " : " ") + "thread " + text(in_warp->thread_index) +
                       " at a warp operation with mask " + mask;
        }
        message += "; not all the threads they wait for come there";
    }
    return message;
}

void Worker::give_up(const std::string &message)
{
    {
        std::lock_guard lock(launch->mutex);
        if (!launch->failed.exchange(true)) launch->error = message;
    }
#ifdef __SANITIZE_ADDRESS__
    if (here != &main) __sanitizer_start_switch_fiber(nullptr, main.bottom, main.bytes);
#endif
    _longjmp(bail, here == &main ? 1 : 2);
}

void fail(const char *message)
{
    Stack &self = running();
    self.worker->give_up(std::string(message) + ", in block " + text(self.block_index) + ", thread " +
                         text(self.thread_index));
}

// ---- launching ----

// One OS thread's share of a grid.
void Worker::work(Launch &grid)
{
    launch = &grid;
    blocks.resize(launch->seeded ? RESIDENT : 1);
    for (Resident &block : blocks) {
        if (block.suspended.size() < 1024) block.suspended.resize(1024);
        refill(block);
    }
#ifdef __SANITIZE_ADDRESS__
    char *const dynamic = static_cast<char *>(launch->dynamic_storage());
    if (dynamic) {  // what the launch did not ask for is out of bounds
        __asan_unpoison_memory_region(dynamic, DYNAMIC_SHARED_BYTES);
        __asan_poison_memory_region(dynamic + launch->dynamic_bytes, DYNAMIC_SHARED_BYTES - launch->dynamic_bytes);
    }
#endif
    if (const int how = _setjmp(bail)) {
#ifdef __SANITIZE_ADDRESS__
        if (how == 2) __sanitizer_finish_switch_fiber(main.fake_stack, nullptr, nullptr);
#endif
        (void)how;
        idle.clear();  // every fiber starts anew: some were left in the middle of a kernel
        for (const auto &stack : stacks) {
            stack->entered = false;
            idle.push_back(stack.get());
        }
        ready.clear();
        next_block = last_block = 0;
        for (Resident &block : blocks) {
            std::fill(block.suspended.begin(), block.suspended.end(), nullptr);
            block.empty = true;
        }
        here = &main;
        return;
    }
    while (attach(main)) {
        launch->kernel->run_threads(launch->arguments);
        detach(main);
    }
    if (!finished()) switch_to(next());
}

static Worker &this_worker()
{
    if (!here) {
        Worker *worker = new Worker;  // for the life of the OS thread
        worker->main.worker = worker;
        here = &worker->main;
    }
    return *here->worker;
}

// What is known of a loaded library: where it lies, its thread-local memory on this OS thread, and what it may
// write, but for the part that the loader has made read-only again.
struct Library {
    const void *inside = nullptr;  // an address in it, by which it is found
    Range thread_local_part{nullptr, 0}, variables{nullptr, 0};
};

static Library find_library(const void *inside)
{
    Library library;
    library.inside = inside;
    const auto visit = [](dl_phdr_info *info, size_t, void *data) {
        auto &wanted = *static_cast<Library *>(data);
        Range writable{nullptr, 0};
        char *read_only_end = nullptr;
        size_t thread_local_bytes = 0;
        bool holds = false;
        for (int i = 0; i < info->dlpi_phnum; i++) {
            const ElfW(Phdr) &header = info->dlpi_phdr[i];
            char *const begin = reinterpret_cast<char *>(info->dlpi_addr + header.p_vaddr);
            if (header.p_type == PT_LOAD && wanted.inside >= begin && wanted.inside < begin + header.p_memsz)
                holds = true;
            if (header.p_type == PT_LOAD && header.p_flags & PF_W) writable = {begin, header.p_memsz};
            if (header.p_type == PT_GNU_RELRO) read_only_end = begin + header.p_memsz;
            if (header.p_type == PT_TLS) thread_local_bytes = header.p_memsz;
        }
        if (!holds) return 0;
        if (thread_local_bytes)
            wanted.thread_local_part = {static_cast<char *>(info->dlpi_tls_data), thread_local_bytes};
        char *const begin = std::max(writable.begin, read_only_end), *end = writable.begin + writable.bytes;
        if (begin < end) wanted.variables = {begin, size_t(end - begin)};
        return 1;
    };
    dl_iterate_phdr(visit, &library);
    return library;
}

// The __shared__ variables of the library that a kernel belongs to: all of its thread-local memory, but of the
// dynamic array only what the launch asked for.
static std::vector<Range> shared_ranges(const Launch &launch)
{
    char *dynamic = static_cast<char *>(launch.dynamic_storage());  // which makes this thread's copy of it exist
    const Range all = find_library(reinterpret_cast<const void *>(launch.kernel->run_threads)).thread_local_part;
    if (!all.begin) return {};
    if (!dynamic) return {all};
    char *const unused = dynamic + launch.dynamic_bytes, *const used_again = dynamic + DYNAMIC_SHARED_BYTES;
    return {{all.begin, size_t(unused - all.begin)}, {used_again, size_t(all.begin + all.bytes - used_again)}};
}

static unsigned usable_cores()
{
    static const unsigned cores = [] {
        cpu_set_t set;
        return sched_getaffinity(0, sizeof set, &set) ? 1u : static_cast<unsigned>(CPU_COUNT(&set));
    }();
    return cores;
}

static void run_seeded(Launch &launch)
{
    Worker &worker = this_worker();
    worker.random.seed(launch.seed);
    worker.mean_run = 1u << worker.pick(9);
    worker.run_left = worker.pick(2 * worker.mean_run);
    launch.chunk = 1;
    launch.block_order.resize(launch.blocks);
    std::iota(launch.block_order.begin(), launch.block_order.end(), 0);
    std::shuffle(launch.block_order.begin(), launch.block_order.end(), worker.random);
    worker.shared = shared_ranges(launch);
    worker.in_place = nullptr;
    worker.work(launch);
    worker.shared.clear();
}

// OS threads that help with a grid, if they wake up before it is done. A launch waits for helpers that have joined,
// never for one that the operating system has yet to schedule. OpenMP's barriers do wait for all: on a machine with
// other work, a launch of 0.4 ms then takes 8.
class Helpers {
public:
    void run(Launch &launch)
    {
        std::lock_guard one_at_a_time(launching);
        {
            std::lock_guard lock(mutex);
            for (; started < available; started++) std::thread([this] { help(); }).detach();
            current = &launch;
            wanted = static_cast<unsigned>(std::min<size_t>(available, launch.blocks - 1));
        }
        wake.notify_all();
        this_worker().work(launch);
        std::unique_lock lock(mutex);
        wanted = 0;
        done.wait(lock, [this] { return at_work == 0; });
    }

private:
    void help()
    {
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [this] { return wanted > 0; });
            wanted--;
            at_work++;
            lock.unlock();
            this_worker().work(*current);
            lock.lock();
            if (--at_work == 0) done.notify_one();
        }
    }

    const unsigned available = usable_cores() - 1;
    std::mutex launching;  // Python threads may come here together
    std::mutex mutex;      // of what follows
    std::condition_variable wake, done;
    Launch *current = nullptr;
    unsigned started = 0, wanted = 0, at_work = 0;
};

static void run_parallel(Launch &launch)
{
    static Helpers &helpers = *new Helpers;  // never destroyed: its threads wait in it until the process ends
    launch.chunk = std::clamp<size_t>(launch.blocks / (usable_cores() * 8), 1, 64);
    if (launch.blocks == 1)
        this_worker().work(launch);
    else
        helpers.run(launch);
}

}  // namespace emulator

// Gives the __constant__ and __device__ variables of a library, named by a function of it, the values that they had
// when it was first loaded, as CUDA does for a module that is loaded anew.
extern "C" __attribute__((no_sanitize("address"))) void emulator_reset(const void *function)
{
    static std::mutex mutex;
    static auto &first = *new std::map<const void *, std::vector<char>>;
    const std::lock_guard lock(mutex);
    const emulator::Range now = emulator::find_library(function).variables;
    const auto [saved, is_new] = first.try_emplace(function, now.bytes);
    volatile char *const here = now.begin;  // volatile: no memcpy, which minds the sanitizer's marks between variables
    for (size_t i = 0; i < now.bytes; i++) {
        if (is_new)
            saved->second[i] = here[i];
        else
            here[i] = saved->second[i];
    }
}

// Finds a __constant__ or __device__ variable in a library that dlopen has returned; null if there is none.
extern "C" void *emulator_symbol(void *library, const char *name, size_t *bytes)
{
    void *address = dlsym(library, name);
    Dl_info info;
    void *found = nullptr;
    if (!address || !dladdr1(address, &info, &found, RTLD_DL_SYMENT)) return nullptr;
    const auto *symbol = static_cast<const ElfW(Sym) *>(found);
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT) return nullptr;
    *bytes = symbol->st_size;
    return address;
}

// Runs a whole grid. Returns 0, or 1 with a message in `error`.
extern "C" int emulator_launch(const emulator::Kernel *kernel, void *(*dynamic_storage)(), const unsigned *grid,
                               const unsigned *block, unsigned dynamic_bytes, void **arguments, int seeded,
                               unsigned long long seed, char *error, size_t error_bytes)
{
    using namespace emulator;
    Launch launch;
    launch.kernel = kernel;
    launch.arguments = arguments;
    launch.grid = {grid[0], grid[1], grid[2]};
    launch.block = {block[0], block[1], block[2]};
    launch.blocks = size_t(grid[0]) * grid[1] * grid[2];
    launch.seeded = seeded;
    launch.seed = seed;
    launch.dynamic_bytes = dynamic_bytes;
    launch.dynamic_storage = dynamic_storage;
    seeded ? run_seeded(launch) : run_parallel(launch);
    if (!launch.failed) return 0;
    snprintf(error, error_bytes, "%s", launch.error.c_str());
    return 1;
}
