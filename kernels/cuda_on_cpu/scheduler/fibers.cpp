// Stacks, and switching between them.

#include "scheduler.h"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

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

static size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

Worker::~Worker()
{
    stop_watching();
    for (const auto &stack : stacks) munmap(stack->bottom - page_bytes(), stack->bytes + page_bytes());
    mapped -= stacks.size();
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

Stack *Worker::idle_stack()
{
    if (idle.empty()) {
        if (mapped >= MAX_STACKS)
            give_up("more than " + std::to_string(MAX_STACKS) + " threads wait at the same time: launch smaller blocks");
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
