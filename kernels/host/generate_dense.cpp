// The matrix of a complete graph, made on the host: the input of an-bellman-ford, where the transfer is measured.
//
// Every entry is a function of the seed and of its position, so the threads only divide the rows among themselves.

#include <thread>
#include <vector>

#include "../generate/dense.h"

// Writes `vertices` rows of `pitch` entries each; row u holds the weights of the arcs from vertex u.
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
