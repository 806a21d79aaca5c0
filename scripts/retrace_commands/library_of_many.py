"""What a Python program calls for many searches at once: a matrix of lengths, and eccentricities."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from retrace.catalogue.known_solvers import WEIGHTED
from retrace.graphs.csr import Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers import find
from retrace.system.errors import RetraceError
from retrace_commands.answers import request_of, searcher
from retrace_commands.backend import solver_at_hand
from retrace_commands.called_arguments import is_name, refusing, short_form
from retrace_commands.eccentricities import bound_component
from retrace_commands.library import known_directions, load, way_of


@dataclass(frozen=True, eq=False)
class SolutionMatrix:
    """The answers of a solver from several sources."""

    solver: str
    """Its name and settings."""
    backend: str
    """Where it ran: `cuda`, `emulator` or `host`."""
    sources: Sequence[Hashable]
    """Where paths begin, by the caller's names, in order."""
    names: Sequence[Hashable]
    """The caller's name of each vertex, in order."""
    values: NDArray[Any]
    """Level (int32) or distance (int32, or float64 where weights are fractional), shape (sources, vertices);
    where there is no path, 2**31 - 1, or inf in float64."""
    predecessors: Int32Array | None
    """Shape (sources, vertices): position in `names` of the vertex before; -1 where there is none. None where
    the solver finds none."""
    checked: str
    """What the answers were verified against, or `not checked`."""
    notes: tuple[str, ...]
    """What was assumed of the graph."""

    def by_name(self, source: Hashable) -> dict[Hashable, Any]:
        """Return the value of each vertex that is reached from a source; RetraceError if it is none."""
        if not is_name(source) or source not in self.sources:
            raise RetraceError(f"source {short_form(source)}: expected one of those that were asked for")
        row = self.values[self.sources.index(source)]
        none = np.inf if row.dtype.kind == "f" else UNREACHABLE
        return {name: value for name, value in zip(self.names, row.tolist(), strict=True) if value != none}


@dataclass(frozen=True, eq=False)
class Eccentricities:
    """Bounds of eccentricities in the largest component in which each vertex reaches all others."""

    solver: str
    """Its name and settings."""
    names: Sequence[Hashable]
    """The caller's name of each vertex of the component."""
    least: NDArray[Any]
    greatest: NDArray[Any]
    """Bounds of each, shape of `names`, int64, or float64 where weights are fractional."""
    diameter: tuple[float, float]
    """Its lower and its upper bound, which are equal unless `searches` ended the search."""
    searches: int
    """From how many vertices, and to them if directions matter."""
    checked: str
    """What the searches were verified against, or `not checked`."""
    notes: tuple[str, ...]
    """What was assumed of the graph."""


@refusing
def solve_each(
    solver: str, graph: Any, starts: Iterable[Hashable], *, backend: str = "auto",
    check: bool | Literal["sample"] = True,
) -> SolutionMatrix:  # fmt: skip
    """Run a bfs, sssp or bellman-ford solver from each of several sources; return a matrix of its answers.

    Parameters
    ----------
    solver, graph, backend, check
        As `solve` takes them.
    starts
        The sources, by the caller's names, each once; any iterable.

    Raises
    ------
    RetraceError
        In one line, if it cannot be solved so; `NotVerifiedError` if a check has another answer.
    """
    solver, notes = solver_at_hand(solver, backend)
    loaded = load(graph)
    loaded = replace(loaded, graph_file=loaded.graph_file.with_notes(notes))
    problem = find(solver).problem
    if problem in ("betweenness", "stcon"):
        raise RetraceError(f"{solver}: expected a bfs, sssp or bellman-ford solver; `solve` runs it")
    wanted = list(starts) if isinstance(starts, Iterable) and not isinstance(starts, str | bytes) else []
    if not wanted:
        raise RetraceError(f"solve_each: starts: expected a list of vertices, found {short_form(starts)}")
    sources = [loaded.position(name, "source") for name in wanted]
    if len(set(sources)) < len(sources):
        raise RetraceError(f"solve_each: starts: expected different vertices, found {short_form(wanted)}")
    graph_file = known_directions(loaded, solver)
    request = request_of(graph_file, solver, Query(sources[0]), backend)
    with request.device() as device:
        search = searcher(graph_file, request, device, way_of(check))
        answers = [search(source) for source in sources]
    values: NDArray[Any] = np.array([answer.outcome.answer for answer in answers])
    if problem in WEIGHTED and graph_file.scale != 1:
        values = np.where(values == UNREACHABLE, np.inf, values / graph_file.scale)
    before = [p for answer in answers if (p := answer.outcome.predecessor) is not None]
    return SolutionMatrix(
        solver, request.backend, wanted, loaded.names, values, np.array(before) if before else None,
        answers[0].checked, graph_file.notes,
    )  # fmt: skip


@refusing
def eccentricities(
    graph: Any, *, solver: str | None = None, searches: int | None = None, every_vertex: bool = False,
    backend: str = "auto", check: bool | Literal["sample"] = True,
) -> Eccentricities:  # fmt: skip
    """Bound the diameter, and the eccentricity of each vertex, by few searches, as the command does.

    Parameters
    ----------
    graph, backend, check
        As `solve` takes them.
    solver
        A bfs or sssp solver; by default sssp/dijkstra-heap if there are weights, else bfs/queue.
    searches
        At most so many; None until the diameter is known.
    every_vertex
        Go on until each vertex's eccentricity is known, too.

    Raises
    ------
    RetraceError
        In one line, if it cannot be solved so; `NotVerifiedError` if a check has another answer.
    """
    loaded = load(graph)
    graph_file = known_directions(loaded, "")
    answer = bound_component(graph_file, solver, backend, way_of(check), searches, every_vertex)
    names, checked = loaded.names, answer.last.checked
    columns = answer.bounds.least, answer.bounds.greatest, np.array(answer.bounds.diameter)
    least, greatest, diameter = (c if answer.unit == 1 else c / answer.unit for c in columns)
    return Eccentricities(
        answer.solver, [names[vertex] for vertex in answer.members.tolist()], least, greatest,
        (diameter[0].item(), diameter[1].item()), answer.bounds.searches, checked, graph_file.notes,
    )  # fmt: skip
