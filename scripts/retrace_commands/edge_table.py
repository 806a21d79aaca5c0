"""Edges as a file has them, ids and weights as text; numbers the vertices and scales the weights."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import islice
from math import lcm
from typing import Any
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.formats.lines import LARGEST
from retrace.graphs.formats.parsing import MOST_PER_ARC, MOST_VERTICES
from retrace.system.errors import RetraceError
from retrace_commands.reverse_arcs import with_reverse_arcs

WHOLE = re.compile(r"[+-]?[0-9]+")
AS_WRITTEN = re.compile("0|-?[1-9][0-9]*")
"""A number, of which there is no other way to write it: 07 and +7 are names beside 7."""
DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,2})?")
ZERO = re.compile(r"[+-]?(0+\.?0*|\.0+)([eE][+-]?[0-9]+)?")
DECIMAL_COMMA = re.compile(r"[+-]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(\.[0-9]{3})+)?,[0-9]+([eE][+-]?[0-9]{1,2})?")
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")
"""A number with a decimal comma, and one with commas of thousands: 1,500 may be both."""
MOST_SHOWN = 40
"""Letters of a word that a message has."""
ODD_NUMBER = re.compile(r"\+|-?0|[^.]*\.|-?[0-9]+[eE]")
"""How a number begins that can be written in another way, too."""
EXACT_DIGITS = 28
"""Digits that a Decimal keeps."""
Ints = NDArray[np.int64]
MOST_EXPONENT = 400
"""Weights of more digits before or after the point, which no float has, are not scaled."""
EXACT = 2**53
"""Whole numbers up to it are exact as floats, by which distances are divided back."""
MOST_DIGITS, MOST_WHOLE = 18, 4000
"""Ids of at most so many digits are kept as numbers; of more than the second, as names."""


@dataclass
class EdgeColumns:
    """The edges of a large list as arrays."""

    ids: Ints
    """Tails and heads, shape (2, edges)."""
    names: list[str] | None
    """The names that `ids` number, as they came; None if they are the ids of the file."""
    weights: Ints | None = None
    weight_words: list[str] | None = None
    """The words that `weights` number; None if they are the weights."""


@dataclass
class Words:
    """Distinct words, numbered as they come."""

    places: dict[str, int] = field(default_factory=dict)

    def number(self, words: NDArray[np.object_]) -> Ints:
        """Return the number of each word, shape (words,)."""
        import pandas as pd

        codes, distinct = pd.factorize(words)
        known = [self.places.setdefault(word.strip(), len(self.places)) for word in distinct]
        return np.array(known, dtype=np.int64)[codes]

    def __len__(self) -> int:
        return len(self.places)

    @property
    def listed(self) -> list[str]:
        """The words by number."""
        return list(self.places)

    def after(self, known: int) -> list[str]:
        """Return the words after so many, without a look at these."""
        return [*islice(reversed(self.places), len(self) - known)][::-1]


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
    columns: EdgeColumns | None = None
    """What a large list has in place of tails, heads and weights."""
    negative: str = ""
    """The place in the file of its first negative weight, and the weight; empty if there is none."""
    odd: tuple[str, str] = ("", "")
    """Its first weight that is none that a graph can have, and where it is; empty if there is none."""
    guessed: str = ""
    """How names beyond ASCII are read, if the file does not say it."""
    no_weights: str = ""
    """Why what may be weights are none; empty if they are, or there are none."""

    def take_weight(self, weight: str, line: int) -> None:
        """Add the weight on a line of the file."""
        assert self.weights is not None
        self.weights.append(weight)
        if not self.negative and is_negative(weight):
            self.negative = f", line {line}: the weight {weight}"
        if not self.odd[1] and is_odd(weight):
            self.odd = weight, f"on line {line}"


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
    negative: str
    """As `EdgeTable` has it."""


def number(table: EdgeTable) -> NumberedGraph:
    """Make a graph; raise RetraceError if ids do not fit what the file says of them."""
    columns = table.columns or _columns(table)
    names, base, (tails, heads), vertices = _numbered(table, columns)
    weights, scale, no_weights = (None, 1, table.no_weights) if table.no_weights else _weights(columns)
    word = repr(table.odd[0][:MOST_SHOWN])
    no_weights = no_weights.replace(f"its weight {word}", f"its weight {word} {table.odd[1]}".rstrip(), 1)
    if no_weights and not table.no_weights:
        reason = re.split("[;:] ", no_weights)[0]
        table.notes.append(f"{table.where}: {reason}, so arcs have no weights")
    if names is not None and (alike := alike_names(names)):
        table.notes.append(alike)
    if table.guessed and names is not None and not all(map(str.isascii, names)):
        table.notes.append(f"{table.where}: {table.guessed}")
    info: dict[str, Any] = {} if table.directed is None else {"directed": table.directed}
    graph = from_arcs(vertices, tails, heads, weights, info)
    if table.directed is False:
        if table.has_both:
            _check_both_ends(table.where, graph)
        graph = with_reverse_arcs(graph)
    return NumberedGraph(graph, base, names, scale, no_weights, tuple(table.notes), table.negative)


def bare(name: str) -> str:
    """Return a name without blanks and single quotes around it."""
    name = name.strip()
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "'`" else name


def alike_names(names: Sequence[str]) -> str:
    """Return a note of two names that look the same, or are one number; empty if there are none."""
    known: dict[str, str] = {}
    odd = [name for name in names if not name.isascii() or ODD_NUMBER.match(name) or name != bare(name)]
    plain = set(names) if odd else set()
    for name in odd:
        shown = "".join(c for c in normalize("NFC", name) if category(c) != "Cf")
        shown = bare("".join(" " if category(c) == "Zs" else c for c in shown))
        if len(shown) < EXACT_DIGITS and DECIMAL.fullmatch(shown):
            shown = f"{Decimal(shown).normalize():f}"
        other = known.setdefault(shown, name)
        other = shown if other == name and shown in plain else other
        if other != name:
            return f"{other[:40]!a} and {name[:40]!a} are two vertices"
    return ""


def _check_both_ends(where: str, graph: CSRGraph) -> None:
    """Raise RetraceError unless each edge is at both its ends, with one weight, and none is a loop."""
    tails, heads = graph.tails(), graph.indices
    weights = np.zeros(graph.arcs, np.int32) if graph.weights is None else graph.weights
    if (loops := np.flatnonzero(tails == heads)).size:
        raise RetraceError(
            f"{where}: vertex {tails[loops[0]] + 1} is its own neighbour, but METIS has no self-loops; write "
            "a list of edges"
        )
    there, back = np.lexsort((weights, heads, tails)), np.lexsort((weights, tails, heads))
    if not (np.array_equal(tails[there], heads[back]) and np.array_equal(heads[there], tails[back])):
        raise RetraceError(f"{where}: expected each edge at both its ends, found some only at one")
    if (uneven := np.flatnonzero(weights[there] != weights[back])).size:
        tail, head = tails[there[uneven[0]]] + 1, heads[there[uneven[0]]] + 1
        raise RetraceError(f"{where}: expected one weight at both ends of the edge {tail} {head}, found two")


def _columns(table: EdgeTable) -> EdgeColumns:
    """Return the words of a table as arrays."""
    ends = [*table.tails, *table.heads]
    shape = 2, len(table.tails)
    if all(map(is_short_whole, [*ends, *table.isolated])):
        columns = EdgeColumns(np.array(list(map(int, ends)), dtype=np.int64).reshape(shape), None)
    else:
        pairs = zip(table.tails, table.heads, strict=True)
        names = list(dict.fromkeys([*table.isolated, *(name for pair in pairs for name in pair)]))
        place = {name: k for k, name in enumerate(names)}
        columns = EdgeColumns(np.array([place[name] for name in ends], dtype=np.int64).reshape(shape), names)
    if table.weights is not None:
        columns.weights, columns.weight_words = numbered_words(table.weights)
    return columns


def numbered_words(words: Sequence[str]) -> tuple[Ints, list[str]]:
    """Return the number of each word, shape (words,), and the distinct words by number, as they come."""
    places = {word: place for place, word in enumerate(dict.fromkeys(words))}
    return np.array([places[word] for word in words], dtype=np.int64), list(places)


def is_negative(weight: str) -> bool:
    """Return whether a number is below 0."""
    return weight.startswith("-") and weight.lower().partition("e")[0].strip("-0.") != ""


def is_zero(entry: str) -> bool:
    """Return whether an entry of a dense matrix is 0, however it is written."""
    return ZERO.fullmatch(entry) is not None


def is_odd(weight: str) -> bool:
    """Return whether a weight is none that a graph can have."""
    return not DECIMAL.fullmatch(weight) and scaled([weight])[0] is None


def is_short_whole(word: str) -> bool:
    """Return whether a word is a whole number that surely fits 64 bits, as numbers are written."""
    return len(word) <= MOST_DIGITS and AS_WRITTEN.fullmatch(word) is not None


def _weights(columns: EdgeColumns) -> tuple[Any, int, str]:
    """Return what `scaled` does; None without a reason if there are no weights."""
    if columns.weights is None:
        return None, 1, ""
    if columns.weight_words is not None:
        values, scale, reason = scaled(columns.weight_words)
        return None if values is None else values[columns.weights], scale, reason
    lowest, largest = (int(edge(columns.weights, initial=0)) for edge in (np.min, np.max))
    if max(-lowest, largest) > LARGEST:
        return scaled([str(lowest), str(largest)])
    return columns.weights, 1, ""


def _numbered(table: EdgeTable, columns: EdgeColumns) -> tuple[list[str] | None, int, Ints, int]:
    """Return names (or None), base, tails and heads from 0, and the number of vertices."""
    ids, names = columns.ids, columns.names
    if table.vertices is not None:
        return None, table.base, _within_header(table, columns), table.vertices
    if names is None:
        isolated = np.array(list(map(int, table.isolated)), dtype=np.int64)
        distinct, places = np.unique(np.concatenate([ids.ravel(), isolated]), return_inverse=True)
        whole, ids = distinct.tolist(), places[: ids.size].reshape(ids.shape)
    elif all(map(AS_WRITTEN.fullmatch, names)) and max(map(len, names), default=0) < MOST_WHOLE:
        whole = sorted(set(map(int, names)))
        place = {value: k for k, value in enumerate(whole)}
        ids = np.array([place[int(name)] for name in names], dtype=np.int64)[ids]
    else:
        return names, 0, ids, len(names)
    first = whole[0] if whole else 0
    if whole and first in (0, 1) and whole[-1] - first == len(whole) - 1:
        return None, first, ids, len(whole)
    return list(map(str, whole)), 0, ids, len(whole)


def check_vertices(where: str, vertices: int, edges: int) -> None:
    """Raise RetraceError if a header has far more vertices than edges."""
    if vertices > (most := max(MOST_VERTICES, MOST_PER_ARC * edges)):
        raise RetraceError(
            f"{where}: expected at most {most} vertices with {edges} edges, found {vertices}, which would "
            "fill the memory"
        )


def _within_header(table: EdgeTable, columns: EdgeColumns) -> Ints:
    """Return ids from 0; RetraceError if the header's number of vertices does not have one."""
    vertices = table.vertices or 0
    check_vertices(table.where, vertices, columns.ids.shape[1])
    last = table.base + vertices - 1
    ids = columns.ids
    wrong = (ids < table.base) | (ids > last) if columns.names is None else ids >= 0
    if wrong.any():
        words = columns.names or [str(ids[wrong][0])]
        word = next(word for word in words if not (is_short_whole(word) and table.base <= int(word) <= last))
        expected = f"whole ids from {table.base} to {last}, as its header says"
        raise RetraceError(f"{table.where}: expected {expected}, found {word[:60]!r}")
    return ids - table.base


def scaled(words: Iterable[str | Fraction]) -> tuple[Any, int, str]:
    """Return the weights as whole numbers, what they were multiplied by, and else why there are none."""
    values: list[Fraction] = []
    every = list(words)
    for word in every:
        if isinstance(word, Fraction):
            values.append(word)
            continue
        if WHOLE.fullmatch(word) and len(word) < MOST_EXPONENT:
            values.append(Fraction(int(word)))
            continue
        try:
            decimal = Decimal(word if "_" not in word and word.isascii() else "")
        except InvalidOperation:
            advice = without_comma(word, every)
            fault = f"has a comma; write {advice}" if advice else "is no number"
            return None, 1, f"its weight {word[:MOST_SHOWN]!r} {fault}"
        if not decimal.is_finite():
            return None, 1, f"its weight {word[:MOST_SHOWN]!r} is not finite"
        if (decimal and abs(decimal.adjusted()) > MOST_EXPONENT) or len(
            decimal.as_tuple().digits
        ) > MOST_EXPONENT:
            return (
                None,
                1,
                f"its weight {word[:MOST_SHOWN]!r} does not fit 32 bits; it has over {MOST_EXPONENT} digits",
            )
        values.append(Fraction(decimal))
    largest = max(map(abs, values), default=Fraction(0))
    if largest > LARGEST:
        divide = f"divide them by {_rounded(-(-largest // LARGEST))} or more and round them"
        return None, 1, f"its largest weight, {_rounded(largest)}, is above {LARGEST}; {divide}"
    scale = 1
    for denominator in {value.denominator for value in values}:
        scale = lcm(scale, denominator)
        if largest * scale > LARGEST or scale > EXACT:
            return None, 1, _why_not_whole(values, largest, scale)
    return np.array([int(value * scale) for value in values], dtype=np.int64), scale, ""


def without_comma(word: str, every: Iterable[str | Fraction] = ()) -> str:
    """Return what to write for a number with a comma, as others of `every` decide; else nothing."""
    texts = [text for text in [word, *every] if isinstance(text, str) and len(text) <= MOST_SHOWN]
    decimal, grouped = ({*filter(form.fullmatch, texts)} for form in (DECIMAL_COMMA, THOUSANDS))
    decided = bool(grouped - decimal) - bool(decimal - grouped)
    ways = []
    if word in grouped and (decided >= 0 or word not in decimal):
        ways.append(word.replace(",", ""))
    if word in decimal and (decided <= 0 or word not in grouped):
        ways.append(f"{word.replace('.', '').replace(',', '.')}, with a decimal point")
    return " or ".join(ways)


def _why_not_whole(values: Sequence[Fraction], largest: Fraction, scale: int) -> str:
    """Say what to multiply weights by, none of which is above the limit, but are times a scale."""
    power = len(str(int(LARGEST / largest))) - 1
    rounded, least = _rounded(largest), _rounded(min(abs(value) for value in values if value))
    factor = str(10**power) if power < MOST_DIGITS else f"1e{power}"
    said = f"multiply them by {factor} or less and round them"
    if any(0 < abs(value) * 10**power * 2 < 1 for value in values):
        said = f"no number fits both {rounded} and {least}: {said}, and {least} is 0"
    return (
        f"its weights would be whole only times {_rounded(scale)} or more, above {LARGEST}: {said} "
        "(fractions are scaled where 32 bits hold them)"
    )


def _rounded(number: int | Fraction) -> str:
    """Return a number of any size with at most ten digits."""
    decimal = Decimal(number.numerator) / number.denominator
    return (
        str(number) if number.denominator == 1 and number < 10**MOST_DIGITS else f"{decimal.normalize():.10g}"
    )


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
