"""Whether the variants of a table differ for the reasons that its report gives, from the records alone.

The variants differ in how the host sees the mask, which is part of `solve`; the graph's upload is alike for
all. A variant is faster for the report's reason where its time outside the kernels, in which the mask is
moved, is less too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrace.graphs.random import size
from retrace.publish.published import VariantTable
from retrace.publish.rows import TIMES, Line, size_name
from retrace.records.model import Phase, Record
from retrace.records.statistics import SAME, order, summarise

RULE = (
    f"Less, more: the quartiles do not overlap, and the medians are {SAME - 1:.0%} apart. Yes: solve takes "
    "less at most sizes, more at none, and less outside the kernels, where the mask is moved. The total adds "
    "the graph's upload, alike for all."
)
"""What the sentences mean."""

LEAST_TRIALS = 3
"""Fewer have no quartiles to speak of."""


@dataclass(frozen=True)
class Comparison:
    """A variant beside the standard one on a machine: on which graphs, by name, it took less or more time."""

    solver: str
    graphs: list[str]
    less: list[str]
    more: list[str]
    saved: list[str]
    """Graphs on which it took less, and less outside the kernels."""
    total_less: int
    total_more: int
    ratio: float
    """Of the medians of `solve`, on the largest graph."""

    @property
    def holds(self) -> str:
        """Whether the variant is faster for the report's reason."""
        if 2 * len(self.saved) > len(self.graphs) and not self.more:
            return "Yes"
        return "At some sizes only" if self.saved else "No"

    @property
    def verdict(self) -> str:
        """Say in words whether the variant is faster for the report's reason."""
        if self.holds == "At some sizes only":
            slower = f", slower at {self._sizes(self.more)}" if self.more else ""
            return f"only at {self._sizes(self.saved)}{slower}"
        if self.holds == "No" and 2 * len(self.less) > len(self.graphs):
            return "no, faster, but for another reason: not outside the kernels"
        return "no, slower" if 2 * len(self.more) > len(self.graphs) else self.holds.lower()

    @property
    def numbers(self) -> str:
        """Say in words what the verdict rests on."""
        return (
            f"Solve: less at {len(self.less)}, more at {len(self.more)} of {len(self.graphs)} sizes "
            f"({self.ratio:.2f}{TIMES} at {size_name(self.graphs[-1])}); total: less at {self.total_less}, "
            f"more at {self.total_more}."
        )

    def _sizes(self, graphs: list[str]) -> str:
        """Name the sizes of some of the graphs, neighbours by the first and the last."""
        places = [self.graphs.index(graph) for graph in graphs]
        if len(places) > 2 and places[-1] - places[0] == len(places) - 1:
            return f"{size_name(graphs[0])} to {size_name(graphs[-1])}"
        return ", ".join(size_name(graph) for graph in graphs)


def compare(layout: VariantTable, rows: Sequence[Line], machine: str) -> list[Comparison]:
    """Compare each variant that the report makes a claim for, on the graphs of `rows`, the largest last."""
    found = []
    for solver in layout.claims:
        pairs = {
            line.graph: (own, standard)
            for line in rows
            if (own := line.records.get((machine, solver)))
            and (standard := line.records.get((machine, layout.standard)))
            and _comparable(own, standard)
        }
        if not pairs:
            continue
        solve = {graph: _order(*pair, "solve") for graph, pair in pairs.items()}
        total = [_order(*pair, "total") for pair in pairs.values()]
        less = [graph for graph, order in solve.items() if order == -1]
        last = [_median(record, "solve") for record in list(pairs.values())[-1]]
        found.append(
            Comparison(
                solver=solver,
                graphs=list(pairs),
                less=less,
                more=[graph for graph, order in solve.items() if order == 1],
                saved=[graph for graph in less if _outside(pairs[graph][0]) < _outside(pairs[graph][1])],
                total_less=total.count(-1),
                total_more=total.count(1),
                ratio=last[0] / last[1],
            )
        )
    return found


def sentences(layout: VariantTable, rows: Sequence[Line], machine: str, names: dict[str, str]) -> list[str]:
    """Say for a machine whether the variants differ for the report's reasons, then the numbers of each."""
    found, standard = compare(layout, rows, machine), names[layout.standard]
    if not found:
        return []
    groups = {
        key: ", ".join(names[one.solver] for one in found if one.holds == key)
        for key in ("Yes", "At some sizes only", "No")
    }
    said = " ".join(f"{words}: {variants}." for words, variants in groups.items() if variants)
    arcs = size(found[0].graphs[0])[1]
    return [
        f"{machine}, {arcs} arcs a vertex: faster than {standard} for the report's reasons? {said}",
        *(f"{names[it.solver]} ({layout.claims[it.solver]}): {it.verdict}. {it.numbers}" for it in found),
    ]


def _comparable(a: Record, b: Record) -> bool:
    both = [summarise(record, "solve") for record in (a, b)]
    return a.graph["sha256"] == b.graph["sha256"] and all(
        times is not None and times.n >= LEAST_TRIALS and times.median > 0 for times in both
    )


def _order(own: Record, standard: Record, phase: Phase) -> int:
    """Give -1 if a variant takes less than the standard one, 1 if more, 0 if that cannot be told."""
    a, b = summarise(own, phase), summarise(standard, phase)
    assert a is not None
    assert b is not None
    return order(a, b)


def _outside(record: Record) -> float:
    """Give the time that a solve spends outside the kernels; not a number if theirs is not known."""
    return _median(record, "solve") - _median(record, "kernel")


def _median(record: Record, phase: Phase) -> float:
    times = summarise(record, phase)
    return times.median if times else float("nan")
