"""The command `eccentricities`: bounds of the diameter, and of each vertex's eccentricity, by few searches.

The eccentricity of a vertex is the greatest length of a shortest path from it, and the diameter the greatest
eccentricity. A search from v, and one to v, bound those of all others by the triangle inequality. The next
vertex is chosen as by F. Takes and W. Kosters, Determining the diameter of small world networks (CIKM 2011),
who alternate between the greatest upper and the least lower bound; their graphs are undirected.
"""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from retrace.graphs.arc_sets import is_symmetric, simplify
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers import find
from retrace.system.bars import bar
from retrace.system.errors import RetraceError, say
from retrace_commands.answer_document import AnswerDocument, describe_answer, described_values
from retrace_commands.answers import Answer, request_of, searcher
from retrace_commands.backend import graph_to_solve, solver_at_hand
from retrace_commands.graph_file import GraphFile, check_outputs
from retrace_commands.written_answers import check_formats, write_answer

Lengths = NDArray[np.int64]
LengthSearch = Callable[[int], Lengths]
"""Returns the length between a member, given by its position, and each member, shape (members,)."""
LARGE = np.int64(1) << 62


@dataclass(frozen=True)
class Bounds:
    """Bounds of the eccentricities of some vertices, each shape (members,), int64."""

    least: Lengths
    greatest: Lengths
    searches: int
    """From how many vertices."""

    @property
    def diameter(self) -> tuple[int, int]:
        """The lower and the upper bound of the diameter."""
        return int(self.least.max()), int(self.greatest.max())


def bound(
    members: int,
    first: int,
    lengths_from: LengthSearch,
    lengths_to: LengthSearch | None,
    most: int | None,
    every: bool,
) -> Bounds:
    """Bound eccentricities from at most `most` vertices, until the diameter is known, or `every` one.

    Without `lengths_to`, both directions have the same length.
    """
    least, greatest = np.zeros(members, np.int64), np.full(members, LARGE)
    vertex, searches = first, 0
    while True:
        outward = lengths_from(vertex)
        inward = outward if lengths_to is None else lengths_to(vertex)
        eccentricity = outward.max()
        least = np.maximum(least, np.maximum(inward, eccentricity - outward))
        greatest = np.minimum(greatest, inward + eccentricity)
        least[vertex] = greatest[vertex] = eccentricity
        searches += 1
        undecided = greatest > (least if every else least.max())
        if not undecided.any() or searches == most:
            return Bounds(least, greatest, searches)
        if searches % 2:
            vertex = int(np.where(undecided, greatest, -1).argmax())
        else:
            vertex = int(np.where(undecided, least, LARGE).argmin())


@dataclass(frozen=True)
class BoundedComponent:
    """The eccentricities in the largest component of a graph."""

    solver: str
    members: Int32Array
    """Its vertices, ascending."""
    bounds: Bounds
    unit: int
    """The bounds are lengths times this."""
    both_ways: bool
    """Whether both directions have the same lengths."""
    last: Answer
    """That of the last search."""


def bound_component(
    graph_file: GraphFile, solver: str | None, backend: str, check: str, most: int | None, every: bool
) -> BoundedComponent:
    """Bound eccentricities in the largest component; raise RetraceError if that is not possible."""
    graph = graph_file.graph
    if graph.vertices == 0:
        raise RetraceError(f"{graph_file.path}: expected a graph with vertices")
    solver = solver or ("sssp/dijkstra-heap" if graph_file.has_weights else "bfs/queue")
    if (problem := find(solver).problem) not in ("bfs", "sssp"):
        raise RetraceError(f"{solver}: expected a bfs or sssp solver")
    solver, _ = solver_at_hand(solver, backend)
    members = largest_component(graph)
    both_ways = graph.info.get("directed") is False or (problem == "bfs" and is_symmetric(graph))
    first = int(graph.degrees()[members].argmax())
    answers: list[Answer] = []
    request = request_of(graph_file, solver, Query(int(members[first])), backend)
    with request.device() as device, bar(unit="vertex", desc=solver) as progress:

        def lengths_in(file: GraphFile) -> LengthSearch:
            search = searcher(file, request, device, check)

            def lengths(position: int) -> Lengths:
                answers[:] = [search(int(members[position]))]
                progress.update()
                return answers[0].outcome.answer[members].astype(np.int64)

            return lengths

        outward = lengths_in(graph_file)
        inward = None if both_ways else lengths_in(replace(graph_file, graph=graph.reversed()))
        bounds = bound(len(members), first, outward, inward, most, every)
    unit = 1 if problem == "bfs" else graph_file.scale
    return BoundedComponent(solver, members, bounds, unit, both_ways, answers[0])


def bound_graph(arguments: Namespace) -> None:
    """Bound eccentricities in the largest component of a graph; write them, and print the diameter."""
    check_formats(arguments.output)
    check_outputs(arguments.output, arguments.graph)
    graph_file = graph_to_solve(arguments)
    component = bound_component(
        graph_file, arguments.solver, arguments.backend, arguments.check, arguments.searches,
        arguments.every_vertex,
    )  # fmt: skip
    solver, members, bounds = component.solver, component.members, component.bounds
    last, unit = component.last, component.unit
    columns = {"eccentricity_least": bounds.least, "eccentricity_most": bounds.greatest}
    suffix = "" if unit == 1 else f"_times_{unit}"

    def document() -> AnswerDocument:
        values = [
            described_values(graph_file, name, members, column / unit) for name, column in columns.items()
        ]
        least, most = (length / unit for length in bounds.diameter)
        return describe_answer(
            graph_file, solver, last.request.backend, values, last.checked, {}, diameter=(least, most)
        )

    for output in arguments.output:
        named = {f"{name}{suffix}": column for name, column in columns.items()}
        write_answer(output, {**graph_file.labels(members), **named}, document)
    if arguments.json:
        document().print()
        return
    graph_file.print_notes()
    least, most = bounds.diameter
    diameter = f"{least}" if least == most else f"{least} to {most}"
    searches = f"{bounds.searches} vertices searched from" + ("" if component.both_ways else ", and to")
    share = f"{len(members)} of {graph_file.graph.vertices} vertices in the largest component"
    say(
        f"{graph_file.path}: diameter {diameter}{'' if unit == 1 else f' (times {unit})'}, {share}; "
        f"{searches} by {solver}; {last.checked}"
    )


def largest_component(graph: CSRGraph) -> Int32Array:
    """Return the vertices of the largest component in which each reaches all others, ascending."""
    once = simplify(graph).to_scipy()  # parallel arcs keep SciPy 1.17 from ending
    labels = connected_components(once, connection="strong")[1]
    return np.flatnonzero(labels == np.bincount(labels).argmax()).astype(np.int32)
