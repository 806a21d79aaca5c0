"""Comparisons of a single claim, by name: a function each, rather than a larger language for all.

A function takes the pairs of its two variants. It returns the numbers to quote, and for each graph -1
where they bear the claim out, 1 where they contradict it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from retrace.records.statistics import SAME
from retrace.reports.wording import duration

if TYPE_CHECKING:
    from retrace.reports.judge import Pair


def prefix_sums_save_little(pairs: Sequence[Pair]) -> tuple[str, dict[str, int]]:
    """Compare what prefix sums on the GPU save with the total of the variant that has them from the host."""
    orders, measured = {}, ""
    for pair in pairs:
        record, total = pair.entries[0].record, pair.times[1].median
        observed = record.observed if record else {}
        device, host = (float(observed.get(f"prefix_{where}_ms", 0.0)) for where in ("device", "host"))
        if device and host:
            orders[pair.graph] = 1 if host - device > (SAME - 1) * total else -1
            measured = (
                f"{pair.graph}: {duration(device)} on the GPU, {duration(host)} on the host, of "
                f"{duration(total)} in all"
            )
    return measured, orders


FUNCTIONS: dict[str, Callable[[Sequence[Pair]], tuple[str, dict[str, int]]]] = {
    "prefix_sums_save_little": prefix_sums_save_little,
}
RULES = {
    "prefix_sums_save_little": (
        f"prefix sums on the host less those on the GPU; holds if they are {SAME - 1:.0%} of vert's total or "
        "less on every graph"
    ),
}
"""How each is judged, in words."""
