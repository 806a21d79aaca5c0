"""Names of generated graphs, and the sizes that graphs can have: what planning knows of graphs."""

import math
import re

from retrace.system.errors import RetraceError

UNREACHABLE = 2**31 - 1
"""Level or distance of an unreached vertex, in every answer."""

DRAWN_AS = {"stcon": "pairs", "betweenness": "samples"}
"""The parameter of a record that says how many questions were drawn; for other problems `sources`."""

NO_GRAPH = "none"
"""The name of what solvers of the problem limits are given."""

RANDOM_GRAPH = r"random-([0-9]{1,2})-([0-9]{1,10})(?:-[0-9]{1,10})?"
"""Name of a random graph: the logarithm of its vertices, base 2, its arcs per vertex, and perhaps the sources
of betweenness, sampled."""

HUB_GRAPH = r"hub-([0-9]{1,2})-([0-9]{1,10})"
"""Name of a random graph with a hub, a vertex that has an arc to every other: see `generators.with_hub`."""

STANDARD_GRAPH = r"(kron|urand)-([0-9]{1,2})"
"""Name of a graph of the GAP Benchmark Suite: the logarithm of its vertices, base 2, of which those after the
last edge's are left out; each vertex draws 16 edges."""

COMPLETE_GRAPH = r"dense-([0-9]{1,10})"
"""Name of a complete graph: its vertices."""


def size(graph: str) -> tuple[int, int]:
    """Read log2 of the vertices and the arcs per vertex from a name; raise RetraceError for other names."""
    match = re.fullmatch(RANDOM_GRAPH, graph)
    if match is None:
        raise RetraceError(f"graph {graph}: expected random-<log2 of its vertices>-<arcs per vertex>")
    return int(match[1]), int(match[2])


def most_arcs(vertices: int) -> int:
    """Return the number of ordered pairs of different vertices."""
    return vertices * (vertices - 1)


def resolve_arcs(
    vertices: int,
    *,
    density: float | None = None,
    per_vertex: float | None = None,
    arcs: int | None = None,
    connected: bool = False,
) -> int:
    """Return the number of arcs of a graph. The caller may give it in several ways if all agree.

    `density` is the share of all `vertices * (vertices - 1)` arcs, 0 to 1 (Equation 1 of tuwien-sssp),
    `per_vertex` the average number per vertex; both are rounded. A `connected` graph is weakly connected.
    Raises RetraceError if no number is given, if numbers contradict each other, or if no such graph exists.
    """
    if not 1 <= vertices < UNREACHABLE:
        raise RetraceError(f"{vertices} vertices: expected from 1 to {UNREACHABLE - 1} (32 bits)")
    most = most_arcs(vertices)
    counts: dict[str, int] = {}
    if density is not None:
        if not 0 <= density <= 1:
            raise RetraceError(f"density {density:g}: expected from 0 to 1, the share of all {most} arcs")
        counts[f"density {density:g}"] = round(density * most)
    if per_vertex is not None:
        if not (math.isfinite(per_vertex) and 0 <= per_vertex <= vertices - 1):
            raise RetraceError(
                f"{per_vertex:g} arcs per vertex: expected from 0 to {vertices - 1}, one to each other vertex"
            )
        counts[f"{per_vertex:g} arcs per vertex"] = round(per_vertex * vertices)
    if arcs is not None:
        counts[f"{arcs} arcs"] = arcs
    if not counts:
        raise RetraceError("the number of arcs is missing: give a density, arcs per vertex, or arcs")
    if len(set(counts.values())) > 1:
        meanings = ", ".join(f"{description} means {count}" for description, count in counts.items())
        raise RetraceError(f"the number of arcs contradicts itself ({meanings}); keep one of them")
    (description, count), *_ = counts.items()
    meaning = "" if description == f"{count} arcs" else f" ({count} arcs)"
    if not 0 <= count <= most:
        expected = f"from 0 to {most}, since {vertices} vertices have no more distinct arcs; ask for fewer"
    elif connected and count < vertices - 1:
        expected = (
            f"at least {vertices - 1}, since fewer connect no graph of {vertices} vertices; ask for more"
        )
    else:
        return count
    raise RetraceError(f"{description}{meaning}: expected {expected}")


def require_complete(vertices: int) -> None:
    """Raise RetraceError unless a complete graph may have so many vertices."""
    if not 1 <= vertices < 2**16:
        raise RetraceError(
            f"dense-{vertices}: expected from 1 to {2**16 - 1} vertices, so that 32 bits can count the arcs"
        )
