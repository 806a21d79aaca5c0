// Faults of the processor in a kernel, and kernels that never end: both become errors of the launch.

#include "scheduler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace emulator {

constexpr int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr unsigned TICKS = 4;  // looks at a kernel's progress before it is ended
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

// Compares the progress of this OS thread's kernel with that at the last tick of its clock.
static void on_tick(int, siginfo_t *, void *)
{
    Worker *const worker = here ? here->worker : nullptr;
    if (!worker) return;
    if (!worker->launch) {
        worker->watched = false;
        return;
    }
    uint64_t progress = worker->barriers + 31 * worker->next_cluster + 1009 * worker->works;
    for (const Resident &block : worker->blocks) progress += 7 * block.started + 17 * block.fibers;
    worker->idle_ticks = progress == worker->last_progress ? worker->idle_ticks + 1 : 0;
    worker->last_progress = progress;
    worker->overdue = worker->idle_ticks >= TICKS;  // a kernel that enters the scheduler gives up there
    if (worker->idle_ticks > TICKS) {
        worker->fault = SIGALRM;
        worker->watched = false;
        worker->escape(3);
    }
    worker->set_clock();
}

void Worker::set_clock()
{
    const double seconds = launch->patience / TICKS;
    itimerspec after{};
    after.it_value.tv_sec = time_t(seconds);
    after.it_value.tv_nsec = long((seconds - double(time_t(seconds))) * 1e9) + 1;
    timer_settime(clock, 0, &after, nullptr);
}

// Prepares this OS thread for faults and for endless loops. The clock counts the thread's own processor time. It runs
// out after a quarter of the patience and is then set again, if a kernel still runs, so that a launch costs nothing.
void Worker::watch()
{
    works++;
    overdue = false;  // of a launch before this one
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
        if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &clock)) timer_create(CLOCK_MONOTONIC, &event, &clock);
    }
    if (watched && patience == launch->patience) return;
    watched = true;
    patience = launch->patience;
    idle_ticks = 0;
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
    char text[120];
    switch (fault) {
        case SIGFPE: return "the least integer is divided by -1";  // by zero: undefined.cpp
        case SIGILL:
        case SIGTRAP: return "undefined behaviour, which the compiler has made a trap";
        case SIGALRM:
            snprintf(text, sizeof text, "no thread has ended and no barrier was passed for %g s of processor time",
                     launch->patience);
            return text;
        default: snprintf(text, sizeof text, "an access to the invalid address %p", fault_address);
    }
    for (const auto &stack : stacks)
        if (fault_address < stack->bottom && fault_address >= stack->bottom - getpagesize())
            return "the thread's stack is full";
    return text;
}

}  // namespace emulator
