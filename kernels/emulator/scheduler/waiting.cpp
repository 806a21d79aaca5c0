// Barriers and warp operations.

#include "scheduler.h"

#include <utility>

namespace emulator {

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

static bool has_started(const Resident &block, unsigned thread)
{
    return (block.order ? block.place[thread] : thread) < block.started;
}

// Completes the warp operation at which a fiber waits, if all lanes of its mask have arrived or ended.
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
            continue;  // it has ended and does not count
        }
        const bool at_the_same = stack->mask == waiting.mask && stack->combine == waiting.combine;
        if (stack->wait != Wait::WARP || !at_the_same) return false;
        operands[lane] = stack->operand;
        taking_part |= 1u << lane;
    }
    // combine() is code of the kernel file, where a seeded run could switch threads. Disable that: all lanes must be
    // released together.
    const bool preemptible = std::exchange(running().preemptible, false);
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(taking_part >> lane & 1)) continue;
        Stack *stack = block.suspended[first + lane];
        stack->result = stack->combine ? stack->combine(operands, taking_part, lane, stack->argument) : 0;
        stack->wait = Wait::NOTHING;
        if (stack != &running()) ready.push_back(stack);
    }
    running().preemptible = preemptible;
    return true;
}

// Called when nothing can run: releases warp operations that other threads completed by ending.
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

}  // namespace emulator
