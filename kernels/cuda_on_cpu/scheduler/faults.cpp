// Faults of the processor in a kernel, and kernels that never end: both become errors of the launch.

#include "scheduler.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace emulator {

constexpr int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr double TICK = 0.25, TURN = 0.001;  // seconds between looks at a kernel's progress, and if threads take turns
constexpr unsigned TICKS = 4;               // looks before it is ended, at least
constexpr size_t SIGNAL_STACK_BYTES = 64 << 10;

static struct sigaction earlier[NSIG];  // handlers for faults that happen outside kernels

#ifndef __SANITIZE_ADDRESS__
static void on_fault(int number, siginfo_t *info, void *)
{
    Worker *const worker = here ? here->worker : nullptr;
    if (!worker || !worker->launch) {
        sigaction(number, &earlier[number], nullptr);  // the instruction faults again
        if (info->si_code <= 0) raise(number);
        return;
    }
    worker->fault = number;
    worker->fault_address = info->si_addr;
    _longjmp(worker->bail, 3);
}
#endif

// Whether a signal has interrupted a kernel file's own code: neither the scheduler nor a library, which may hold a lock.
static bool in_kernel(const Worker &worker, const ucontext_t &interrupted)
{
#if defined __x86_64__
    const auto *const at = reinterpret_cast<void *>(interrupted.uc_mcontext.gregs[REG_RIP]);
#elif defined __aarch64__
    const auto *const at = reinterpret_cast<void *>(interrupted.uc_mcontext.pc);
#else
    const void *const at = nullptr;
#endif
    Dl_info file{}, kernels{};
    return here->preemptible && dladdr(at, &file) &&
           dladdr(reinterpret_cast<void *>(worker.launch->kernel->run_threads), &kernels) &&
           file.dli_fbase == kernels.dli_fbase;
}

// Returns what this OS thread has used. On a busy machine, that is less than what has passed.
static double processor_seconds()
{
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return double(used.tv_sec) + 1e-9 * double(used.tv_nsec);
}

// Compares the progress of this OS thread's kernel with that at the last tick of its clock. Where there is none, a thread
// may spin until another one acts, which then runs: the handler is on the thread's own stack and goes on with it later.
static void on_tick(int, siginfo_t *, void *interrupted)
{
    Worker *const worker = here ? here->worker : nullptr;
    if (!worker) return;
    if (!worker->launch) {
        worker->watched = false;
        return;
    }
    uint64_t progress = worker->barriers + 31 * worker->next_cluster + 1009 * worker->works;
    for (const Resident &block : worker->blocks) progress += 7 * block.started + 17 * block.fibers;
    const double now = processor_seconds();
    if (progress != worker->last_progress) worker->moved = now;
    const double unmoved = now - worker->moved;
    worker->last_progress = progress;
    worker->in_turns |= unmoved > worker->tick() / 2;
    const double patience = worker->launch->patience;
    worker->overdue = unmoved >= patience;  // a kernel that enters the scheduler gives up there
    if (unmoved > patience * (1 + 1.0 / TICKS)) {
        worker->fault = SIGALRM;
        worker->watched = false;
        worker->escape(3);
    }
    worker->set_clock();
    if (!worker->in_turns || worker->overdue || worker->launch->seeded) return;
    if (!in_kernel(*worker, *static_cast<const ucontext_t *>(interrupted))) return;
    const int error = errno;
    let_others_run();
    errno = error;
}

double Worker::tick() const { return std::min(in_turns ? TURN : TICK, launch->patience / TICKS); }

void Worker::set_clock()
{
    const double seconds = tick();
    itimerspec after{};
    after.it_value.tv_sec = time_t(seconds);
    after.it_value.tv_nsec = long((seconds - double(time_t(seconds))) * 1e9) + 1;
    timer_settime(clock, 0, &after, nullptr);
}

// Prepares this OS thread for faults and for endless loops. The clock is set again when it runs out, if a kernel still
// runs, so that a launch costs nothing. It counts what passes: one of processor time would tick every few milliseconds.
void Worker::watch()
{
    works++;
    overdue = in_turns = false;  // of a launch before this one
    if (!signal_stack) {
        static const int tick = SIGRTMAX - 5;
        [[maybe_unused]] static const bool installed = [] {
            struct sigaction action{};
            action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
#ifndef __SANITIZE_ADDRESS__
            action.sa_sigaction = on_fault;
            for (const int number : FAULTS) sigaction(number, &action, &earlier[number]);
#endif
            action.sa_sigaction = on_tick;
            action.sa_flags &= ~SA_ONSTACK;
            sigaction(tick, &action, nullptr);
            return true;
        }();
        signal_stack = std::make_unique<char[]>(SIGNAL_STACK_BYTES);
        stack_t stack{}, present{};
        sigaltstack(nullptr, &present);
        stack.ss_sp = signal_stack.get();
        stack.ss_size = SIGNAL_STACK_BYTES;
        if (present.ss_flags & SS_DISABLE) sigaltstack(&stack, nullptr);
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = tick;
        event._sigev_un._tid = int(syscall(SYS_gettid));
        timer_create(CLOCK_MONOTONIC, &event, &clock);
    }
    if (watched && patience == launch->patience) return;
    watched = true;
    patience = launch->patience;
    moved = processor_seconds();
    set_clock();
}

void Worker::stop_watching()
{
    if (!signal_stack) return;
    timer_delete(clock);
    stack_t present{};
    sigaltstack(nullptr, &present);
    if (present.ss_sp != signal_stack.get()) return;
    present.ss_flags = SS_DISABLE;
    sigaltstack(&present, nullptr);
}

std::string Worker::fault_text() const
{
    char text[160];
    switch (fault) {
        case SIGFPE: return "the least integer is divided by -1";  // by zero: undefined.cpp
        case SIGILL:
        case SIGTRAP: return "undefined behaviour, which the compiler has made a trap";
        case SIGALRM:
            snprintf(text, sizeof text, "no thread has ended and no barrier was passed for %g s of processor time%s",
                     launch->patience,
                     launch->cooperative || launch->clusters == 1
                         ? "" : " (blocks that wait for each other need a cooperative launch)");
            return text;
        default: snprintf(text, sizeof text, "an access to the invalid address %p", fault_address);
    }
    for (const auto &stack : stacks)
        if (fault_address < stack->bottom && fault_address >= stack->bottom - getpagesize())
            return "the thread's stack is full";
    return text;
}

}  // namespace emulator
