// Labels of two searches, red and green: which reached a vertex first, red if both did at once, and in which round. A round
// is a level, so that a label tells a vertex's distance from the source, or to the target.
//
// Trick    labels tell the arcs of a path, one by one. An arc u->v leads red from one round to the next, or green from a
//          round to the one before: then u is the vertex before v, or v the one after u. It joins both searches if u is red
//          and v is green; on a shortest path their distances and this arc are the length. Such a path has one: the
//          vertices up to its middle are red, as the source is no farther from them, and those beyond are green. For the
//          same reason the path goes on along vertices of the same colour at both ends of the arc.

#pragma once

constexpr unsigned NO_LABEL = 0xfffffffd;  // of a round that no search comes to, so that no arc leads there

inline __device__ unsigned make_label(unsigned round, bool is_green) { return 2 * round + is_green; }
inline __device__ bool is_green(unsigned label) { return label & 1; }

// What is before a red vertex, and after a green one, in one array, as no vertex is both; and an arc that joins both
// searches, its tail in the upper half. Of several that write, any is right. A vertex is the index of its label.
struct Path {
    int *toward_end;
    unsigned long long *joint;

    // Notes an arc, if it may be one of a shortest path's.
    __device__ void note(unsigned tail, unsigned head, unsigned at_tail, unsigned at_head, unsigned length) const
    {
        if (!is_green(at_tail) && at_head == at_tail + 2) toward_end[head] = int(tail);
        if (is_green(at_tail) && at_tail == at_head + 2) toward_end[tail] = int(head);
        if (!is_green(at_tail) && is_green(at_head) && at_tail / 2 + 1 + at_head / 2 == length)
            *joint = (unsigned long long)(tail) << 32 | head;
    }
};
