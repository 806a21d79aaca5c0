// Not a solver: places the rows of a graph whose arcs stay in the host's memory, and copies them there.
//
// Used by  the solvers of host-arcs. A GPU asks for a line of 128 bytes at a time, and what limits the link is their number.
// Method   with padding, a row that would lie in more lines than it must begins at the next one. What is left of the line
//          before is filled with arcs to NO_VERTEX, which kernels read with the row before, in no further line.

#include <algorithm>

#include "in_parallel.h"

constexpr int NO_VERTEX = -1;

// Writes where each row begins if a line holds `in_line` arcs, and the end: vertices + 1 positions.
extern "C" void pad_rows(long long vertices, const Position *indptr, unsigned in_line, Position *rows)
{
    Position end = 0;
    long long open = 0;  // rows from here on, all empty, begin where the next one that is not does
    for (long long v = 0; v < vertices; v++) {
        const Position length = indptr[v + 1] - indptr[v], lines = (length + in_line - 1) / in_line;
        if (length == 0) continue;
        if (end % in_line + length > lines * in_line) end = (end / in_line + 1) * in_line;
        std::fill(rows + open, rows + v + 1, end);
        open = v + 1;
        end += length;
    }
    std::fill(rows + open, rows + vertices + 1, end);
}

// Copies the rows to where they begin: heads, or with weights both side by side. Pads with arcs of weight 0.
extern "C" void copy_rows(long long vertices, const Position *indptr, const Position *rows, const int *indices,
                          const int *weights, int *out)
{
    in_parallel(all_cores(), 0, vertices, [&](Position begin, Position end) {
        for (Position v = begin; v < end; v++)
            for (Position i = rows[v], arc = indptr[v]; i < rows[v + 1]; i++, arc++) {
                const bool is_arc = arc < indptr[v + 1];
                int *const to = out + (weights ? 2 : 1) * i;
                to[0] = is_arc ? indices[arc] : NO_VERTEX;
                if (weights) to[1] = is_arc ? weights[arc] : 0;
            }
    });
}
