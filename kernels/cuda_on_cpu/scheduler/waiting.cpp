// Barriers and warp operations.

#include "scheduler.h"

namespace emulator {

void Worker::release_barrier(Resident &block)
{
    barriers++;
    block.count = block.predicates;
    block.arrived = block.at_barrier;
    block.predicates = block.at_barrier = 0;
    release_all(block, Wait::BARRIER);
}

void Worker::release_all(Resident &block, Wait wait)
{
    for (Stack *stack : block.suspended) {
        if (stack && stack->wait == wait) {
            stack->wait = Wait::NOTHING;
            ready.push_back(stack);
        }
    }
}

// Ends the grid's barrier if all threads of all blocks have arrived or ended. A block that has ended never arrives.
void Worker::release_grid()
{
    for (const Resident &block : blocks)
        if (block.empty || block.at_grid != block.fibers || block.started != block.threads) return;
    barriers++;
    for (Resident &block : blocks) {
        block.at_grid = 0;
        release_all(block, Wait::GRID);
    }
}

Resident &Worker::first_of_cluster(const Resident &block)
{
    return blocks[size_t(&block - blocks.data()) / launch->cluster_blocks * launch->cluster_blocks];
}

// Ends the barrier of a cluster if all its threads have arrived or ended.
void Worker::release_cluster(Resident &first)
{
    unsigned unfinished = 0;
    for (const Resident *block = &first; block < &first + launch->cluster_blocks; block++)
        if (!block->empty) unfinished += block->threads - block->started + block->fibers;
    if (!first.in_cluster || first.in_cluster < unfinished) return;
    barriers++;
    first.in_cluster = 0;
    first.phase++;
    for (Resident *block = &first; block < &first + launch->cluster_blocks; block++)
        release_all(*block, Wait::CLUSTER);
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
    // combine() is code of the kernel file, where others could run. Disable that: all lanes must be released together.
    const bool preemptible = running().preemptible;
    running().preemptible = false;
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
    show_block();
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

// Registers the running thread as one that has waited.
static void enlist(Stack &self)
{
    self.suspended = true;
    resident(self).suspended[self.thread] = &self;
}

bool is_cooperative() { return here->worker->launch->cooperative; }

void grid_barrier()
{
    Stack &self = running();
    if (!is_cooperative()) fail("this_grid().sync() needs a cooperative launch");
    show_all();
    enlist(self);
    resident(self).at_grid++;
    self.wait = Wait::GRID;
    self.worker->release_grid();
    self.worker->suspend();
}

void cluster_arrive()
{
    Stack &self = running();
    if (self.arrived) fail("a thread arrives twice at its cluster's barrier before it waits there");
    show_all();
    enlist(self);
    Resident &first = self.worker->first_of_cluster(resident(self));
    self.arrived = true;
    self.phase = first.phase;
    first.in_cluster++;
    self.worker->release_cluster(first);
}

void cluster_wait()
{
    Stack &self = running();
    if (!self.arrived) fail("a thread waits at its cluster's barrier without arriving there first");
    self.arrived = false;
    if (self.worker->first_of_cluster(resident(self)).phase != self.phase) return;
    self.wait = Wait::CLUSTER;
    self.worker->suspend();
}

void *map_shared(void *address, unsigned rank)
{
    Stack &self = running();
    Worker &worker = *self.worker;
    Resident &own = resident(self);
    if (rank >= own.cluster_blocks) fail("map_shared_rank of a rank that the cluster does not have");
    if (rank == own.cluster_rank) return address;
    Resident &other = (&worker.first_of_cluster(own))[rank];
    if (other.empty) fail("map_shared_rank of a block that has ended");
    char *const byte = static_cast<char *>(address), *image = other.shared.data();
    for (const SharedArray &array : worker.shared) {
        if (byte >= array.begin && byte <= array.begin + array.bytes) return image + GUARD_BYTES + (byte - array.begin);
        image += array.bytes + 2 * GUARD_BYTES;
    }
    fail("map_shared_rank of an address outside this block's shared memory");
}

unsigned barrier_count() { return resident(*here).count; }
unsigned barrier_arrived() { return resident(*here).arrived; }

uint64_t warp_operation(unsigned mask, uint64_t operand, int argument, Combine combine)
{
    Stack &self = running();
    Resident &block = resident(self);
    if (!(mask >> self.thread % WARP & 1)) fail("a lane calls a warp operation whose mask leaves it out");
    show_block();
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
