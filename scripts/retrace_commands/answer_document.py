"""An answer as one JSON object: what `--json` prints, and what a file that ends in .json holds."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.models import Many, Model, field_texts
from retrace_commands.graph_file import GraphFile
from retrace_commands.sample_bounds import ErrorBound

VertexId = int | str
"""As the file has it: a number where the ids of the file have no gaps, else a text."""


class GraphSummary(Model):
    """The graph that was asked about."""

    path: str
    """Its file, as it was named."""
    vertices: int
    """Their number."""
    arcs: int
    """An undirected edge is two."""


class ValuesOfVertices(Model):
    """A value of each vertex, or of the `--top` ones, or of those of a path."""

    quantity: Literal["level", "distance", "length", "score", "eccentricity_least", "eccentricity_most"]
    """What each value is: arcs, a sum of weights, the arcs to one target, a score, or a bound."""
    source: VertexId | None
    """Where the paths begin; null for scores and eccentricities."""
    vertices: Many[VertexId]
    """Their ids in the file."""
    values: Many[int | float | None]
    """In the weights of the file; null where there is no path, or no score."""
    predecessors: Many[VertexId | None] | None
    """The vertex before each one on a shortest path; null if the solver finds none."""


class AnswerDocument(Model):
    """An answer."""

    schema_version: Literal[1] = 1
    """Another for a change that a reader of this one would not understand."""
    solver: str
    """Its name and settings."""
    backend: Literal["cuda", "emulator", "host"]
    """Where it ran."""
    graph: GraphSummary
    """The graph."""
    answers: Many[ValuesOfVertices]
    """One for each source."""
    paths: Many[Many[VertexId]]
    """Those of `--paths-to`, or the one of `path`."""
    sources: int | None
    """Of betweenness: from how many vertices paths begin."""
    error_bound: ErrorBound | None
    """Of normalised scores from sampled sources."""
    diameter: Many[int | float] | None
    """Its lower and its upper bound."""
    checked: str
    """What the answer was verified against, in words, or `not checked`."""
    milliseconds: dict[str, float]
    """By phase, those of the first source."""
    notes: Many[str]
    """What was assumed of the graph."""

    def print(self) -> None:
        """Print it on a line, in ASCII, which every terminal and pipe passes on."""
        print(self.model_dump_json(ensure_ascii=True))


def answer_schema() -> dict[str, Any]:
    """Return the JSON Schema of `AnswerDocument`, with the text below each field."""
    schema = AnswerDocument.model_json_schema()
    models = (AnswerDocument, GraphSummary, ValuesOfVertices, ErrorBound)
    parts = {"AnswerDocument": schema, **schema["$defs"]}
    for model in models:
        for name, text in field_texts(model).items():
            parts[model.__name__]["properties"][name]["description"] = text
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def ids_of(graph_file: GraphFile, vertices: Int32Array) -> list[VertexId]:
    """Return the file's ids of vertices."""
    if graph_file.names is None:
        return [vertex + graph_file.base for vertex in vertices.tolist()]
    return [graph_file.label(vertex) for vertex in vertices.tolist()]


def described_values(
    graph_file: GraphFile,
    quantity: Any,
    vertices: Int32Array,
    values: NDArray[Any],
    source: int | None = None,
    predecessor: Int32Array | None = None,
) -> ValuesOfVertices:
    """Describe values, and predecessors (-1 is none), both of the shape of `vertices`."""
    finite = np.isfinite(values) if values.dtype.kind == "f" else values != UNREACHABLE
    scale = graph_file.scale if quantity == "distance" else 1
    shown = values.tolist() if scale == 1 else (values / scale).tolist()
    given: list[int | float | None] = [v if has else None for v, has in zip(shown, finite, strict=True)]
    before: Sequence[VertexId | None] | None = None
    if predecessor is not None:
        names = ids_of(graph_file, np.maximum(predecessor, 0))
        before = [name if at >= 0 else None for name, at in zip(names, predecessor, strict=True)]
    begins = None if source is None else ids_of(graph_file, np.array([source], np.int32))[0]
    return ValuesOfVertices(
        quantity=quantity, source=begins, vertices=tuple(ids_of(graph_file, vertices)), values=tuple(given),
        predecessors=None if before is None else tuple(before),
    )  # fmt: skip


def describe_answer(
    graph_file: GraphFile,
    solver: str,
    backend: Any,
    answers: Sequence[ValuesOfVertices],
    checked: str,
    milliseconds: dict[str, float],
    *,
    paths: Sequence[Int32Array] = (),
    sources: int | None = None,
    error_bound: ErrorBound | None = None,
    diameter: tuple[float, float] | None = None,
) -> AnswerDocument:
    """Describe an answer with all that is known of it."""
    graph = graph_file.graph
    return AnswerDocument(
        solver=solver, backend=backend,
        graph=GraphSummary(path=str(graph_file.path), vertices=graph.vertices, arcs=graph.arcs),
        answers=tuple(answers), paths=tuple(tuple(ids_of(graph_file, path)) for path in paths),
        sources=sources, error_bound=error_bound, diameter=diameter, checked=checked,
        milliseconds=milliseconds, notes=graph_file.notes,
    )  # fmt: skip
