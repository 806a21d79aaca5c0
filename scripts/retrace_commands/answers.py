"""The commands `solve` and `path`: one solver, one query, checked as the pipeline checks it."""

from argparse import Namespace
from dataclasses import dataclass, replace

import numpy as np

from retrace.catalogue.known_solvers import WEIGHTED
from retrace.graphs.answer_table import write_table
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.formats.lines import LARGEST
from retrace.graphs.formats.parsing import may_overflow
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.measure.trials import Outcome, Request
from retrace.solvers import REGISTRY, make
from retrace.system.errors import RetraceError, say
from retrace_commands.backend import failing_in_one_line, on_backend, print_summary, verify
from retrace_commands.graph_file import (
    GraphFile,
    Labels,
    check_outputs,
    read_graph,
    stage,
    write_graph,
    writing,
)
from retrace_commands.paths import arcs_of, find_arcs, find_predecessors, keep_arcs, only_along, trace
from retrace_commands.scores import compute_scores


@dataclass(frozen=True)
class Answer:
    """A solver's answer, in ids from 0."""

    graph_file: GraphFile
    request: Request
    """The solver, its backend and the query."""
    outcome: Outcome
    """Level or distance of each vertex (for st-connectivity one length), predecessors, and times."""
    checked: str
    """What the answer was verified against, in words."""

    @property
    def problem(self) -> str:
        """The problem that was solved."""
        return REGISTRY.find(self.request.solver).problem

    @property
    def length_name(self) -> str:
        """The name of what a solver of this problem finds."""
        return {"bfs": "level", "stcon": "length"}.get(self.problem, "distance")

    def traced_predecessors(self) -> Int32Array:
        """Return the solver's predecessors, or else derive them from its levels or distances."""
        if self.outcome.predecessor is not None:
            return self.outcome.predecessor
        graph = self.graph_file.graph
        weights = graph.weights if self.problem in WEIGHTED else None
        return find_predecessors(graph, self.request.query.source, self.outcome.answer, weights)

    def path_to(self, target: int, predecessor: Int32Array) -> Int32Array:
        """Return the path to a vertex; raise RetraceError if there is none."""
        source, label = self.request.query.source, self.graph_file.label
        if self.outcome.answer[target if self.request.query.target is None else 0] == UNREACHABLE:
            ends = f"from {label(source)} to {label(target)}"
            raise RetraceError(f"no path leads {ends} in {self.graph_file.path} ({self.graph_file.ids})")
        return trace(predecessor, source, target)

    def columns(self, path: Int32Array | None = None) -> dict[str, Labels]:
        """Return the answer as columns, with the file's ids: of all vertices, or of those of a path.

        An st-connectivity search tells the length to the target alone; along its path, arcs are counted.
        """
        target, name = self.request.query.target, self.length_name
        lengths, predecessor = self.outcome.answer, self.outcome.predecessor
        if target is None:
            vertices = np.arange(self.graph_file.graph.vertices, dtype=np.int32) if path is None else path
            lengths = lengths[vertices]
        elif path is None:
            vertices = np.array([target], dtype=np.int32)
        else:
            vertices, lengths = path, np.arange(len(path), dtype=np.int32)
        if name == "distance" and self.graph_file.scale != 1:
            name += f"_times_{self.graph_file.scale}"
        table = {**self.graph_file.labels(vertices), name: lengths}
        if predecessor is not None:
            table |= self.graph_file.labels(predecessor[vertices], "predecessor")
        return table


def solve_query(arguments: Namespace) -> None:
    """Run one solver, check its answer, write the output files and print a summary."""
    if arguments.solver.startswith("betweenness"):
        compute_scores(arguments)
        return
    check_outputs(arguments.output, arguments.graph)
    graph_file = read_graph(
        arguments.graph, arguments.format, arguments.solver, arguments.directed, arguments.columns
    )
    target = None if arguments.target is None else graph_file.vertex(arguments.target, "--target")
    query = Query(graph_file.vertex(arguments.source, "--source"), target)
    ends = [graph_file.vertex(vertex, "--paths-to") for vertex in arguments.paths_to]
    answer = ask(graph_file, arguments.solver, query, arguments.backend, arguments.check)

    paths: list[Int32Array] = []
    if ends or any(output.suffix == ".he" for output in arguments.output):
        predecessor = answer.traced_predecessors()
        paths = [answer.path_to(end, predecessor) for end in ends]
        tree = only_along(predecessor, paths) if ends else predecessor
    for output in arguments.output:
        if output.suffix != ".he":
            with writing(output):
                write_table(output, answer.columns())
        elif len(paths) == 1:
            write_graph(with_lengths(graph_file.graph), output, arcs_of(graph_file.graph, paths[0]))
        else:
            write_graph(with_lengths(keep_arcs(graph_file.graph, find_arcs(graph_file.graph, tree))), output)
    setup, took = answer.outcome.setup, answer.outcome.times
    phases = {"setup": setup, "upload": took.upload, "solve": took.solve, "download": took.download}
    times = ", ".join(f"{phase} {milliseconds:.3f}" for phase, milliseconds in phases.items())
    graph_file.print_notes()
    print_summary(answer.request, f"{graph_file.path} {findings(answer)}", f"{times} ms", answer.checked)
    for path in paths:
        say(f"path to {graph_file.label(path[-1])}: {listed(path, graph_file)}")


def find_path(arguments: Namespace) -> None:
    """Find one path; print its length and its vertices."""
    check_outputs(arguments.output, arguments.graph)
    graph_file = read_graph(
        arguments.graph, arguments.format, arguments.solver, arguments.directed, arguments.columns
    )
    source = graph_file.vertex(arguments.source, "--source")
    target = graph_file.vertex(arguments.target, "--target")
    solver = arguments.solver or ("bfs/queue" if graph_file.graph.weights is None else "sssp/dijkstra-heap")
    of_pair = REGISTRY.find(solver).problem == "stcon"
    query = Query(source, target if of_pair else None)
    answer = ask(graph_file, solver, query, arguments.backend, arguments.check)

    path = answer.path_to(target, answer.traced_predecessors())
    route = arcs_of(graph_file.graph, path)
    for output in arguments.output:
        if output.suffix == ".he":
            write_graph(with_lengths(graph_file.graph), output, route)
        else:
            with writing(output):
                write_table(output, answer.columns(path))
    size = count_arcs(len(route))
    graph_file.print_notes()
    if graph_file.graph.weights is not None:
        scaled = "" if graph_file.scale == 1 else f" (times {graph_file.scale})"
        size += f", weight {graph_file.graph.weights[route].sum(dtype=np.int64)}{scaled}"
    say(
        f"path from {arguments.source} to {arguments.target} in {graph_file.path}: {size} "
        f"({graph_file.ids}; {solver}, {answer.checked})"
    )
    say(listed(path, graph_file))


def ask(graph_file: GraphFile, solver: str, query: Query, backend: str, check: bool) -> Answer:
    """Run the phases of one trial and check the answer, if wanted; RetraceError if that is not possible."""
    kind = REGISTRY.find(solver)
    measurement = on_backend(solver, query, backend)
    if kind.problem in WEIGHTED and graph_file.graph.weights is None:
        raise RetraceError(
            f"{graph_file.path}: {solver} needs weights, and a {graph_file.kind} graph has none; draw some "
            "with `convert --weights`, or count arcs with a bfs solver"
        )
    if kind.problem in WEIGHTED and may_overflow(graph_file.graph, query.source):
        raise RetraceError(
            f"{graph_file.path}: expected distances of at most {LARGEST} (32 bits), but one from "
            f"{graph_file.label(query.source)} is longer; scale the weights down"
        )
    place = f"{solver} on {measurement.backend}"
    with stage(f"solving with {place}"), failing_in_one_line(place):
        if kind.sources:  # compile before the phases, if necessary
            with measurement.device() as device:
                make(solver, device).setup(graph_file.graph)
        outcome = measurement.once(graph_file.graph)
    checked = verify(check, measurement, graph_file.graph, outcome.answer, outcome.predecessor)
    return Answer(graph_file, measurement, outcome, checked)


def with_lengths(graph: CSRGraph) -> CSRGraph:
    """Return the graph with weights, each 1 if it has none, so that a path's length is its arcs."""
    return graph if graph.weights is not None else replace(graph, weights=np.ones(graph.arcs, np.int32))


def findings(answer: Answer) -> str:
    """Return in words what was asked, and what was found."""
    query, graph_file, lengths = answer.request.query, answer.graph_file, answer.outcome.answer
    reached = lengths[lengths != UNREACHABLE]
    if query.target is not None:
        destination = f" to {graph_file.label(query.target)}"
        finding = count_arcs(reached[0]) if len(reached) else "no path"
    else:
        destination, largest = "", f"largest {answer.length_name} {reached.max()}"
        if answer.length_name == "distance" and graph_file.scale != 1:
            largest += f" (times {graph_file.scale})"
        finding = f"{len(reached)} of {len(lengths)} reached, {largest}"
    return f"from {graph_file.label(query.source)}{destination} ({graph_file.ids}): {finding}"


def count_arcs(number: int) -> str:
    """Return a number of arcs in words."""
    return f"{number} arc{'' if number == 1 else 's'}"


def listed(path: Int32Array, graph_file: GraphFile) -> str:
    """Return a path's vertices in the file's ids, separated by spaces."""
    return " ".join(map(graph_file.label, path.tolist()))
