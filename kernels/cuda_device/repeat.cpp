// Repeats launches until a kernel says that it is enough, as a program in C does: write a few words to the device, launch,
// read the words. The driver's functions are given as pointers, so that this compiles without CUDA.

#include <cstddef>

using Result = int;  // CUresult, 0 is success
using Address = unsigned long long;  // CUdeviceptr

struct Launch {
    void *function;  // CUfunction
    void **arguments;
    unsigned grid[3], block[3], shared;
};

struct Driver {
    Result (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                     unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra);
    Result (*write)(Address to, const void *from, size_t bytes);
    Result (*read)(void *to, Address from, size_t bytes);
};

// Repeats the launches while words[more] is not 0 and words[met], if there is one, is 0. Before each iteration words[more]
// is set to 0. Returns what failed, or 0; `iterations` counts.
extern "C" Result repeat(const Driver *driver, const Launch *launches, int count, Address state, int *words, int size,
                         int more, int met, int *iterations)
{
    const size_t bytes = size * sizeof(int);
    while (words[more] && (met < 0 || !words[met])) {
        words[more] = 0;
        if (const Result failed = driver->write(state, words, bytes)) return failed;
        for (int i = 0; i < count; i++) {
            const Launch &l = launches[i];
            if (const Result failed =
                    driver->launch(l.function, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                                   l.shared, nullptr, l.arguments, nullptr))
                return failed;
        }
        if (const Result failed = driver->read(words, state, bytes)) return failed;
        ++*iterations;
    }
    return 0;
}
