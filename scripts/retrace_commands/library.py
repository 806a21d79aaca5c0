"""What a Python program calls: `from retrace import load, solve`, for a graph in hand, as the commands do."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from retrace.catalogue.known_solvers import WEIGHTED, given
from retrace.graphs.csr import Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers import find
from retrace.system.errors import RetraceError
from retrace_commands.answers import Answer, ask
from retrace_commands.backend import solver_at_hand
from retrace_commands.called_arguments import is_name, refusing, short_form
from retrace_commands.edge_table import AS_WRITTEN, MOST_WHOLE
from retrace_commands.graph_file import GraphFile, check_weights, read_as_it_is, with_directions
from retrace_commands.graph_objects import LIBRARIES, graph_in_hand
from retrace_commands.sample_bounds import ErrorBound, bound_of_sample
from retrace_commands.scores import score


@dataclass(frozen=True, eq=False)
class LoadedGraph:
    """A graph that `solve` takes as often as wanted."""

    graph_file: GraphFile
    """The arrays, of 32 bits, and what was assumed."""
    directed: bool | None = None
    """What the caller or a library's object says; None where only the arcs can tell."""

    @property
    def names(self) -> Sequence[Hashable]:
        """The vertices by the caller's names, in order: ids of a file are numbers where all are whole."""
        names, base = self.graph_file.names, self.graph_file.base
        if names is None:
            return range(base, base + self.graph_file.graph.vertices)
        if self.is_file and all(len(str(n)) < MOST_WHOLE and AS_WRITTEN.fullmatch(str(n)) for n in names):
            return [int(str(name)) for name in names]
        return names

    @property
    def is_file(self) -> bool:
        """Whether it was read from a file, whose names are text."""
        return self.graph_file.kind not in LIBRARIES

    def position(self, name: Hashable, role: str) -> int:
        """Return a vertex's number from 0; raise RetraceError if the graph has none of this name."""
        if not is_name(name):
            raise RetraceError(f"{role} {short_form(name)}: expected one vertex; `solve_each` takes several")
        if self.is_file:
            name = str(name)
        elif isinstance(name, float | np.floating) and name.is_integer():
            name = int(name)  # as an array of fractions has its ids
        return self.graph_file.vertex(name, role)


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer of a solver."""

    solver: str
    """Its name and settings."""
    backend: str
    """Where it ran: `cuda`, `emulator` or `host`."""
    names: Sequence[Hashable]
    """The caller's name of each vertex, in order; of st-connectivity the target's alone."""
    values: NDArray[Any]
    """Level (int32), distance (int32, or float64 where weights are fractional) or score (float64) of each
    vertex, shape (vertices,), or the number of arcs to the target, shape (1,); where there is no path,
    2**31 - 1, or inf in float64."""
    checked: str
    """What the answer was verified against, or `not checked`."""
    iterations: int | None = None
    """Of the solver, if it counts them; for scores the number of sources."""
    predecessors: Int32Array | None = None
    """Shape (vertices,): position in `names` of the vertex before on a shortest path; -1 where there is none.
    None where the solver finds none; `path_to` needs none."""
    notes: tuple[str, ...] = ()
    """What was assumed of the graph."""
    error_bound: ErrorBound | None = None
    """Of normalised scores from sampled sources."""
    _answer: Answer | None = field(default=None, repr=False)
    _graph: LoadedGraph | None = field(default=None, repr=False)

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether a path leads to each vertex, shape of `values`; scores are there for all."""
        if self._answer is None:
            return np.ones(self.values.shape, np.bool_)
        reached: NDArray[np.bool_] = self._answer.outcome.answer != UNREACHABLE
        return reached

    def by_name(self) -> dict[Hashable, Any]:
        """Return the value of each vertex that is reached, by its name."""
        names, values, reached = self.names, self.values.tolist(), self.reached
        return {names[k]: values[k] for k in np.flatnonzero(reached).tolist()}

    def traced_predecessors(self) -> Int32Array:
        """Return `predecessors`, or else those that fit the values; RetraceError for scores and pairs."""
        if self._answer is None or self._answer.request.query.target is not None:
            raise RetraceError(f"{self.solver}: finds no path; use a bfs or sssp solver")
        return self._answer.traced_predecessors()

    def path_to(self, target: Hashable) -> list[Hashable]:
        """Return the names of a shortest path from the source; RetraceError if there is none."""
        if self._answer is None or self._graph is None:
            raise RetraceError(f"{self.solver}: finds scores, but no path; use a bfs or sssp solver")
        of_pair = self._answer.request.query.target is not None
        if of_pair and self.predecessors is None:
            setting = "set predecessors=yes, or " if "predecessors" in find(self.solver).settings else ""
            raise RetraceError(f"{self.solver}: finds a length, but no path; {setting}use a bfs solver")
        path = self._answer.path_to(
            self._graph.position(target, "target"), self._answer.traced_predecessors()
        )
        return [self._graph.names[vertex] for vertex in path.tolist()]


@refusing
def load(
    graph: Any, *, directed: bool | None = None, weight: str | None = "weight", format: str = "auto",  # noqa: A002
    columns: Collection[Hashable] = (),
) -> LoadedGraph:  # fmt: skip
    """Return a graph for `solve`: a file of any format that the commands read, a library's object, or arrays.

    Parameters
    ----------
    graph
        A path, or `-` for standard input; a sparse matrix of SciPy or CuPy (each stored entry is an arc, in
        BSR and DIA each that is not 0); a graph of NetworkX, igraph or NetworKit; a list of edges, each a
        tuple `(tail, head[, weight])`; an array of shape (edges, 2 or 3) with the same; a DataFrame of
        pandas, whose columns are found as those of a file; or compressed sparse rows, a tuple
        `(indptr, indices[, weights])`, of shapes (vertices + 1,) and (arcs,), of NumPy or CuPy.
    directed
        Take arcs as they are (True), or add the reverse of each that has none (False). By default what the
        file or object says; if neither says anything, arcs without a reverse make it directed.
    weight
        The attribute of edges in NetworkX and igraph, or the column of a DataFrame, that has the weights;
        None leaves out those of any graph. Fractional weights are scaled to whole numbers.
    format, columns
        Of a file, as the options of the commands. `columns` of a DataFrame are labels of tail, head and
        perhaps weight.

    Raises
    ------
    RetraceError
        In one line, if it is no graph, cannot be read, is too large, or an argument is not understood.
    """
    chosen, said = list(columns), None
    if isinstance(graph, LoadedGraph):
        if (format, weight, chosen) != ("auto", "weight", []):
            raise RetraceError("load: takes format, weight and columns of what is not yet loaded")
        if directed is None:
            return graph
        taken, said = graph.graph_file, graph.directed
    elif isinstance(graph, str | PathLike):
        if weight not in (None, "weight"):
            raise RetraceError(f"{graph}: weight={short_form(weight)}: a file's is the third of its columns")
        names = [column for column in chosen if isinstance(column, str)]
        if len(names) < len(chosen):
            raise RetraceError(
                f"{graph}: columns {short_form(chosen)}: expected texts, names or numbers from 1"
            )
        taken = read_as_it_is(Path(graph), format, None, names)
        if weight is None:
            bare = replace(taken.graph, weights=None)
            taken = replace(taken, graph=bare, scale=1, no_weights="", negative="")
    else:
        if format != "auto":
            raise RetraceError(
                f"load: format={format!r}: is that of a file, and the graph is none; leave it out"
            )
        taken = graph_in_hand(graph, weight, chosen)
        said = taken.graph.info.get("directed")
        if weight not in (None, "weight") and taken.graph.arcs and not taken.has_weights:
            raise RetraceError(f"{taken.path}: weight={short_form(weight)}: no edge has this attribute")
    if directed is None or directed == said:
        return LoadedGraph(taken, said)
    return LoadedGraph(with_directions(taken, None, bool(directed)), bool(directed))


@refusing
def solve(
    solver: str, graph: Any, source: Hashable = None, target: Hashable = None, *, sources: int | None = None,
    seed: int | None = None, normalized: bool = False, backend: str = "auto",
    check: bool | Literal["sample"] = True,
) -> Solution:  # fmt: skip
    """Run a solver on a graph, as the command `solve` does, and return its answer with the caller's names.

    Parameters
    ----------
    solver
        Its name, with settings if wanted: `bfs/queue`, `betweenness/auto:precision=float`.
        `retrace.solvers()` lists them. Without a GPU, a program on a core answers in place of `bfs/auto` and
        the like, and the answer names it.
    graph
        What `load` returns or takes; load what is asked several times.
    source, target
        Where paths begin, by the caller's name; where they end, for st-connectivity alone.
    sources, seed, normalized
        For betweenness: number of sampled sources (all by default), the seed of the sample (1 by default),
        and whether scores are divided by the number of pairs, as NetworkX does.
    backend
        `auto`, `cuda` or `emulator`, for CUDA kernels.
    check
        Whether the answer is compared with an independent one, which costs a further search; "sample" is
        cheaper: lengths are proved in one pass over the arcs, scores are compared from 16 sources.

    Raises
    ------
    RetraceError
        In one line, if it cannot be solved so; `NotVerifiedError` if the check has another answer.
    """
    loaded, how = load(graph), way_of(check)
    problem = find(solver).problem
    if given(solver) != "graph":
        raise RetraceError(f"{solver}: takes no graph; take a solver of graphs, such as bfs/queue")
    check_weights(loaded.graph_file, solver)
    of_scores, of_pair = problem == "betweenness", problem == "stcon"
    for name, value, wanted in (("source", source, not of_scores), ("target", target, of_pair)):
        if wanted is (value is None):
            raise RetraceError(f"{solver}: {'needs a' if wanted else 'takes no'} {name}")
    if not of_scores and (sources is not None or normalized):
        raise RetraceError(f"{solver}: sources and normalized are for betweenness")
    if seed is not None and sources is None:
        raise RetraceError(f"{solver}: seed is that of sampled sources, and all are asked for; leave it out")
    solver, notes = solver_at_hand(solver, backend)
    loaded = replace(loaded, graph_file=loaded.graph_file.with_notes(notes))
    if of_scores:
        count = loaded.graph_file.graph.vertices
        query = Query() if sources is None else Query.sampled(count, sources, 1 if seed is None else seed)
        return scores_of(loaded, solver, query, normalized, backend, how)
    graph_file = known_directions(loaded, solver)
    ends = None if target is None else loaded.position(target, "target")
    query = Query(loaded.position(source, "source"), ends)
    answer = ask(graph_file, solver, query, backend, how)
    values = answer.outcome.answer
    if problem in WEIGHTED and graph_file.scale != 1:
        values = np.where(values == UNREACHABLE, np.inf, values / graph_file.scale)
    return Solution(
        solver, answer.request.backend, loaded.names if ends is None else [target], values,
        answer.checked, answer.outcome.iterations, answer.outcome.predecessor, graph_file.notes,
        _answer=answer, _graph=loaded,
    )  # fmt: skip


def way_of(check: bool | Literal["sample"]) -> str:
    """Return how an answer is checked, as `Verifier` takes it."""
    return check if isinstance(check, str) else "whole" if check else "none"


def scores_of(
    loaded: LoadedGraph,
    solver: str,
    query: Query,
    normalized: bool,
    backend: str = "auto",
    check: str = "whole",
) -> Solution:
    """Return scores, from the sources of a query."""
    graph_file = known_directions(loaded, solver)
    scored = score(graph_file, solver, query, loaded.directed, normalized, backend, check)
    count = len(query.sources_in(graph_file.graph))
    return Solution(
        solver,
        scored.request.backend,
        loaded.names,
        scored.values,
        scored.checked,
        count,
        None,
        graph_file.notes,
        error_bound=None if query.sources is None else bound_of_sample(len(scored.values), count),
    )


def known_directions(loaded: LoadedGraph, solver: str) -> GraphFile:
    """Return the graph with a note on directions, or raise RetraceError where scores depend on them."""
    if loaded.directed is not None:
        return loaded.graph_file
    return with_directions(loaded.graph_file, solver, None)
