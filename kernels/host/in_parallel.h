// Shared by what runs on all cores: the parts of a range, each taken by the next thread that is free.

#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

using Position = unsigned long long;

inline int all_cores() { return int(std::max(1u, std::thread::hardware_concurrency())); }

// Calls work(part begin, part end) for all parts of [begin, end), on `threads` threads.
template <typename Work> void in_parallel(int threads, Position begin, Position end, const Work &work)
{
    constexpr Position PART = 1 << 14;
    std::atomic<Position> next = begin;
    const auto take_parts = [&] {
        for (Position part; (part = next.fetch_add(PART)) < end;) work(part, std::min(part + PART, end));
    };
    const Position parts = begin < end ? (end - begin - 1) / PART + 1 : 0;
    std::vector<std::thread> others;
    for (Position i = 1; i < std::min(Position(threads), parts); i++) others.emplace_back(take_parts);
    take_parts();
    for (std::thread &other : others) other.join();
}
