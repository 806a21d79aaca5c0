// Stacks, and switching between them.

#include "scheduler.h"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <mutex>

namespace emulator {

#ifdef __SANITIZE_ADDRESS__
constexpr size_t STACK_BYTES = 256 << 10;
#else
constexpr size_t STACK_BYTES = 64 << 10;
#endif

// Without the model, again, g++ takes the one of its flags: a call at each memory access of a seeded run.
thread_local Fiber *here __attribute__((tls_model("initial-exec"))) = nullptr;

// Makes a fiber of this OS thread's own stack, whose place it asks for.
static void take_own_stack(Stack &main)
{
    pthread_attr_t attributes;
    void *bottom = nullptr;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &bottom, &main.bytes);
    pthread_attr_destroy(&attributes);
    main.bottom = static_cast<char *>(bottom);
}

Worker &this_worker()
{
    static thread_local std::unique_ptr<Worker> own;
    if (!own) {
        own = std::make_unique<Worker>();
        own->main.worker = own.get();
        take_own_stack(own->main);
        here = &own->main;
    }
    return *own;
}

static std::atomic<size_t> mapped{0};  // stacks of all OS threads
static std::mutex resting_lock;
static std::vector<Worker *> resting;               // those of OS threads that run no kernel
static std::vector<std::unique_ptr<Stack>> spare;  // stacks of none

// A process may fork while another of its threads holds the lock.
[[maybe_unused]] static const int unlocked_in_children =
    pthread_atfork([] { resting_lock.lock(); }, [] { resting_lock.unlock(); }, [] { resting_lock.unlock(); });

static size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

Worker::~Worker()
{
    stop_watching();
    const std::lock_guard<std::mutex> held(resting_lock);
    resting.erase(std::remove(resting.begin(), resting.end(), this), resting.end());
    for (auto &stack : stacks) spare.push_back(std::move(stack));
}

static void fiber_main()
{
    Stack &self = running();
    Worker &worker = *self.worker;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
    for (;;) {
        worker.launch->kernel->run_threads(worker.launch->arguments);
        show_block();
        worker.detach(self);
        worker.idle.push_back(&self);
        worker.switch_to(worker.next());
    }
}

// Takes back what this worker had, but for what its launch cannot need where its other OS threads may lack it.
void Worker::stop_resting()
{
    const size_t needed = std::max<size_t>(MAX_THREADS, blocks.size() * launch->block_threads());
    const std::lock_guard<std::mutex> held(resting_lock);
    resting.erase(std::remove(resting.begin(), resting.end(), this), resting.end());
    if (mapped + launch->workers * needed > MAX_STACKS)
        for (; stacks.size() > needed; stacks.pop_back()) spare.push_back(std::move(stacks.back()));
    if (idle.size() == stacks.size()) return;  // none was taken, and no launch was abandoned
    idle.clear();
    for (const auto &stack : stacks) idle.push_back(stack.get());
}

void Worker::rest()
{
    const std::lock_guard<std::mutex> held(resting_lock);
    resting.push_back(this);
}

// Takes over a spare stack, or one of a worker that rests if no more can be mapped; returns null if there is none. Its
// fiber starts anew, on this OS thread.
Stack *Worker::take_stack()
{
    const std::lock_guard<std::mutex> held(resting_lock);
    auto *from = &spare;
    for (Worker *const worker : resting)
        if (from->empty() && mapped >= MAX_STACKS) from = &worker->stacks;
    if (from->empty()) return nullptr;
    stacks.push_back(std::move(from->back()));
    from->pop_back();
    Stack *const stack = stacks.back().get();
    stack->worker = this;
    stack->entered = false;
    return stack;
}

Stack *Worker::idle_stack()
{
    if (idle.empty()) {
        if (Stack *const stack = take_stack()) return stack;
        if (mapped >= MAX_STACKS) {
            give_up("more than " + std::to_string(MAX_STACKS) + " threads of this process wait at the same time: " +
                    "launch smaller blocks, or one kernel at a time");
        }
        const size_t page = page_bytes();
        void *memory = mmap(nullptr, STACK_BYTES + page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE))  // an overflow faults, and overwrites nothing
            give_up("no memory for the stack of another waiting thread");
        mapped++;
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

// Returns the fiber that runs next: one whose wait is over, else one with a new thread, and at the end the main fiber.
// A thread that lets others run asks for a new one first.
Stack *Worker::next(bool fresh_first)
{
    for (bool released = false;; released = true) {
        const bool fresh = std::any_of(blocks.begin(), blocks.end(), [](const Resident &block) {
            return !block.empty && block.started < block.threads;
        });
        if (!ready.empty() && !(fresh && (fresh_first || (launch->seeded && pick(2))))) {
            size_t at = 0;
            if (launch->seeded) at = pick(fairness) ? ready.size() - 1 : pick(ready.size());
            return ready.take(at);
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
    if (launch->seeded) {
        outlived.show_some(late_random, stays, true);
        from->late.show_some(late_random, stays);
        from->late.exchange();
    }
    if (take_turns && to->block) put_in_place(resident(*to));  // a fiber may go on itself, with a new block
    if (launch->seeded) to->late.exchange();
    if (to == from) return;
    here = to;
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

// Suspends the running thread and lets another one run.
void Worker::suspend(bool fresh_first)
{
    Stack &self = running();
    if (overdue) {
        overdue = false;
        fault = SIGALRM;
        escape(3);
    }
    self.suspended = true;
    resident(self).suspended[self.thread] = &self;
    switch_to(next(fresh_first));
}

void let_others_run()
{
    Stack &self = running();
    self.worker->ready.push_back(&self);
    self.worker->suspend(true);
}

void finish_suspended()
{
    Stack &self = running();
    if (self.arrived) fail("a thread ends that has arrived at its cluster's barrier and not waited there");
    resident(self).suspended[self.thread] = nullptr;
    self.worker->barriers++;
    self.suspended = false;
}

}  // namespace emulator
