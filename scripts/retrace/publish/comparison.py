"""Whether the variants of a table differ for the reasons that its report gives, from the records alone.

The variants differ in how the host sees the mask, which is part of `solve`; the graph's upload is alike for
all. A variant differs from the standard one on a graph if the quartiles of the two do not overlap. It is
faster for the report's reason if that is so on most graphs, and its time outside the kernels, where the mask
is moved, is less too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrace.measure.records import Phase, Record, summarise, too_noisy_to_rank
from retrace.publish.published import VariantTable
from retrace.publish.rows import TIMES, Line, size, size_name

RULE = (
    "Less, more: the quartiles do not overlap. Yes: solve takes less at most sizes, and less outside the "
    "kernels, where the mask is moved. The total adds the graph's upload, alike for all."
)
"""What the sentences mean."""

LEAST_TRIALS = 3
"""Fewer have no quartiles to speak of."""


@dataclass(frozen=True)
class Comparison:
    """A variant beside the standard one on a machine: on how many graphs it took less or more time."""

    solver: str
    graphs: int
    less: int
    more: int
    saved: int
    """Graphs on which it took less, and less outside the kernels."""
    total_less: int
    total_more: int
    largest: str
    ratio: float
    """Of the medians of `solve`, on the largest graph."""

    @property
    def holds(self) -> bool:
        """Whether the variant is faster for the report's reason."""
        return 2 * self.saved > self.graphs

    @property
    def numbers(self) -> str:
        """Say in words what the verdict rests on."""
        return (
            f"Solve: less at {self.less}, more at {self.more} of {self.graphs} sizes "
            f"({self.ratio:.2f}{TIMES} at {size_name(self.largest)}); total: less at {self.total_less}, "
            f"more at {self.total_more}."
        )

    @property
    def verdict(self) -> str:
        """Say in words what came of it."""
        if self.holds:
            return "yes"
        if 2 * self.less > self.graphs:
            return "no, faster, but for another reason: not outside the kernels"
        if 2 * self.more > self.graphs:
            return "no, slower"
        return "no"


def compare(layout: VariantTable, rows: Sequence[Line], machine: str) -> list[Comparison]:
    """Compare each variant that the report makes a claim for, on the graphs of `rows`, the largest last."""
    found = []
    for solver in layout.claims:
        pairs = [
            (own, standard)
            for line in rows
            if (own := line.records.get((machine, solver)))
            and (standard := line.records.get((machine, layout.standard)))
            and _comparable(own, standard)
        ]
        if not pairs:
            continue
        solve = [_order(*pair, "solve") for pair in pairs]
        total = [_order(*pair, "total") for pair in pairs]
        saved = [_outside(own) < _outside(standard) for own, standard in pairs]
        last = [_median(record, "solve") for record in pairs[-1]]
        found.append(
            Comparison(
                solver=solver,
                graphs=len(pairs),
                less=solve.count(-1),
                more=solve.count(1),
                saved=sum(order == -1 and less for order, less in zip(solve, saved, strict=True)),
                total_less=total.count(-1),
                total_more=total.count(1),
                largest=pairs[-1][0].graph["name"],
                ratio=last[0] / last[1],
            )
        )
    return found


def sentences(layout: VariantTable, rows: Sequence[Line], machine: str, names: dict[str, str]) -> list[str]:
    """Say for a machine whether the variants differ for the report's reasons, then the numbers of each."""
    found, standard = compare(layout, rows, machine), names[layout.standard]
    if not found:
        return []
    yes, no = (", ".join(names[one.solver] for one in found if one.holds is holds) for holds in (True, False))
    where = f"{machine}, {size(found[0].largest)[1]} arcs a vertex"
    if not no:
        first = f"{where}: all are faster than {standard} for the report's reasons."
    elif not yes:
        first = f"{where}: none is faster than {standard} for the report's reasons."
    else:
        first = f"{where}: faster than {standard} for the report's reasons: {yes}; not: {no}."
    return [
        first,
        *(
            f"{names[one.solver]} ({layout.claims[one.solver]}): {one.verdict}. {one.numbers}"
            for one in found
        ),
    ]


def _comparable(a: Record, b: Record) -> bool:
    both = [summarise(record, "solve") for record in (a, b)]
    return a.graph["sha256"] == b.graph["sha256"] and all(
        times is not None and times.n >= LEAST_TRIALS and times.median > 0 for times in both
    )


def _order(own: Record, standard: Record, phase: Phase) -> int:
    """Give -1 if a variant takes less than the standard one, 1 if more, 0 if their quartiles overlap."""
    a, b = summarise(own, phase), summarise(standard, phase)
    assert a is not None
    assert b is not None
    return 0 if too_noisy_to_rank(a, b) else (-1 if a.median < b.median else 1)


def _outside(record: Record) -> float:
    """Give the time that a solve spends outside the kernels; not a number if theirs is not known."""
    return _median(record, "solve") - _median(record, "kernel")


def _median(record: Record, phase: Phase) -> float:
    times = summarise(record, phase)
    return times.median if times else float("nan")
