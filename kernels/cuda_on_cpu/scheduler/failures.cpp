// Ends a launch with an error.

#include "scheduler.h"

#include <cstdio>

namespace emulator {

std::string text(uint3 index)
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
        const Stack *at_barrier = nullptr, *in_warp = nullptr, *at_grid = nullptr, *in_cluster = nullptr;
        for (Stack *stack : block.suspended) {
            if (stack && stack->wait == Wait::BARRIER && !at_barrier) at_barrier = stack;
            if (stack && stack->wait == Wait::WARP && !in_warp) in_warp = stack;
            if (stack && stack->wait == Wait::GRID && !at_grid) at_grid = stack;
            if (stack && stack->wait == Wait::CLUSTER && !in_cluster) in_cluster = stack;
        }
        if (at_grid) message += " thread " + text(at_grid->thread_index) + " waits at this_grid().sync()";
        if (in_cluster) message += " thread " + text(in_cluster->thread_index) + " waits at its cluster's barrier";
        if (at_barrier) message += " thread " + text(at_barrier->thread_index) + " waits at __syncthreads";
        if (in_warp) {
            char mask[16];
            snprintf(mask, sizeof mask, "0x%08x", in_warp->mask);
            message += std::string(at_barrier ? ", " : " ") + "thread " + text(in_warp->thread_index) +
                       " at a warp operation with mask " + mask;
        }
        message += "; not all the threads they wait for arrive there";
    }
    return message;
}

void Worker::give_up(const std::string &message)
{
    if (!launch->failed.exchange(true)) launch->error = message;
    escape(1);
}

// Ends the work of this OS thread.
void Worker::escape(int how)
{
#ifdef __SANITIZE_ADDRESS__
    if (here != &main) __sanitizer_start_switch_fiber(nullptr, main.bottom, main.bytes);
#endif
    _longjmp(bail, how);
}

// Makes a fault that has ended a kernel the launch's error. The fiber that ran is still `here`. It takes no lock, which
// this thread might hold already: `failed` says who writes the error.
void Worker::report_fault()
{
    if (launch->failed.exchange(true)) return;
    launch->error = fault_text();
    if (here->block) launch->error += ", in block " + text(here->block_index) + ", thread " + text(here->thread_index);
}

// Drops all unfinished work.
void Worker::abandon()
{
    for (const auto &stack : stacks) {
        stack->entered = false;  // its fiber restarts, because some stopped in the middle of a kernel
        stack->wait = Wait::NOTHING;
        stack->arrived = false;
        stack->late.stores.clear();
    }
    main.wait = Wait::NOTHING;
    main.arrived = false;
    main.preemptible = false;
    main.late.stores.clear();
    outlived.stores.clear();
    ready.clear();
    for (Resident &block : blocks) {
        std::fill(block.suspended.begin(), block.suspended.end(), nullptr);
        block.late.stores.clear();
        block.empty = true;
    }
    here = &main;
}

void fail(const char *message)
{
    Stack &self = running();
    self.worker->give_up(std::string(message) + ", in block " + text(self.block_index) + ", thread " +
                         text(self.thread_index));
}

}  // namespace emulator
