"""The command `solve betweenness/...`: scores, batch by batch, so that progress is shown and stored."""

from __future__ import annotations

import hashlib
from argparse import Namespace
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from retrace.commands.backend import choose_backend, failing_in_one_line, verify
from retrace.commands.graph_file import (
    GraphFile,
    check_outputs,
    interruptible,
    read_graph,
    write_table,
)
from retrace.graphs.csr import CSRGraph
from retrace.graphs.reductions import is_symmetric
from retrace.measure.trials import Measurement
from retrace.solvers import REGISTRY, Query, Solver, make
from retrace.system.checkpoint import Checkpoint
from retrace.system.errors import RetraceError


def solve(arguments: Namespace) -> None:
    """Compute scores, check them, write the output files and print a summary."""
    kept = [] if arguments.checkpoint is None else [arguments.checkpoint]
    check_outputs([*arguments.output, *kept], arguments.graph)
    given = read_graph(arguments.graph, arguments.format)
    graph = with_direction(given.graph, arguments.directed)
    query = Query()
    if arguments.sources is not None:
        query = Query.sampled(graph.vertices, arguments.sources, arguments.seed)
    spec: str = arguments.solver
    where, open_device = choose_backend(spec, REGISTRY.find(spec).backends, arguments.backend)
    with Measurement(spec, where, query, open_device).device() as device:
        checkpoint = Checkpoint.open(
            arguments.checkpoint, checkpoint_identity(graph, spec, query), graph.vertices
        )
        resumed = checkpoint.done
        seconds = sum_up(make(spec, device), spec, graph, query, checkpoint)

    checked = "not checked"
    if arguments.check:
        result = verify(spec, where, graph, query, checkpoint.scores)
        checked = f"verified against {result.oracle}"
    scores = checkpoint.scores * normalisation(graph, query) if arguments.normalized else checkpoint.scores
    vertices = np.arange(graph.vertices, dtype=np.int32) + np.int32(given.base)
    for output in arguments.output:
        write_table(output, {given.column("vertex"): vertices, "score": scores})
    checkpoint.remove()
    after = f" after {resumed} sources of an earlier run" if resumed else ""
    emulated = " (emulated: no measure of a GPU)" if where == "emulator" else ""
    found = summary(given, graph, query, scores)
    print(f"{spec} on {where}, {given.path}: {found}; {seconds:.3f} s{after}{emulated}; {checked}")


def checkpoint_identity(graph: CSRGraph, spec: str, query: Query) -> dict[str, Any]:
    """Return all that determines scores, so that a checkpoint of others is refused."""
    return {
        "arcs": graph.digest(),
        "directions": graph.info.get("directed") is not False,
        "solver settings": spec,
        "sources": hashlib.sha256(query.sources_in(graph).astype("<i4").data).hexdigest(),
    }


def with_direction(graph: CSRGraph, directed: bool) -> CSRGraph:
    """Mark a graph as undirected if every arc has its reverse, unless it is declared directed."""
    undirected = not directed and (graph.info.get("directed") is False or is_symmetric(graph))
    return replace(graph, info={**graph.info, "directed": not undirected})


def sum_up(solver: Solver, spec: str, graph: CSRGraph, query: Query, checkpoint: Checkpoint) -> float:
    """Add the remaining sources to a checkpoint, batch by batch; return the seconds without set-up.

    Raises
    ------
    RetraceError
        If the solver fails, or it takes no batches and a checkpoint is asked for.
    """
    sources = query.sources_in(graph)
    whole = solver.declines(Query(sources=tuple(sources[:1].tolist())))
    if whole is not None and (query.sources is not None or checkpoint.path is not None):
        raise RetraceError(f"{spec}: {whole}; leave out --sources and --checkpoint, or take another solver")
    at_once = whole is not None or (solver.prefers_all(query) and checkpoint.path is None)
    began = perf_counter()
    remaining = tqdm(
        total=len(sources), initial=checkpoint.done, unit="vertex", desc=spec, leave=False, disable=None
    )
    with remaining as progress, failing_in_one_line(spec):
        with interruptible():
            solver.setup(graph)
        began = perf_counter()
        for batch in [sources] if at_once else checkpoint.batches(sources):
            asked = query if at_once else Query(sources=tuple(batch.tolist()))
            with interruptible():
                solver.upload(asked)
                solver.solve(asked)
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


def summary(given: GraphFile, graph: CSRGraph, query: Query, scores: NDArray[np.float64]) -> str:
    """Return in words the graph, the sources, and the vertex of the highest score."""
    kind = "directed" if graph.info["directed"] else "undirected"
    count = "all" if query.sources is None else f"{len(query.sources)} sampled"
    found = f"{kind}, from {count} of {graph.vertices} vertices"
    if len(scores):
        first = int(np.argmax(scores))
        found += f", highest score {scores[first]:.6g} at {first + given.base} (ids from {given.base})"
    return found
