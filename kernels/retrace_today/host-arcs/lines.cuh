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
// Order    of a level with many vertices, warps read the arcs in the order of their places instead: no queue then
//          mixes the places, and a line that two rows share is read once. Warps draw their shares from a counter, so that
//          none is far ahead: a device keeps the translations of few addresses of the host.
// Departs  from the paper in the queue: in print each level has a warp for every vertex, which looks whether it is in
//          the frontier, and a hub has one warp.

#pragma once

#include "../frontier/blocks.cuh"

using HostOffset = unsigned long long;  // of an arc: there may be more than 2^32

constexpr unsigned LINE = 128;   // bytes of the largest request
constexpr unsigned SECTOR = 32;  // bytes of the smallest
constexpr int IN_FLIGHT = 4;     // loads of a lane at a time
constexpr unsigned MOST_OF_SHARE = 256;  // lines that a warp draws at a time
constexpr unsigned DRAWS = 8;            // of a warp, if that takes fewer lines at a time

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

// Counts the groups of `size` consecutive lanes, a power of two, that have a bit.
__device__ inline unsigned count_groups(unsigned lanes, unsigned size)
{
    for (unsigned by = 1; by < size; by *= 2) lanes |= lanes >> by;
    return __popc(lanes & unsigned(ALL_LANES / ((1ull << size) - 1)));
}

// Arc is what is read of an arc: its head, or its head and its weight.
template <typename Arc> struct HostArcs {
    static constexpr unsigned IN_LINE = LINE / sizeof(Arc), IN_SECTOR = SECTOR / sizeof(Arc);

    const HostOffset *indptr;  // on the device
    const Arc *arcs;       // in the host's memory, from the beginning of a line
    unsigned lines;        // most lines of an entry, least of a share
    unsigned *drawn = nullptr;  // for a sweep: shares that warps have drawn; 0 before and afterwards

    // The number of entries of a vertex.
    __device__ unsigned entries(unsigned v) const
    {
        const HostOffset begin = indptr[v], end = indptr[v + 1];
        return begin == end ? 0 : unsigned(((end - 1) / IN_LINE - begin / IN_LINE) / lines) + 1;
    }

    // Queues the source alone. All threads of some blocks call it.
    __device__ void start(const Blocks &blocks, const Queue &queue, unsigned source) const
    {
        const unsigned thread = blocks.thread(), count = entries(source);
        for (unsigned i = thread; i < count; i += blocks.threads()) queue.entries[i] = make_uint2(source, i);
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
        const HostOffset begin = indptr[entry.x], end = indptr[entry.x + 1];
        const HostOffset line = (begin / IN_LINE + HostOffset(entry.y) * lines) * IN_LINE;
        const HostOffset first = max(begin, line), last = min(end, line + HostOffset(lines) * IN_LINE);
        traffic.lines += (last - 1) / IN_LINE - first / IN_LINE + 1;
        traffic.sectors += (last - 1) / IN_SECTOR - first / IN_SECTOR + 1;
        for (HostOffset base = line; base < last; base += IN_FLIGHT * LANES) {
            Arc arc[IN_FLIGHT] = {};
            bool has[IN_FLIGHT];
#pragma unroll
            for (int b = 0; b < IN_FLIGHT; b++) {
                const HostOffset i = base + b * LANES + lane_number();
                has[b] = first <= i && i < last;
                if (has[b]) arc[b] = __ldcs(&arcs[i]);
            }
#pragma unroll
            for (int b = 0; b < IN_FLIGHT; b++)
                if (base + b * LANES < last) visit(arc[b], has[b]);
        }
    }

    // Returns a row that begins at an arc or before it, the last one. All lanes call it together, for the same arc.
    __device__ unsigned row_of(HostOffset arc, unsigned vertices) const
    {
        unsigned row = 0;
        for (unsigned left = vertices; left > 1;) {
            const unsigned step = (left + LANES - 1) / LANES, further = lane_number() * step;
            const bool is_before = further < left && indptr[row + further] <= arc;
            const unsigned passed = (__popc(__ballot_sync(ALL_LANES, is_before)) - 1) * step;
            row += passed;
            left = min(step, left - passed);
        }
        return row;
    }

    // Reads the lines of the arcs `first` to `last` - 1, as far as they have arcs of vertices that are wanted(v), and
    // counts what is read. visit(arc, has, v) is called by all lanes together, some of which have no arc.
    template <typename Wanted, typename Visit>
    __device__ void read_in_order(HostOffset first, HostOffset last, unsigned vertices, Traffic &traffic, Wanted wanted,
                                  Visit visit) const
    {
        const unsigned all = unsigned(last - first);
        const auto end_of = [&](unsigned v) { return indptr[min(v + 1, vertices)]; };
        unsigned read = 0;  // arcs, of whole rows
        unsigned row = row_of(first, vertices);
        for (HostOffset ahead = end_of(row + lane_number()); read < all; row += LANES) {
            const unsigned v = row + lane_number();
            const unsigned end = unsigned(min(ahead, last) - first), end_before = __shfl_up_sync(ALL_LANES, end, 1);
            const unsigned begin = lane_number() == 0 ? read : end_before;
            ahead = end_of(v + LANES);  // of the next rows, while arcs of these are read
            const unsigned own = __ballot_sync(ALL_LANES, begin < end && wanted(v));
            const unsigned rows_end = __shfl_sync(ALL_LANES, end, LANES - 1);
            for (unsigned base = read / IN_LINE * IN_LINE; own && base < rows_end; base += IN_FLIGHT * LANES) {
                Arc arc[IN_FLIGHT] = {};
                unsigned owner[IN_FLIGHT];
                bool has[IN_FLIGHT];
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    const unsigned place = base + b * LANES + lane_number();
                    owner[b] = owner_of(place, end);
                    has[b] = read <= place && place < rows_end && own >> owner[b] & 1;
                    if (has[b]) arc[b] = __ldcs(&arcs[first + place]);
                }
#pragma unroll
                for (int b = 0; b < IN_FLIGHT; b++) {
                    const unsigned lanes = __ballot_sync(ALL_LANES, has[b]);
                    if (lanes == 0) continue;
                    traffic.lines += count_groups(lanes, IN_LINE);
                    traffic.sectors += count_groups(lanes, IN_SECTOR);
                    visit(arc[b], has[b], row + owner[b]);
                }
            }
            read = rows_end;
        }
    }

    // Reads the arcs of all vertices that are wanted(v), as read_in_order does; a warp draws some lines at a time.
    // All threads of some blocks call it.
    template <typename Wanted, typename Visit>
    __device__ void sweep(const Blocks &blocks, unsigned vertices, Traffic &traffic, Wanted wanted, Visit visit) const
    {
        const HostOffset begin = indptr[0], end = indptr[vertices], all = (end - begin + IN_LINE - 1) / IN_LINE;
        const unsigned own = max(lines, unsigned(min(all / (DRAWS * blocks.warps()), HostOffset(MOST_OF_SHARE))));
        const unsigned shares = unsigned((all + own - 1) / own);
        for (;;) {
            unsigned share = lane_number() == 0 ? atomicAdd(drawn, 1) : 0;
            if (lane_number() == 0 && share == shares + blocks.warps() - 1) *drawn = 0;  // the last of all draws
            share = __shfl_sync(ALL_LANES, share, 0);
            if (share >= shares) return;
            const HostOffset first = begin + HostOffset(share) * own * IN_LINE;
            read_in_order(first, min(first + own * IN_LINE, end), vertices, traffic, wanted, visit);
        }
    }
};
