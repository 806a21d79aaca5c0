// The matrix of a complete graph, on the host: an-bellman-ford's input, where the transfer is what is measured.
//
// Every entry is a function of the seed and of its place, so that threads need not agree on anything but their rows.

#include <thread>
#include <vector>

#include "../generate/dense.h"

// Writes vertices rows of pitch entries each, row u holding the weights of the arcs from vertex u.
extern "C" void generate_dense(int vertices, int pitch, int low, int high, Word key, int threads, int *matrix)
{
    const auto fill_every = [&](int first) {
        for (int row = first; row < vertices; row += threads) {
            int *const entries = matrix + size_t(row) * pitch;
            for (int column = 0; column < pitch; column++)
                entries[column] = entry_of(row, column, vertices, low, high, key);
        }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++) others.emplace_back(fill_every, i);
    fill_every(0);
    for (std::thread &other : others) other.join();
}
