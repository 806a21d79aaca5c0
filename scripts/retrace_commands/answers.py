"""What a solver answers from one source, or from several in turn, checked as the pipeline checks it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from cuda_device.interface import Device
from retrace.catalogue.known_solvers import WEIGHTED
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.formats.lines import LARGEST
from retrace.graphs.formats.parsing import may_overflow
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.measure.trials import ASKED_ONCE, Outcome, Request, one_pass
from retrace.solvers import REGISTRY, find, make
from retrace.system.errors import RetraceError, VertexError
from retrace.system.interrupts import doing
from retrace.system.option_words import by_caller
from retrace_commands.answer_document import AnswerDocument, describe_answer, described_values
from retrace_commands.backend import Verifier, failing_in_one_line, on_backend
from retrace_commands.edge_lists import UNREAD
from retrace_commands.graph_file import GraphFile, Labels, check_weights, stage
from retrace_commands.paths import find_predecessors, trace


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

    @property
    def scale(self) -> int:
        """What lengths of the file are multiplied by."""
        return self.graph_file.scale if self.length_name == "distance" else 1

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

    def of_vertices(self, some: Int32Array | None = None) -> tuple[Int32Array, Int32Array]:
        """Return vertices, all of them or those of a path, and the length to each.

        An st-connectivity search tells the length to the target alone; along its path, arcs are counted.
        """
        target, lengths = self.request.query.target, self.outcome.answer
        if target is None:
            vertices = np.arange(self.graph_file.graph.vertices, dtype=np.int32) if some is None else some
            return vertices, lengths[vertices]
        if some is None:
            return np.array([target], dtype=np.int32), lengths
        return some, np.arange(len(some), dtype=np.int32)

    def farthest(self, count: int) -> Int32Array:
        """Return the reached vertices of the greatest lengths, from the greatest on, by ids where equal."""
        lengths = self.outcome.answer
        reached = np.flatnonzero(lengths != UNREACHABLE)
        return reached[np.argsort(-lengths[reached].astype(np.int64), kind="stable")][:count].astype(np.int32)

    @property
    def milliseconds(self) -> dict[str, float]:
        """The time of each phase."""
        took = self.outcome.times
        phases = {"upload": took.upload, "solve": took.solve, "download": took.download}
        return ({} if self.outcome.setup is None else {"setup": self.outcome.setup}) | phases

    def columns(self, path: Int32Array | None = None) -> dict[str, Labels]:
        """Return the answer as columns, with the file's ids: of all vertices, or of those of a path."""
        name, predecessor = self.length_name, self.outcome.predecessor
        vertices, lengths = self.of_vertices(path)
        if self.scale != 1:
            name += f"_times_{self.scale}"
        table = {**self.graph_file.labels(vertices), name: lengths}
        if predecessor is not None:
            table |= self.graph_file.labels(predecessor[vertices], "predecessor")
        return table

    def document(self, some: Int32Array | None = None, paths: Sequence[Int32Array] = ()) -> AnswerDocument:
        """Describe the answer: of all vertices, or of some, such as those of a path."""
        vertices, lengths = self.of_vertices(some)
        before = None if self.outcome.predecessor is None else self.outcome.predecessor[vertices]
        values = described_values(
            self.graph_file, self.length_name, vertices, lengths, self.request.query.source, before
        )
        return describe_answer(
            self.graph_file, self.request.solver, self.request.backend, [values], self.checked,
            self.milliseconds, paths=paths,
        )  # fmt: skip


def ask(graph_file: GraphFile, solver: str, query: Query, backend: str, check: str) -> Answer:
    """Run the phases of one trial and check the answer, if wanted; RetraceError if that is not possible."""
    request = request_of(graph_file, solver, query, backend)
    place = f"{solver} on {request.backend}"
    with stage(f"solving with {place}"), failing_in_one_line(place), naming_vertices(graph_file):
        if find(solver).sources:  # compile before the phases, if necessary
            with request.device() as device:
                make(solver, device).setup(graph_file.graph)
        outcome = request.once(graph_file.graph)
    verifier = Verifier(check, request, graph_file.graph)
    return Answer(graph_file, request, outcome, verifier.verify(query, outcome.answer, outcome.predecessor))


@contextmanager
def naming_vertices(graph_file: GraphFile) -> Iterator[None]:
    """Let errors name vertices as the file does."""
    try:
        yield
    except VertexError as error:
        raise error.named(graph_file.label) from None


def searcher(
    graph_file: GraphFile, request: Request, device: Device | None, check: str
) -> Callable[[int], Answer]:
    """Set a solver up on a device; return what searches from a source, as `ask` does."""
    place = f"{request.solver} on {request.backend}"
    with doing(f"setting {place} up"), failing_in_one_line(place):
        ready = make(request.solver, device)
        ready.setup(graph_file.graph)
    verifier = Verifier(check, request, graph_file.graph)

    def search(source: int) -> Answer:
        query = Query(source)
        refuse_overflow(graph_file, request.solver, source)
        with doing(f"solving with {place}"), failing_in_one_line(place), naming_vertices(graph_file):
            outcome = one_pass(ready, query, device, ASKED_ONCE)
        checked = verifier.verify(query, outcome.answer, outcome.predecessor)
        before = None if outcome.predecessor is None else outcome.predecessor.copy()
        outcome = replace(outcome, answer=outcome.answer.copy(), predecessor=before)  # later ones overwrite
        return Answer(graph_file, replace(request, query=query), outcome, checked)

    return search


def request_of(graph_file: GraphFile, solver: str, query: Query, backend: str) -> Request:
    """Return what is to be run; raise RetraceError if the graph lacks what the solver needs."""
    request = on_backend(solver, query, backend)
    check_weights(graph_file, solver)
    if find(solver).problem in WEIGHTED and graph_file.graph.weights is None:
        none = ", and the graph has none"
        for note in graph_file.notes:
            if UNREAD in note:
                none = f"; {note.removeprefix(f'{graph_file.path}: ')}"
        draw = by_caller("draw some with `convert --weights`", "give it some")
        raise RetraceError(
            f"{graph_file.path}: {solver} needs weights{none}; {draw}, or count arcs with a bfs solver"
        )
    refuse_overflow(graph_file, solver, query.source)
    return request


def refuse_overflow(graph_file: GraphFile, solver: str, source: int) -> None:
    """Raise RetraceError if a distance from a source is longer than 32 bits hold."""
    if find(solver).problem in WEIGHTED and may_overflow(graph_file.graph, source):
        raise RetraceError(
            f"{graph_file.path}: expected distances of at most {LARGEST} (32 bits), but one from "
            f"{graph_file.label(source)} is longer; scale the weights down"
        )


def together(answers: Sequence[Answer]) -> AnswerDocument:
    """Describe the answers of several sources as one."""
    parts = [answer.document() for answer in answers]
    return parts[0].model_copy(update={"answers": tuple(part.answers[0] for part in parts)})


def with_lengths(graph: CSRGraph) -> CSRGraph:
    """Return the graph with weights, each 1 if it has none, so that a path's length is its arcs."""
    return graph if graph.weights is not None else replace(graph, weights=np.ones(graph.arcs, np.int32))
