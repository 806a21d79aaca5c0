// What searches share whose arcs stay in the host's memory, since the graph may be larger than the device's.
//
// Paper    S. W. Min, V. S. Mailthody, Z. Qureshi, J. Xiong, E. Ebrahimi and W. Hwu, "EMOGI: Efficient Memory-access
//          for Out-of-memory Graph-traversal in GPUs", VLDB 2020.
// Idea     the kernel reads the arcs of frontier vertices alone, over the link, when it needs them. What is of vertices
//          is on the device.
// Lines    a warp reads a vertex's arcs. Its lanes begin at the 128-byte line in which the row begins, those before the
//          row idle, so that each of its loads is one request a line.
// Queue    a vertex enters the queue as one entry for every `lines` lines of its row: one as a rule, many for a hub, so
//          that no warp reads a hub by itself.
// Padding  rows may be placed so that none lies in more lines than it must: host/pad_rows.cpp. What fills the rest of
//          the line before has no head, and is read with the row that it follows.
// Departs  from the paper in the queue: in print each level has a warp for every vertex, which looks whether it is in
//          the frontier, and a hub has one warp.

#pragma once

#include "../frontier/frontier.cuh"

using Offset = unsigned long long;  // of an arc: there may be more than 2^32

constexpr unsigned LINE = 128;   // bytes of the largest request
constexpr unsigned SECTOR = 32;  // bytes of the smallest
constexpr int IN_FLIGHT = 4;     // loads of a lane at a time
constexpr unsigned NO_VERTEX = 0xFFFFFFFF;  // to which arcs lead that fill the rest of a line

// What a warp read from the host's memory; the same in all its lanes.
struct Traffic {
    unsigned long long lines, sectors;

    // Adds what this warp read to the total. All lanes call it together.
    __device__ void add_to(Traffic *total) const
    {
        if (lane_number() != 0 || lines == 0) return;
        atomicAdd(&total->lines, lines);
        atomicAdd(&total->sectors, sectors);
    }
};

__device__ inline unsigned head_of(unsigned head) { return head; }
__device__ inline unsigned head_of(int2 arc) { return arc.x; }

// Arc is what is read of an arc: its head, or its head and its weight.
template <typename Arc> struct HostArcs {
    static constexpr unsigned IN_LINE = LINE / sizeof(Arc), IN_SECTOR = SECTOR / sizeof(Arc);

    const Offset *indptr;  // on the device
    const Arc *arcs;       // in the host's memory, from the beginning of a line
    unsigned lines;        // most lines of an entry

    // The number of entries of a vertex.
    __device__ unsigned entries(unsigned v) const
    {
        const Offset begin = indptr[v], end = indptr[v + 1];
        return begin == end ? 0 : unsigned(((end - 1) / IN_LINE - begin / IN_LINE) / lines) + 1;
    }

    // Queues the source alone. All threads of the grid call it.
    __device__ void start(const Queue &queue, unsigned source) const
    {
        const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, count = entries(source);
        for (unsigned i = thread; i < count; i += gridDim.x * blockDim.x) queue.entries[i] = make_uint2(source, i);
        if (thread == 0) *queue.length = count;
    }

    // Queues the vertices of those lanes that have one to add. All lanes call it together.
    __device__ void append(const Queue &queue, bool adds, unsigned v) const
    {
        if (!__any_sync(ALL_LANES, adds)) return;
        const unsigned own = adds ? entries(v) : 0;
        const unsigned end = sum_up_to(own);  // of this lane's entries among those of the warp
        unsigned first = lane_number() == LANES - 1 ? atomicAdd(queue.length, end) : 0;
        first = __shfl_sync(ALL_LANES, first, LANES - 1) + end - own;
        for (unsigned i = 0; i < own; i++) queue.entries[first + i] = make_uint2(v, i);
    }

    // Reads the arcs of an entry, and counts what is read. visit(arc, has) is called by all lanes together, some of
    // which have no arc.
    template <typename Visit> __device__ void read(uint2 entry, Traffic &traffic, Visit visit) const
    {
        const Offset begin = indptr[entry.x], end = indptr[entry.x + 1];
        const Offset line = (begin / IN_LINE + Offset(entry.y) * lines) * IN_LINE;
        const Offset first = max(begin, line), last = min(end, line + Offset(lines) * IN_LINE);
        traffic.lines += (last - 1) / IN_LINE - first / IN_LINE + 1;
        traffic.sectors += (last - 1) / IN_SECTOR - first / IN_SECTOR + 1;
        for (Offset base = line; base < last; base += IN_FLIGHT * LANES) {
            Arc arc[IN_FLIGHT] = {};
            bool has[IN_FLIGHT];
#pragma unroll
            for (int b = 0; b < IN_FLIGHT; b++) {
                const Offset i = base + b * LANES + lane_number();
                has[b] = first <= i && i < last;
                if (has[b]) arc[b] = __ldcs(&arcs[i]);
            }
#pragma unroll
            for (int b = 0; b < IN_FLIGHT; b++) has[b] &= head_of(arc[b]) != NO_VERTEX;
#pragma unroll
            for (int b = 0; b < IN_FLIGHT; b++)
                if (base + b * LANES < last) visit(arc[b], has[b]);
        }
    }
};
