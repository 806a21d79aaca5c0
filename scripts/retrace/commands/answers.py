"""The commands `solve` and `path`: one solver, one query, checked as the pipeline checks it."""

from argparse import Namespace
from dataclasses import dataclass, replace

import numpy as np

from retrace.commands.backend import failing_in_one_line, on_backend, print_summary, verify
from retrace.commands.graph_file import GraphFile, check_outputs, read_graph, stage, write_graph, write_table
from retrace.commands.scores import compute_scores
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.paths import arcs_of, find_arcs, find_predecessors, keep_arcs, only_along, trace
from retrace.graphs.query import Query
from retrace.measure.trials import Outcome, Request
from retrace.solvers import REGISTRY, make
from retrace.system.errors import RetraceError

WEIGHTED = ("sssp", "bellman-ford")
"""Problems whose paths are as long as the sum of their weights."""


@dataclass(frozen=True)
class Answer:
    """A solver's answer, in ids from 0."""

    given: GraphFile
    asked: Request
    """The solver, its backend and the query."""
    outcome: Outcome
    """Level or distance of each vertex (for st-connectivity one length), predecessors, and times."""
    checked: str
    """What the answer was verified against, in words."""

    @property
    def problem(self) -> str:
        """The problem that was solved."""
        return REGISTRY.find(self.asked.solver).problem

    @property
    def length_name(self) -> str:
        """The name of what a solver of this problem finds."""
        return {"bfs": "level", "stcon": "length"}.get(self.problem, "distance")

    def traced_predecessors(self) -> Int32Array:
        """Return the solver's predecessors, or else derive them from its levels or distances."""
        if self.outcome.predecessor is not None:
            return self.outcome.predecessor
        graph = self.given.graph
        weights = graph.weights if self.problem in WEIGHTED else None
        return find_predecessors(graph, self.asked.query.source, self.outcome.answer, weights)

    def path_to(self, target: int, predecessor: Int32Array) -> Int32Array:
        """Return the path to a vertex; raise RetraceError if there is none."""
        source, base = self.asked.query.source, self.given.base
        if self.outcome.answer[target if self.asked.query.target is None else 0] == UNREACHABLE:
            ends = f"from {source + base} to {target + base}"
            raise RetraceError(f"no path leads {ends} in {self.given.path} (ids from {base})")
        return trace(predecessor, source, target)

    def columns(self, path: Int32Array | None = None) -> dict[str, Int32Array]:
        """Return the answer as columns, with the file's ids: of all vertices, or of those of a path.

        An st-connectivity search tells the length to the target alone; along its path, arcs are counted.
        """
        base, target = np.int32(self.given.base), self.asked.query.target
        lengths, before = self.outcome.answer, self.outcome.predecessor
        if target is None:
            vertices = np.arange(self.given.graph.vertices, dtype=np.int32) if path is None else path
            lengths = lengths[vertices]
        elif path is None:
            vertices = np.array([target], dtype=np.int32)
        else:
            vertices, lengths = path, np.arange(len(path), dtype=np.int32)
        found = {f"vertex_from_{base}": vertices + base, self.length_name: lengths}
        if before is not None:
            before = before[vertices]
            found[f"predecessor_from_{base}"] = np.where(before < 0, np.int32(-1), before + base)
        return found


def solve_query(arguments: Namespace) -> None:
    """Run one solver, check its answer, write the output files and print a summary."""
    if arguments.solver.startswith("betweenness"):
        compute_scores(arguments)
        return
    check_outputs(arguments.output, arguments.graph)
    given = read_graph(arguments.graph, arguments.format, arguments.solver, arguments.directed)
    target = None if arguments.target is None else given.vertex(arguments.target, "--target")
    query = Query(given.vertex(arguments.source, "--source"), target)
    ends = [given.vertex(vertex, "--paths-to") for vertex in arguments.paths_to]
    answer = ask(given, arguments.solver, query, arguments)

    paths: list[Int32Array] = []
    if ends or any(output.suffix == ".he" for output in arguments.output):
        predecessor = answer.traced_predecessors()
        paths = [answer.path_to(end, predecessor) for end in ends]
        wanted = only_along(predecessor, paths) if ends else predecessor
    for output in arguments.output:
        if output.suffix != ".he":
            write_table(output, answer.columns())
        elif len(paths) == 1:
            write_graph(with_lengths(given.graph), output, arcs_of(given.graph, paths[0]))
        else:
            write_graph(with_lengths(keep_arcs(given.graph, find_arcs(given.graph, wanted))), output)
    setup, took = answer.outcome.setup, answer.outcome.times
    phases = {"setup": setup, "upload": took.upload, "solve": took.solve, "download": took.download}
    times = ", ".join(f"{phase} {milliseconds:.3f}" for phase, milliseconds in phases.items())
    given.print_note()
    print_summary(answer.asked, f"{given.path} {findings(answer)}", f"{times} ms", answer.checked)
    for path in paths:
        print(f"path to {path[-1] + given.base}: {listed(path, given.base)}")


def find_path(arguments: Namespace) -> None:
    """Find one path; print its length and its vertices."""
    check_outputs(arguments.output, arguments.graph)
    given = read_graph(arguments.graph, arguments.format, arguments.solver, arguments.directed)
    source, target = given.vertex(arguments.source, "--source"), given.vertex(arguments.target, "--target")
    solver = arguments.solver or ("bfs/queue" if given.graph.weights is None else "sssp/dijkstra-heap")
    of_pair = REGISTRY.find(solver).problem == "stcon"
    answer = ask(given, solver, Query(source, target if of_pair else None), arguments)

    found = answer.path_to(target, answer.traced_predecessors())
    route = arcs_of(given.graph, found)
    for output in arguments.output:
        if output.suffix == ".he":
            write_graph(with_lengths(given.graph), output, route)
        else:
            write_table(output, answer.columns(found))
    size = count_arcs(len(route))
    given.print_note()
    if given.graph.weights is not None:
        size += f", weight {given.graph.weights[route].sum(dtype=np.int64)}"
    print(
        f"path from {arguments.source} to {arguments.target} in {given.path}: {size} "
        f"(ids from {given.base}; {solver}, {answer.checked})"
    )
    print(listed(found, given.base))


def ask(given: GraphFile, solver: str, query: Query, arguments: Namespace) -> Answer:
    """Run the phases of one trial and check the answer, if wanted; RetraceError if that is not possible."""
    kind = REGISTRY.find(solver)
    asked = on_backend(solver, query, arguments.backend)
    if kind.problem in WEIGHTED and given.graph.weights is None:
        raise RetraceError(
            f"{given.path}: {solver} needs weights, and a {given.kind} graph has none; draw some with "
            "`convert --weights`, or count arcs with a bfs solver"
        )
    where = f"{solver} on {asked.backend}"
    with stage(f"solving with {where}"), failing_in_one_line(where):
        if kind.sources:  # compile before the phases, if necessary
            with asked.device() as device:
                make(solver, device).setup(given.graph)
        outcome = asked.once(given.graph)
    checked = verify(arguments.check, asked, given.graph, outcome.answer, outcome.predecessor)
    return Answer(given, asked, outcome, checked)


def with_lengths(graph: CSRGraph) -> CSRGraph:
    """Return the graph with weights, each 1 if it has none, so that a path's length is its arcs."""
    return graph if graph.weights is not None else replace(graph, weights=np.ones(graph.arcs, np.int32))


def findings(answer: Answer) -> str:
    """Return in words what was asked, and what was found."""
    query, base, lengths = answer.asked.query, answer.given.base, answer.outcome.answer
    reached = lengths[lengths != UNREACHABLE]
    if query.target is not None:
        to, found = f" to {query.target + base}", count_arcs(reached[0]) if len(reached) else "no path"
    else:
        to, largest = "", f"largest {answer.length_name} {reached.max()}"
        found = f"{len(reached)} of {len(lengths)} reached, {largest}"
    return f"from {query.source + base}{to} (ids from {base}): {found}"


def count_arcs(number: int) -> str:
    """Return a number of arcs in words."""
    return f"{number} arc{'' if number == 1 else 's'}"


def listed(path: Int32Array, base: int) -> str:
    """Return a path's vertices in the file's ids, separated by spaces."""
    return " ".join(map(str, (path + np.int32(base)).tolist()))
