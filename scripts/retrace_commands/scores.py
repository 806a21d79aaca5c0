"""The command `solve betweenness/...`: scores, batch by batch, so that progress is shown and stored."""

import hashlib
from argparse import Namespace
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.arc_sets import is_symmetric
from retrace.graphs.csr import CSRGraph
from retrace.measure.trials import Request
from retrace.solvers import Query, Solver, make
from retrace.system.bars import bar
from retrace.system.checkpoint import Checkpoint
from retrace.system.errors import RetraceError, say
from retrace.system.interrupts import doing
from retrace.system.option_words import by_caller, option
from retrace_commands.answer_document import AnswerDocument, describe_answer, described_values
from retrace_commands.arguments import seed_of
from retrace_commands.backend import Verifier, failing_in_one_line, graph_to_solve, on_backend, print_summary
from retrace_commands.graph_file import GraphFile, check_outputs
from retrace_commands.sample_bounds import bound_of_sample, error_in_words
from retrace_commands.written_answers import print_columns, write_answer


@dataclass(frozen=True)
class CheckedScores:
    """The scores of a graph's vertices."""

    request: Request
    directed: bool
    """Whether each direction of a pair counted."""
    values: NDArray[np.float64]
    """Shape (vertices,)."""
    seconds: float
    """What the searches took, without set-up."""
    resumed: int
    """Number of sources that an earlier run had done."""
    checked: str
    """What the scores were verified against, in words."""
    checkpoint: Checkpoint


def compute_scores(arguments: Namespace) -> None:
    """Compute scores, check them, write the output files and print a summary."""
    checkpoints = [] if arguments.checkpoint is None else [arguments.checkpoint]
    check_outputs([*arguments.output, *checkpoints], arguments.graph)
    graph_file = graph_to_solve(arguments)
    size, count = graph_file.graph.vertices, arguments.sources
    query = Query() if count is None else Query.sampled(size, count, seed_of(arguments))
    found = score(
        graph_file, arguments.solver, query, arguments.directed, arguments.normalized,
        arguments.backend, arguments.check, arguments.checkpoint,
    )  # fmt: skip
    scores = found.values
    vertices = np.arange(size, dtype=np.int32)
    if arguments.top is not None:
        vertices = np.argsort(-scores, kind="stable")[: arguments.top].astype(np.int32)  # NaN comes last
    columns = {**graph_file.labels(vertices), "score": scores[vertices]}
    bound = None if count is None else bound_of_sample(size, count)

    def document() -> AnswerDocument:
        return describe_answer(
            graph_file, arguments.solver, found.request.backend,
            [described_values(graph_file, "score", vertices, scores[vertices])], found.checked,
            {"solve": found.seconds * 1e3}, sources=size if count is None else count, error_bound=bound,
        )  # fmt: skip

    for output in arguments.output:
        write_answer(output, columns, document)
    found.checkpoint.remove()
    if arguments.json:
        document().print()
        return
    kind = "directed" if found.directed else "undirected"
    sampled = "all" if count is None else f"{count} sampled"
    summary = f"{graph_file.path}: {kind}, from {sampled} of {size} vertices"
    if not np.isnan(scores).all():
        first = int(np.nanargmax(scores))
        summary += f", highest score {scores[first]:.6g} at {graph_file.label(first)} ({graph_file.ids})"
    after = f" after {found.resumed} sources of an earlier run" if found.resumed else ""
    graph_file.print_notes()
    print_summary(found.request, summary, f"{found.seconds:.3f} s{after}", found.checked)
    if count is not None:
        say(error_in_words(bound))
    if arguments.top is not None:
        print_columns(columns)


def score(
    graph_file: GraphFile, solver: str, query: Query, directed: bool | None = None, normalized: bool = False,
    backend: str = "auto", check: str = "whole", checkpoint_file: Path | None = None,
) -> CheckedScores:  # fmt: skip
    """Compute the scores of a graph whose directions are known, and check them, if wanted.

    Each direction of a pair counts if `directed` or the graph says so, or if neither says anything and some
    arc has no reverse. Raise RetraceError if that is not possible.
    """
    graph, stated = graph_file.graph, graph_file.graph.info.get("directed")
    if stated is False and not is_symmetric(graph):
        raise RetraceError(
            f"{graph_file.path}: is undirected, but some arcs have no reverse; say {option('undirected')}"
        )
    pairs_once = is_symmetric(graph) if stated is None else not stated
    directed = directed is True or not pairs_once
    graph = replace(graph, info={**graph.info, "directed": directed})
    measurement = on_backend(solver, query, backend)
    identity = {  # all that determines scores
        "arcs": graph.digest(),
        "directions": directed,
        "solver settings": solver,
        "sources": hashlib.sha256(query.sources_in(graph).astype("<i4").data).hexdigest(),
    }
    with measurement.device() as device:
        checkpoint = Checkpoint.open(checkpoint_file, identity, graph.vertices)
        resumed = checkpoint.done
        seconds = sum_up(make(solver, device), solver, graph, query, checkpoint)
    checked = Verifier(check, measurement, graph).verify(query, checkpoint.scores)
    scores = checkpoint.scores * normalisation(graph, query) if normalized else checkpoint.scores
    return CheckedScores(measurement, directed, scores, seconds, resumed, checked, checkpoint)


def sum_up(solver: Solver, spec: str, graph: CSRGraph, query: Query, checkpoint: Checkpoint) -> float:
    """Add the remaining sources to a checkpoint, batch by batch; return the seconds without set-up."""
    sources = query.sources_in(graph)
    reason = solver.declines(Query(sources=tuple(sources[:1].tolist())))
    if reason is not None and (query.sources is not None or checkpoint.path is not None):
        asked = by_caller("--sources and --checkpoint", "sources")
        raise RetraceError(f"{spec}: {reason}; leave out {asked}, or take another solver")
    at_once = reason is not None or (solver.prefers_all(query) and checkpoint.path is None)
    size, done = len(sources), checkpoint.done
    remaining = bar(total=size, initial=done, unit="vertex", desc=spec)
    with remaining as progress, failing_in_one_line(spec):
        with doing(f"setting {spec} up"):
            solver.setup(graph)
        began = perf_counter()
        for batch in [sources] if at_once else checkpoint.batches(sources):
            batch_query = query if at_once else Query(sources=tuple(batch.tolist()))
            again = f"the same command goes on from {checkpoint.path}" if checkpoint.path and done else ""
            with doing(f"searching with {spec}, after {done} of {size} sources", again):
                solver.upload(batch_query)
                solver.solve(batch_query)
                scores = solver.download()
            checkpoint.add(scores, len(batch))
            done = checkpoint.done
            progress.update(len(batch))
    return perf_counter() - began


def normalisation(graph: CSRGraph, query: Query) -> NDArray[np.float64]:
    """Return NetworkX's factor of each vertex: 1 over the number of pairs that a sample of sources sees.

    A source among K is no inner vertex of its own paths: the other K - 1 see it, and of one source nothing.
    """
    n = graph.vertices
    if n <= 2:
        return np.ones(n)  # all scores are 0
    seen = np.full(n, float(n if query.sources is None else len(query.sources)))
    seen[query.sources_in(graph)] -= 1
    pairs = seen * (n - 2)
    factors: NDArray[np.float64] = np.divide(
        1 if graph.info["directed"] else 2, pairs, out=np.full(n, np.nan), where=pairs > 0
    )
    return factors
