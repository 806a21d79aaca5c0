// Runs the blocks of a grid.

#include "scheduler.h"

#if !__has_include(<omp.h>)
#error "the emulator needs OpenMP: install the compiler's (libgomp of g++)"
#endif
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace emulator {

constexpr size_t ENOUGH_THREADS = 8192;  // a smaller grid is finished before another OS thread has woken up

// Runs a grid on one OS thread, in an order that the seed determines.
static void run_shuffled(Launch &launch)
{
    Worker &worker = this_worker();
    worker.random = {launch.seed};
    worker.seed_late_stores(launch);
    worker.places = {};
    worker.uses.assign(launch.buffer_count, {});
    worker.mean_run = 1u << worker.pick(8);
    worker.fairness = 1u << worker.pick(2) * worker.pick(8);
    worker.run_left = worker.pick(2 * worker.mean_run);
    launch.cluster_order.resize(launch.clusters);
    std::iota(launch.cluster_order.begin(), launch.cluster_order.end(), 0);
    std::shuffle(launch.cluster_order.begin(), launch.cluster_order.end(), worker.random);
    worker.work(launch, 0, launch.clusters);
}

// Runs a grid in order, its blocks in parallel.
static void run_parallel(Launch &launch)
{
    const size_t blocks = launch.clusters * launch.cluster_blocks;
    const size_t threads = blocks * launch.block_threads();
    static const pid_t first_process = getpid();
    const bool forked = getpid() != first_process;  // a forked process lacks OpenMP's threads and would wait for them
    if (launch.clusters == 1 || launch.cooperative || threads < ENOUGH_THREADS || forked) {
        this_worker().work(launch, 0, launch.clusters);
        return;
    }
    const size_t waiting = std::max<size_t>(MAX_THREADS, threads / launch.clusters);  // of one OS thread, at most
    launch.workers = std::min({omp_get_max_threads(), omp_get_num_procs(), int(MAX_STACKS / waiting)});
    const size_t share = std::clamp<size_t>(launch.clusters / (size_t(launch.workers) * 8), 1, 64);
#pragma omp parallel for schedule(dynamic) num_threads(launch.workers)
    for (size_t first = 0; first < launch.clusters; first += share)
        this_worker().work(launch, first, std::min(first + share, launch.clusters));
}

// Returns why a launch that a GPU may take is too large here, or nothing.
static std::string too_large(const Launch &launch)
{
    const size_t threads = launch.block_threads();
    if (launch.cooperative && launch.clusters * launch.cluster_blocks > MAX_AT_ONCE / threads)
        return "a cooperative launch of " + std::to_string(launch.clusters * launch.cluster_blocks) + " blocks of " +
               std::to_string(threads) + " threads; the emulator runs at most " + std::to_string(MAX_AT_ONCE) +
               " threads at the same time: launch fewer blocks";
    if (launch.seeded && launch.clusters > MAX_SHUFFLED)
        return "a grid of " + std::to_string(launch.clusters) + " blocks or clusters; with a seed, the emulator runs at " +
               "most " + std::to_string(MAX_SHUFFLED) + ": launch fewer";
    return {};
}

}  // namespace emulator

// Runs a whole grid. Returns 0 on success, or 1 with a message in `error`.
extern "C" int emulator_launch(const emulator::Request *request, char *error, size_t error_bytes)
{
    using namespace emulator;
    Launch launch{*request};
    launch.cluster_blocks = launch.cluster.x * launch.cluster.y * launch.cluster.z;
    launch.clusters = size_t(launch.grid.x) * launch.grid.y * launch.grid.z / launch.cluster_blocks;
    if (const std::string refused = too_large(launch); !refused.empty()) {
        snprintf(error, error_bytes, "%s", refused.c_str());
        return 1;
    }
    BufferGuards guards(launch.buffers, launch.buffer_count);
    launch.seeded ? run_shuffled(launch) : run_parallel(launch);
    const std::string outside = guards.remove();
    if (!launch.failed && outside.empty()) return 0;
    snprintf(error, error_bytes, "%s", launch.failed ? launch.error.c_str() : outside.c_str());
    return 1;
}
