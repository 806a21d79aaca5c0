// Passing a barrier many times, and telling that it held.

#pragma once

constexpr unsigned TOGETHER = 16;  // barriers between two stores, so that the stores cost next to nothing
constexpr unsigned NEVER = 0xffffffff;

// Passes `steps` barriers, a multiple of TOGETHER. Before every TOGETHER of them one thread stores in `passed` how many
// there will have been. A thread with the number `turn` is the first to do so after `turn` others, and again after
// `threads`; one with NEVER does not. Nothing but the barriers puts the stores in order: the last is `steps` if they hold.
template <typename Barrier>
__device__ void pass(unsigned steps, unsigned turn, unsigned threads, unsigned long long *passed, Barrier barrier)
{
    for (unsigned step = TOGETHER; step <= steps; step += TOGETHER) {
        if (turn == 0) {
            *passed = step;
            turn = threads;
        }
        turn--;
#pragma unroll
        for (unsigned i = 0; i < TOGETHER; i++) barrier();
    }
}
