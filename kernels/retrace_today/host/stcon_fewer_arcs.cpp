// stcon/fewer-arcs: sequential st-connectivity by two breadth-first searches, of which the one with less to do goes on;
// ours, for graphs of few levels.
//
// Paper    I. Pohl, "Bi-directional Search", Machine Intelligence 6, 1971: the smaller frontier is expanded.
// Idea     in a graph of few levels, most arcs are those of the widest level. Two searches that meet before either has
//          reached it look at few of them. A frontier is as large as the number of its arcs.
// Memory   `mark` and `queue` are allocated once. A vertex is visited if its mark is this search's, so that nothing is
//          cleared, and a search takes no time for vertices that it does not see.
// Path     if it is wanted (TRACED), a search notes for each vertex from where it came, which is before a red vertex on the
//          way and after a green one. The arc on which they meet joins both ways.

#include <algorithm>

#include "../../host/graph.h"

// One of the two searches. Its frontier is queue[begin] to queue[end - 1].
template <bool TRACED> struct Side {
    Graph graph;
    int mark;
    int *queue, *toward_end;
    int begin, end, depth;
    long long arcs;  // that leave the frontier

    int degree(int v) const { return graph.indptr[v + 1] - graph.indptr[v]; }

    void visit(int v, int *marks)
    {
        marks[v] = mark;
        queue[end++] = v;
        arcs += degree(v);
    }

    // Makes the unvisited neighbours of the frontier the frontier. Returns true if the other search has visited one: both
    // have examined all paths of at most as many arcs as the sum of their depths, so that this one, of one more, is shortest.
    // Writes then where they meet: this one's vertex and the other's.
    bool expand(int *marks, int mark_of_other, int &own, int &others)
    {
        const int last = end;
        arcs = 0;
        for (; begin < last; begin++) {
            const int v = queue[begin];
            for (int arc = graph.indptr[v]; arc < graph.indptr[v + 1]; arc++) {
                const int u = graph.indices[arc];
                if (marks[u] == mark_of_other) {
                    own = v;
                    others = u;
                    return true;
                }
                if (marks[u] == mark) continue;
                visit(u, marks);
                if constexpr (TRACED) toward_end[u] = v;
            }
        }
        depth++;
        return false;
    }
};

template <bool TRACED>
static int search(const Graph &forward, const Graph &backward, int s, int t, long long most, int *marks, int *queue,
                  int *marked, int *distance, int *toward_end, int *joint)
{
    *distance = s == t ? 0 : UNREACHABLE;
    if (s == t) return 0;
    if (*marked > UNREACHABLE - 2) {
        std::fill_n(marks, forward.vertices, 0);
        *marked = 0;
    }
    Side<TRACED> red{forward, ++*marked, queue, toward_end, 0, 0, 0, 0};
    Side<TRACED> green{backward, ++*marked, queue + forward.vertices, toward_end, 0, 0, 0, 0};
    red.visit(s, marks);
    green.visit(t, marks);
    int levels = 0;
    while (red.begin < red.end && green.begin < green.end) {
        const bool is_red = red.arcs <= green.arcs;
        Side<TRACED> &side = is_red ? red : green;
        levels++;
        if ((most -= side.arcs) < 0) return -1;
        if (side.expand(marks, is_red ? green.mark : red.mark, joint[!is_red], joint[is_red])) {
            *distance = red.depth + green.depth + 1;
            break;
        }
    }
    return levels;
}

// Writes the number of arcs from s to t, or UNREACHABLE; returns the number of levels expanded, or -1 if it gives up before
// it looks at more than `most` arcs. `marks` has a number per vertex, `queue` two, and `marked` the greatest mark so far,
// all 0 before the first search.
extern "C" int stcon_fewer_arcs(Graph forward, Graph backward, int s, int t, long long most, int *marks, int *queue,
                                int *marked, int *distance)
{
    int joint[2];
    return search<false>(forward, backward, s, t, most, marks, queue, marked, distance, nullptr, joint);
}

// Writes also a path, if there is one of at least an arc: `joint` has the ends of an arc of it, and `toward_end` a number
// per vertex, which is what comes before a vertex of the part up to this arc, and what comes after one of the other part.
extern "C" int stcon_fewer_arcs_path(Graph forward, Graph backward, int s, int t, long long most, int *marks, int *queue,
                                     int *marked, int *distance, int *toward_end, int *joint)
{
    return search<true>(forward, backward, s, t, most, marks, queue, marked, distance, toward_end, joint);
}
