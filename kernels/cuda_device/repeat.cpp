// The loop of a program on the host: it launches kernels, reads what they wrote, and goes on while that asks for more. The
// functions of CUDA's driver are given as pointers, so that this compiles without CUDA, and a test can take their place.

#include <cstddef>
#include <cstring>

using Result = int;                  // CUresult, 0 is success
using Address = unsigned long long;  // CUdeviceptr

struct Launch {
    void *function;  // CUfunction
    void **arguments;
    unsigned grid[3], block[3], shared;  // grid[0] = 0: a thread for each item that was counted
};

struct Driver {
    Result (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                     unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra);
    Result (*write)(Address to, const void *from, size_t bytes);
    Result (*read)(void *to, Address from, size_t bytes);
    Result (*wait)();
};

// The fields of `HostLoop` in scripts/cuda_device/host_loop.py, which says what they mean.
struct HostLoop {
    const Launch *launches;      // of all rounds, one after the other
    const int *ends;             // where each round ends among them
    int rounds, recurring, looks;
    Address state;               // 0: kernels write to `seen`
    void *seen;
    size_t bytes;
    int is_mask, clears, more, met, blind, most;
};

struct Outcome {
    int iterations, ended;
    long long positions;
};

// Reads `seen`, and says whether it asks for another iteration.
static Result look(const Driver &driver, const HostLoop &loop, Outcome &outcome, bool &goes_on)
{
    if (const Result failed = loop.state ? driver.read(loop.seen, loop.state, loop.bytes) : driver.wait()) return failed;
    if (loop.is_mask) {
        const void *first = memchr(loop.seen, 1, loop.bytes);
        goes_on = first;
        if (first) outcome.positions += static_cast<const char *>(first) - static_cast<const char *>(loop.seen);
    } else {
        const int *words = static_cast<const int *>(loop.seen);
        goes_on = words[loop.more] && (loop.met < 0 || !words[loop.met]);
    }
    return 0;
}

// Returns what failed, or 0.
extern "C" Result repeat(const Driver *driver, const HostLoop *loop, Outcome *outcome)
{
    int *words = static_cast<int *>(loop->seen);
    for (int round = 0; outcome->iterations < loop->most;) {
        if (loop->clears) {
            words[loop->more] = 0;
            if (const Result failed = driver->write(loop->state, words, loop->bytes)) return failed;
        }
        const bool blind = outcome->iterations < loop->blind;
        bool goes_on = blind;
        for (int i = round ? loop->ends[round - 1] : 0; i < loop->ends[round] && (blind || !goes_on); i++) {
            const Launch &l = loop->launches[i];
            const unsigned blocks = l.grid[0] ? l.grid[0] : (words[loop->more] + l.block[0] - 1) / l.block[0];
            if (const Result failed = driver->launch(l.function, blocks, l.grid[1], l.grid[2], l.block[0], l.block[1],
                                                     l.block[2], l.shared, nullptr, l.arguments, nullptr))
                return failed;
            if (blind || i < loop->ends[round] - loop->looks) continue;
            if (const Result failed = look(*driver, *loop, *outcome, goes_on)) return failed;
        }
        outcome->iterations++;
        if (!goes_on) {
            outcome->ended = 1;
            return 0;
        }
        if (++round == loop->rounds) round -= loop->recurring;
    }
    return 0;
}
