"""The commands `solve` and `path`, but for scores: one solver, asked from one source or from several."""

import sys
from argparse import Namespace

import numpy as np

from retrace.graphs.csr import Int32Array
from retrace.graphs.generators import sample_vertices
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers import find
from retrace.system.bars import bar
from retrace.system.errors import RetraceError, say
from retrace_commands.answers import Answer, ask, request_of, searcher, together
from retrace_commands.arguments import seed_of
from retrace_commands.backend import graph_to_solve, print_summary
from retrace_commands.graph_file import (
    GraphFile,
    check_outputs,
    has_negative_weights,
    write_arcs_of_paths,
    writing,
)
from retrace_commands.paths import arcs_of, find_arcs, keep_arcs, only_along
from retrace_commands.scores import compute_scores
from retrace_commands.written_answers import check_formats, print_columns, write_answer, write_matrix


def solve_query(arguments: Namespace) -> None:
    """Run one solver, check its answer, write the output files and print a summary."""
    check_formats(arguments.output)
    if arguments.solver.startswith("betweenness"):
        compute_scores(arguments)
        return
    check_outputs(arguments.output, arguments.graph)
    graph_file = graph_to_solve(arguments)
    if arguments.sources is not None or len(arguments.source) > 1:
        search_from_each(arguments, graph_file)
        return
    target = None if arguments.target is None else graph_file.vertex(arguments.target, "--target")
    query = Query(graph_file.vertex(arguments.source[0], "--source"), target)
    ends = [graph_file.vertex(vertex, "--paths-to") for vertex in arguments.paths_to]
    answer = ask(graph_file, arguments.solver, query, arguments.backend, arguments.check)

    paths: list[Int32Array] = []
    if ends or any(output.suffix == ".he" for output in arguments.output):
        predecessor = answer.traced_predecessors()
        paths = [answer.path_to(end, predecessor) for end in ends]
        tree = only_along(predecessor, paths) if ends else predecessor
    some = None if arguments.top is None else answer.farthest(arguments.top)
    for output in arguments.output:
        if output.suffix != ".he":
            write_answer(output, answer.columns(some), lambda: answer.document(some, paths))
        elif len(paths) == 1:
            write_arcs_of_paths(graph_file, graph_file.graph, output, arcs_of(graph_file.graph, paths[0]))
        else:
            kept = keep_arcs(graph_file.graph, find_arcs(graph_file.graph, tree))
            write_arcs_of_paths(graph_file, kept, output)
    if arguments.json:
        answer.document(some, paths).print()
        return
    times = ", ".join(f"{phase} {milliseconds:.3f}" for phase, milliseconds in answer.milliseconds.items())
    graph_file.print_notes()
    print_summary(answer.request, f"{graph_file.path} {findings(answer)}", f"{times} ms", answer.checked)
    for path in paths:
        say(f"path to {graph_file.label(path[-1])}: {listed(path, graph_file)}")
    if some is not None:
        print_columns(answer.columns(some))


def find_path(arguments: Namespace) -> None:
    """Find one path; print its length and its vertices."""
    check_formats(arguments.output)
    check_outputs(arguments.output, arguments.graph)
    graph_file = graph_to_solve(arguments)
    source = graph_file.vertex(arguments.source, "--source")
    target = graph_file.vertex(arguments.target, "--target")
    solver = arguments.solver or path_solver(graph_file)
    of_pair = find(solver).problem == "stcon"
    query = Query(source, target if of_pair else None)
    answer = ask(graph_file, solver, query, arguments.backend, arguments.check)

    path = answer.path_to(target, answer.traced_predecessors())
    route = arcs_of(graph_file.graph, path)
    for output in arguments.output:
        if output.suffix == ".he":
            write_arcs_of_paths(graph_file, graph_file.graph, output, route)
        else:
            write_answer(output, answer.columns(path), lambda: answer.document(path, [path]))
    if arguments.json:
        answer.document(path, [path]).print()
        return
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


def path_solver(graph_file: GraphFile) -> str:
    """Return what finds the shortest path of a graph, of the fewest arcs if its file has no weights."""
    graph = graph_file.graph
    if not graph_file.has_weights:
        return "bfs/queue"
    return "bellman-ford/sequential" if has_negative_weights(graph) else "sssp/dijkstra-heap"


def search_from_each(arguments: Namespace, graph_file: GraphFile) -> None:
    """Search from several sources; write a matrix with a row for each, and print a line for each."""
    if arguments.sources is None:
        sources = np.array([graph_file.vertex(name, "--source") for name in arguments.source], np.int32)
        if len(set(sources.tolist())) < len(sources):
            raise RetraceError(f"--source: expected different vertices, found {' '.join(arguments.source)}")
    else:
        sources = sample_vertices(graph_file.graph.vertices, arguments.sources, seed_of(arguments))
    request = request_of(graph_file, arguments.solver, Query(int(sources[0])), arguments.backend)
    with request.device() as device:
        search = searcher(graph_file, request, device, arguments.check)
        answers = [search(source) for source in bar(sources.tolist(), unit="source", desc=request.solver)]
    name = next(name for name in answers[0].columns() if name.startswith(answers[0].length_name))
    matrix = np.array([answer.outcome.answer for answer in answers])
    vertices = np.arange(graph_file.graph.vertices, dtype=np.int32)
    for output in arguments.output:
        if output.suffix in (".npy", ".npz"):
            with writing(output):
                labels = {**graph_file.labels(vertices), **graph_file.labels(sources, "source")}
                write_matrix(output, name, matrix, labels)
            if output.suffix == ".npy":
                scale = answers[0].scale
                scaled = "" if scale == 1 else f"; lengths are those of the file times {scale}"
                say(
                    f"note: {output}: has a row for each source, a column for each vertex, and no ids, which "
                    f".npz has{scaled}",
                    sys.stderr,
                )
        else:
            of_source = {
                f"{name}_from_{graph_file.label(v)}": row for v, row in zip(sources, matrix, strict=True)
            }
            write_answer(output, {**graph_file.labels(vertices), **of_source}, lambda: together(answers))
    if arguments.json:
        together(answers).print()
        return
    graph_file.print_notes()
    for answer in answers:
        say(f"{graph_file.path} {findings(answer)}")
    total = sum(answer.outcome.times.solve for answer in answers)
    print_summary(
        answers[0].request, f"{graph_file.path}: {len(answers)} sources", f"solve {total:.3f} ms",
        answers[0].checked,
    )  # fmt: skip


def findings(answer: Answer) -> str:
    """Return in words what was asked, and what was found."""
    query, graph_file, lengths = answer.request.query, answer.graph_file, answer.outcome.answer
    reached = lengths[lengths != UNREACHABLE]
    if query.target is not None:
        destination = f" to {graph_file.label(query.target)}"
        finding = count_arcs(reached[0]) if len(reached) else "no path"
    else:
        destination, largest = "", f"largest {answer.length_name} {reached.max()}"
        if answer.scale != 1:
            largest += f" (times {answer.scale})"
        finding = f"{len(reached)} of {len(lengths)} reached, {largest}"
    return f"from {graph_file.label(query.source)}{destination} ({graph_file.ids}): {finding}"


def count_arcs(number: int) -> str:
    """Return a number of arcs in words."""
    return f"{number} arc{'' if number == 1 else 's'}"


def listed(path: Int32Array, graph_file: GraphFile) -> str:
    """Return a path's vertices in the file's ids, separated by spaces."""
    return " ".join(map(graph_file.label, path.tolist()))
