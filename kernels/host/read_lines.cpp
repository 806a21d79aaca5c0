// Not a solver: reads the lines of a graph's file that are written plainly, and sorts the arcs by their tails.
//
// Used by  graphs/formats/plain.py.
// Method   one pass over the text, one over the arcs to count those of each tail, and one to put them in their places.
//          A plain line has its keyword, if the format has one, then two or three numbers of at most ten digits, with
//          blanks or tabs between them. Whatever else a line may have, and every error, is left to the reader in
//          Python, which alone has the rules and the messages.

#include <algorithm>

constexpr long long LARGEST = 2147483646, MOST_DIGITS = 10;

// Mirrors `CLayout` of graphs/formats/plain.py.
struct Layout {
    char comment, keyword; // 0 for none
    int columns; // 3 if there are weights, else 2
    int base; // the smallest id
    int vertices; // ids are below base + vertices
};

static const char *after_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

// Reads a number of at most ten digits; returns what follows, or null if there is none.
static const char *read_number(const char *at, long long *number)
{
    const char *const first = at;
    *number = 0;
    for (; '0' <= *at && *at <= '9' && at - first < MOST_DIGITS; at++) *number = 10 * *number + (*at - '0');
    return at > first ? at : nullptr;
}

extern "C" long long count_lines(const char *begin, const char *end) { return std::count(begin, end, '\n'); }

// Reads all lines of a text, which a 0 follows. Writes tails, heads and weights, one column of `most` numbers after the
// other, with ids from 0. Returns the number of arcs, or -1 if a line is not plain.
extern "C" long long read_lines(const Layout *layout, const char *at, const char *end, long long most, int *out)
{
    long long arcs = 0;
    while (at < end) {
        if (layout->comment && *at == layout->comment) {
            at = std::find(at, end, '\n') + 1;
            continue;
        }
        if (arcs == most || (layout->keyword && *at++ != layout->keyword)) return -1;
        for (int column = 0; column < layout->columns; column++) {
            const char *const first = column || layout->keyword ? after_blanks(at) : at;
            const bool apart = first > at || (!column && !layout->keyword);
            long long number;
            if (!apart || !(at = read_number(first, &number))) return -1;
            const bool is_id = column < 2;
            if (is_id && !layout->keyword && *first == '0' && at > first + 1) return -1;  // 07 may be a name
            if (is_id) number -= layout->base;
            if (number < 0 || number > (is_id ? layout->vertices - 1 : LARGEST)) return -1;
            out[column * most + arcs] = int(number);
        }
        arcs++;
        at = after_blanks(at);
        if (*at == '\r') at++;
        if (at < end && *at++ != '\n') return -1;
    }
    return arcs;
}

// Adds the arcs of each tail to counts[tail].
extern "C" void count_arcs(long long arcs, const int *tails, int *counts)
{
    for (long long arc = 0; arc < arcs; arc++) counts[tails[arc]]++;
}

// Copies heads and weights, which may be null, to the next free place of their tail.
extern "C" void place_arcs(long long arcs, const int *tails, const int *heads, const int *weights, int *next,
                           int *sorted_heads, int *sorted_weights)
{
    for (long long arc = 0; arc < arcs; arc++) {
        const int place = next[tails[arc]]++;
        sorted_heads[place] = heads[arc];
        if (weights) sorted_weights[place] = weights[arc];
    }
}
