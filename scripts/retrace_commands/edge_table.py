"""Edges as a file has them, ids and weights as text; numbers the vertices and scales the weights."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from retrace.graphs.arc_sets import is_symmetric, with_reverse_arcs
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.formats.lines import LARGEST
from retrace.graphs.formats.parsing import MOST_PER_ARC, MOST_VERTICES
from retrace.system.errors import RetraceError

WHOLE = re.compile(r"[+-]?[0-9]+")
MOST_EXPONENT = 40
"""Weights of more digits before or after the point are not scaled."""


@dataclass
class EdgeTable:
    """The edges of a file, in its order."""

    where: str
    """The file, for errors."""
    tails: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    weights: list[str] | None = None
    vertices: int | None = None
    """Number of vertices if the file says it; ids are then whole and begin at `base`."""
    base: int = 1
    directed: bool | None = None
    """What the file says; of an undirected one each edge may be there once or in both directions."""
    has_both: bool = False
    """Whether an undirected file must have each edge in both directions."""
    notes: list[str] = field(default_factory=list)
    """What was assumed."""
    isolated: list[str] = field(default_factory=list)
    """Names of vertices that may have no edge."""


@dataclass(frozen=True)
class NumberedGraph:
    """A graph, and what its vertices and weights are in the file."""

    graph: CSRGraph
    base: int
    names: Sequence[str] | None
    """Name of each vertex; None if they are the whole numbers from `base`."""
    scale: int
    """The graph's weights are those of the file times this."""
    no_weights: str
    """Why the graph has none of the file's weights; empty if it has them, or the file has none."""
    notes: tuple[str, ...]


def number(table: EdgeTable) -> NumberedGraph:
    """Make a graph; raise RetraceError if ids do not fit what the file says of them."""
    names, base, tails, heads, vertices = _numbered(table)
    weights, scale, no_weights = (None, 1, "") if table.weights is None else scaled(table.weights)
    info: dict[str, Any] = {} if table.directed is None else {"directed": table.directed}
    graph = from_arcs(vertices, tails, heads, weights, info)
    if table.directed is False:
        if table.has_both and not is_symmetric(graph):
            raise RetraceError(f"{table.where}: expected each edge at both its ends, found some only at one")
        graph = with_reverse_arcs(graph)
    return NumberedGraph(graph, base, names, scale, no_weights, tuple(table.notes))


def _numbered(table: EdgeTable) -> tuple[list[str] | None, int, Any, Any, int]:
    """Return names (or None), base, tails and heads from 0, and the number of vertices."""
    ends = [*table.tails, *table.heads]
    everything = [*ends, *table.isolated]
    edges = len(table.tails)
    if table.vertices is not None:
        most = max(MOST_VERTICES, MOST_PER_ARC * edges)
        if table.vertices > most:
            raise RetraceError(
                f"{table.where}: expected at most {most} vertices with {edges} edges, found "
                f"{table.vertices}, which would fill the memory"
            )
        last = table.base + table.vertices - 1
        for name in ends:
            if WHOLE.fullmatch(name) is None or len(name) > 20 or not table.base <= int(name) <= last:
                expected = f"whole ids from {table.base} to {last}, as its header says"
                raise RetraceError(f"{table.where}: expected {expected}, found {name[:60]!r}")
        ids = np.array([int(name) for name in ends], dtype=np.int64) - table.base
        return None, table.base, ids[:edges], ids[edges:], table.vertices
    if all(map(WHOLE.fullmatch, everything)) and max(map(len, everything), default=0) < 4000:
        whole = sorted({int(name) for name in everything})
        first = whole[0] if whole else 0
        names = (
            None
            if whole and first in (0, 1) and whole[-1] - first == len(whole) - 1
            else list(map(str, whole))
        )
        position = {value: k for k, value in enumerate(whole)}
        ids = np.array([position[int(name)] for name in ends], dtype=np.int64)
        return names, first if names is None else 0, ids[:edges], ids[edges:], len(whole)
    in_order = dict.fromkeys(
        [*table.isolated, *(name for pair in zip(table.tails, table.heads, strict=True) for name in pair)]
    )
    index = {name: k for k, name in enumerate(in_order)}
    ids = np.array([index[name] for name in ends], dtype=np.int64)
    return list(in_order), 0, ids[:edges], ids[edges:], len(in_order)


def scaled(words: Iterable[str]) -> tuple[Any, int, str]:
    """Return the weights as whole numbers, what they were multiplied by, and else why there are none."""
    values: list[Fraction] = []
    for word in words:
        if WHOLE.fullmatch(word) and len(word) < MOST_EXPONENT:
            values.append(Fraction(int(word)))
            continue
        try:
            decimal = Decimal(word if "_" not in word else "")
        except InvalidOperation:
            return None, 1, f"its weight {word[:40]!r} is no number"
        if not decimal.is_finite():
            return None, 1, f"its weight {word[:40]!r} is not finite"
        if (decimal and abs(decimal.adjusted()) > MOST_EXPONENT) or len(
            decimal.as_tuple().digits
        ) > MOST_EXPONENT:
            return None, 1, f"its weight {word[:40]!r} does not fit 32 bits"
        values.append(Fraction(decimal))
    scale = lcm(*{value.denominator for value in values}) if values else 1
    largest = max(map(abs, values), default=Fraction(0))
    if largest > LARGEST:
        return None, 1, f"its largest weight, {float(largest):.10g}, is above {LARGEST}; scale them down"
    if largest * scale > LARGEST:
        most = int(LARGEST // largest)
        return (
            None,
            1,
            (
                f"its weights would be whole only times {scale}, above {LARGEST}: multiply them by "
                f"{10 ** (len(str(most)) - 1)} or less and round them"
            ),
        )
    return np.array([int(value * scale) for value in values], dtype=np.int64), scale, ""


def without_isolated(graph: CSRGraph) -> tuple[CSRGraph, list[str] | None, int]:
    """Leave out vertices that no line names; return the graph, and names or base of the rest."""
    occurs = graph.degrees() > 0
    occurs[graph.indices] = True
    if occurs.all():
        return graph, None, 0
    kept = np.flatnonzero(occurs)
    place = np.cumsum(occurs) - 1
    tails, heads = place[graph.tails()], place[graph.indices]
    smaller = replace(from_arcs(len(kept), tails, heads, graph.weights, graph.info))
    if kept[0] == 1 and len(kept) == kept[-1]:
        return smaller, None, 1
    return smaller, list(map(str, kept.tolist())), 0
