"""The command `solve betweenness/...`: scores, batch by batch, so that progress is shown and stored."""

import hashlib
from argparse import Namespace
from dataclasses import replace
from time import perf_counter

import numpy as np

from retrace.graphs.answer_table import write_table
from retrace.graphs.arc_sets import is_symmetric
from retrace.graphs.csr import CSRGraph
from retrace.solvers import Query, Solver, make
from retrace.system.bars import bar
from retrace.system.checkpoint import Checkpoint
from retrace.system.errors import RetraceError
from retrace_commands.backend import failing_in_one_line, on_backend, print_summary, verify
from retrace_commands.graph_file import check_outputs, interruptible, read_graph, writing


def compute_scores(arguments: Namespace) -> None:
    """Compute scores, check them, write the output files and print a summary."""
    checkpoints = [] if arguments.checkpoint is None else [arguments.checkpoint]
    check_outputs([*arguments.output, *checkpoints], arguments.graph)
    graph_file = read_graph(arguments.graph, arguments.format, arguments.solver, arguments.directed)
    pairs_once = graph_file.graph.info.get("directed") is False or is_symmetric(graph_file.graph)
    directed = arguments.directed is True or not pairs_once
    graph = replace(graph_file.graph, info={**graph_file.graph.info, "directed": directed})
    count = arguments.sources
    query = Query() if count is None else Query.sampled(graph.vertices, count, arguments.seed)
    spec: str = arguments.solver
    measurement = on_backend(spec, query, arguments.backend)
    identity = {  # all that determines scores
        "arcs": graph.digest(),
        "directions": directed,
        "solver settings": spec,
        "sources": hashlib.sha256(query.sources_in(graph).astype("<i4").data).hexdigest(),
    }
    with measurement.device() as device:
        checkpoint = Checkpoint.open(arguments.checkpoint, identity, graph.vertices)
        resumed = checkpoint.done
        seconds = sum_up(make(spec, device), spec, graph, query, checkpoint)

    checked = verify(arguments.check, measurement, graph, checkpoint.scores)
    scores = checkpoint.scores * normalisation(graph, query) if arguments.normalized else checkpoint.scores
    vertices = np.arange(graph.vertices, dtype=np.int32) + np.int32(graph_file.base)
    for output in arguments.output:
        with writing(output):
            write_table(output, {f"vertex_from_{graph_file.base}": vertices, "score": scores})
    checkpoint.remove()
    kind = "directed" if directed else "undirected"
    sampled = "all" if count is None else f"{count} sampled"
    summary = f"{graph_file.path}: {kind}, from {sampled} of {graph.vertices} vertices"
    if len(scores):
        first = int(np.argmax(scores))
        summary += (
            f", highest score {scores[first]:.6g} at {first + graph_file.base} (ids from {graph_file.base})"
        )
    after = f" after {resumed} sources of an earlier run" if resumed else ""
    print_summary(measurement, summary, f"{seconds:.3f} s{after}", checked)


def sum_up(solver: Solver, spec: str, graph: CSRGraph, query: Query, checkpoint: Checkpoint) -> float:
    """Add the remaining sources to a checkpoint, batch by batch; return the seconds without set-up."""
    sources = query.sources_in(graph)
    reason = solver.declines(Query(sources=tuple(sources[:1].tolist())))
    if reason is not None and (query.sources is not None or checkpoint.path is not None):
        raise RetraceError(f"{spec}: {reason}; leave out --sources and --checkpoint, or take another solver")
    at_once = reason is not None or (solver.prefers_all(query) and checkpoint.path is None)
    size, done = len(sources), checkpoint.done
    remaining = bar(total=size, initial=done, unit="vertex", desc=spec)
    with remaining as progress, failing_in_one_line(spec):
        with interruptible():
            solver.setup(graph)
        began = perf_counter()
        for batch in [sources] if at_once else checkpoint.batches(sources):
            batch_query = query if at_once else Query(sources=tuple(batch.tolist()))
            with interruptible():
                solver.upload(batch_query)
                solver.solve(batch_query)
                scores = solver.download()
            checkpoint.add(scores, len(batch))
            progress.update(len(batch))
    return perf_counter() - began


def normalisation(graph: CSRGraph, query: Query) -> float:
    """Return NetworkX's factor: 1 over the number of pairs, scaled up from a sample to all sources."""
    n = graph.vertices
    if n <= 2:
        return 1.0  # all scores are 0
    pairs = (n - 1) * (n - 2) / (2 if graph.info["directed"] is False else 1)
    return 1 / pairs * (1 if query.sources is None else n / len(query.sources))
