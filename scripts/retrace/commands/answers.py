"""The commands `solve` and `path`: one solver, one query, checked as the pipeline checks it."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrace.check.result import CheckResult
from retrace.commands import scores
from retrace.commands.backend import choose_backend, failing_in_one_line, verify
from retrace.commands.graph_file import (
    GraphFile,
    check_outputs,
    read_graph,
    stage,
    write_graph,
    write_path,
    write_table,
)
from retrace.graphs.csr import UNREACHABLE, Int32Array
from retrace.graphs.paths import find_arcs, find_predecessors, keep_arcs, only_along, trace
from retrace.graphs.query import Query
from retrace.measure.trials import Measurement, Phases
from retrace.solvers import REGISTRY, make
from retrace.system.errors import RetraceError

WEIGHTED = ("sssp", "bellman-ford")
"""Problems whose paths are as long as the sum of their weights."""

PHASES = ("setup", "upload", "solve", "download")


@dataclass(frozen=True)
class Answer:
    """A solver's answer.

    Attributes
    ----------
    given
        The graph.
    solver
        Name of the solver.
    backend
        cuda, emulator or host.
    query
        What was asked, in ids from 0.
    lengths
        Level or distance of each vertex; for st-connectivity one length.
    predecessor
        Predecessor of each vertex, from a solver that has them.
    phases
        Milliseconds.
    result
        The result of checking the answer; None if it was not checked.
    """

    given: GraphFile
    solver: str
    backend: str
    query: Query
    lengths: Int32Array
    predecessor: Int32Array | None
    phases: Phases
    result: CheckResult | None

    @property
    def problem(self) -> str:
        """The problem that was solved."""
        return REGISTRY.find(self.solver).problem

    @property
    def checked(self) -> str:
        """What the answer was verified against, in words."""
        return "not checked" if self.result is None else f"verified against {self.result.oracle}"

    def traced_predecessors(self) -> Int32Array:
        """Return the solver's predecessors, or else derive them from its levels or distances."""
        if self.predecessor is not None:
            return self.predecessor
        weights = self.given.graph.weights if self.problem in WEIGHTED else None
        return find_predecessors(self.given.graph, self.query.source, self.lengths, weights)

    def path_to(self, target: int, predecessor: Int32Array) -> Int32Array:
        """Return the path to a vertex; raise RetraceError if there is none."""
        if self.lengths[target] == UNREACHABLE:
            base = self.given.base
            raise RetraceError(
                f"no path leads from {self.query.source + base} to {target + base} in {self.given.path} "
                f"(ids from {base})"
            )
        return trace(predecessor, self.query.source, target)


def solve(arguments: Namespace) -> None:
    """Run one solver, check its answer, write the output files and print a summary."""
    if arguments.solver.startswith("betweenness"):
        scores.solve(arguments)
        return
    outputs: list[Path] = arguments.output
    check_outputs(outputs, arguments.graph)
    given = read_graph(arguments.graph, arguments.format, takes_negative(arguments.solver))
    target = None if arguments.target is None else given.vertex(arguments.target, "--target")
    query = Query(given.vertex(arguments.source, "--source"), target)
    ends = [given.vertex(vertex, "--paths-to") for vertex in arguments.paths_to]
    answer = ask(given, arguments.solver, query, arguments.backend, arguments.check)

    paths: list[Int32Array] = []
    if ends or any(path.suffix == ".he" for path in outputs):
        predecessor = answer.traced_predecessors()
        paths = [answer.path_to(end, predecessor) for end in ends]
        wanted = only_along(predecessor, paths) if ends else predecessor
    for output in outputs:
        if output.suffix == ".he" and len(paths) == 1:
            write_path(given.graph, paths[0], output)
        elif output.suffix == ".he":
            write_graph(keep_arcs(given.graph, find_arcs(given.graph, wanted)), output)
        else:
            write_table(output, columns(answer))
    print(summary(answer))
    for path in paths:
        print(f"path to {path[-1] + given.base}: {listed(path, given.base)}")


def path(arguments: Namespace) -> None:
    """Find one path; print its length and its vertices."""
    check_outputs(arguments.output, arguments.graph)
    given = read_graph(arguments.graph, arguments.format, takes_negative(arguments.solver or ""))
    source, target = given.vertex(arguments.source, "--source"), given.vertex(arguments.target, "--target")
    solver = arguments.solver or ("bfs/queue" if given.graph.weights is None else "sssp/dijkstra-heap")
    answer = ask(given, solver, Query(source), arguments.backend, arguments.check)

    predecessor = answer.traced_predecessors()
    found = answer.path_to(target, predecessor)
    route = keep_arcs(given.graph, find_arcs(given.graph, only_along(predecessor, [found])))
    for output in arguments.output:
        if output.suffix == ".he":
            write_path(given.graph, found, output)
        else:
            write_table(output, {name: column[found] for name, column in columns(answer).items()})
    size = count_arcs(route.arcs)
    if route.weights is not None:
        size += f", weight {route.weights.sum(dtype=np.int64)}"
    print(
        f"path from {arguments.source} to {arguments.target} in {given.path}: {size} "
        f"(ids from {given.base}; {solver}, {answer.checked})"
    )
    print(listed(found, given.base))


def ask(given: GraphFile, solver: str, query: Query, backend: str, check: bool) -> Answer:
    """Run the phases of one trial, and check the answer.

    Raises
    ------
    NotVerifiedError
        If the oracle's answer differs.
    RetraceError
        If the solver fails, or cannot run here or on this graph.
    """
    kind = REGISTRY.find(solver)
    where, open_device = choose_backend(solver, kind.backends, backend)
    if kind.problem in WEIGHTED and given.graph.weights is None:
        raise RetraceError(
            f"{given.path}: {solver} needs weights, and a {given.kind} graph has none; draw some with "
            "`convert --weights`, or count arcs with a bfs solver"
        )
    measurement = Measurement(solver, where, query, open_device)
    with stage(f"solving with {solver} on {where}"), failing_in_one_line(f"{solver} on {where}"):
        if kind.sources:  # compile before the phases, if necessary
            with measurement.device() as device:
                make(solver, device).setup(given.graph)
        outcome = measurement.timed(given.graph)
    lengths, predecessor = outcome.answer, outcome.predecessor
    result = verify(solver, where, given.graph, query, lengths, predecessor) if check else None
    return Answer(given, solver, where, query, lengths, predecessor, outcome.phases, result)


def takes_negative(solver: str) -> bool:
    """Return whether a solver's problem allows negative weights."""
    return solver.startswith("bellman-ford/")


def length_name(answer: Answer) -> str:
    """Return the name of what a solver of this problem finds."""
    return {"bfs": "level", "stcon": "length"}.get(answer.problem, "distance")


def columns(answer: Answer) -> dict[str, Int32Array]:
    """Return an answer as columns, with the file's ids."""
    given, base = answer.given, np.int32(answer.given.base)
    if answer.query.target is not None:
        vertices = np.array([answer.query.target], dtype=np.int32)
    else:
        vertices = np.arange(given.graph.vertices, dtype=np.int32)
    found = {given.column("vertex"): vertices + base, length_name(answer): answer.lengths}
    if answer.predecessor is not None:
        before = np.where(answer.predecessor < 0, np.int32(-1), answer.predecessor + base)
        found[given.column("predecessor")] = before
    return found


def summary(answer: Answer) -> str:
    """Return one line: what was found, how fast, and whether it is verified."""
    given, lengths = answer.given, answer.lengths
    reached = lengths[lengths != UNREACHABLE]
    if answer.query.target is not None:
        to = f" to {answer.query.target + given.base}"
        found = count_arcs(reached[0]) if len(reached) else "no path"
    else:
        to = ""
        found = f"{len(reached)} of {len(lengths)} reached, largest {length_name(answer)} {reached.max()}"
    times = ", ".join(f"{phase} {answer.phases[phase]:.3f}" for phase in PHASES)
    emulated = " (emulated: no measure of a GPU)" if answer.backend == "emulator" else ""
    return (
        f"{answer.solver} on {answer.backend}, {given.path} from {answer.query.source + given.base}{to} "
        f"(ids from {given.base}): {found}; {times} ms{emulated}; {answer.checked}"
    )


def count_arcs(number: int) -> str:
    """Return a number of arcs in words."""
    return f"{number} arc{'' if number == 1 else 's'}"


def listed(path: Int32Array, base: int) -> str:
    """Return a path's vertices in the file's ids, separated by spaces."""
    return " ".join(map(str, (path + np.int32(base)).tolist()))
