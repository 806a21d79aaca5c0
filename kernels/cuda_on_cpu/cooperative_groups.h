// Cooperative groups: a block, its cluster and the grid. The compiler finds this file instead of CUDA's of the same name.

#pragma once

#include <type_traits>

#include "runtime.h"

namespace cooperative_groups {

struct thread_block {
    static void sync() { emulator::barrier(false); }
    static unsigned thread_rank() { return emulator::here->thread; }
    static unsigned num_threads() { return emulator::here->block->threads; }
    static unsigned size() { return num_threads(); }
    static uint3 group_index() { return emulator::here->block_index; }
    static uint3 thread_index() { return emulator::here->thread_index; }
};

struct grid_group {
    static void sync() { emulator::grid_barrier(); }
    static bool is_valid() { return emulator::is_cooperative(); }
    static unsigned long long num_blocks()
    {
        const dim3 grid = emulator::here->grid_size;
        return static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
    }
    static unsigned long long block_rank()
    {
        const dim3 grid = emulator::here->grid_size;
        const uint3 block = emulator::here->block_index;
        return block.x + static_cast<unsigned long long>(grid.x) * (block.y + grid.y * block.z);
    }
    static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
};

struct cluster_group {
    struct arrival_token {};

    static void sync()
    {
        emulator::cluster_arrive();
        emulator::cluster_wait();
    }
    static arrival_token barrier_arrive()
    {
        emulator::cluster_arrive();
        return {};
    }
    static void barrier_wait() { emulator::cluster_wait(); }
    static void barrier_wait(arrival_token &&) { emulator::cluster_wait(); }
    static unsigned block_rank() { return emulator::here->block->cluster_rank; }
    static unsigned num_blocks() { return emulator::here->block->cluster_blocks; }
    static unsigned num_threads() { return num_blocks() * thread_block::num_threads(); }
    static unsigned size() { return num_threads(); }
    static unsigned thread_rank() { return block_rank() * thread_block::num_threads() + thread_block::thread_rank(); }
    template <typename T> static T *map_shared_rank(T *address, int rank)
    {
        return static_cast<T *>(emulator::map_shared(const_cast<std::remove_cv_t<T> *>(address), unsigned(rank)));
    }
};

inline thread_block this_thread_block() { return {}; }
inline grid_group this_grid() { return {}; }
inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
