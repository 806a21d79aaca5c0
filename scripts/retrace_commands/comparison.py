"""Compares two machines: the ratio of their times for each solver and graph, with a bootstrap interval."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.records.margins import phase_times
from retrace.records.ranking import Order, rank, ratio_interval
from retrace.records.record import Phase, Record
from retrace.records.statistics import CONFIDENCE, Summary
from retrace.system.cells import no_formula

EQUAL = 1.05
"""A ratio between this and its inverse is no difference that a reader would act on."""
HEAD = (
    "experiment",
    "solver",
    "graph",
    "first ms",
    "second ms",
    "ratio",
    f"{CONFIDENCE * 100:.0f} % interval",
    "second is",
)
COLUMNS = (
    "experiment", "graph", "solver", "parameters", "source", "phase", "first_ms", "first_trials", "second_ms",
    "second_trials", "ratio", "low", "high", "verdict",
)  # fmt: skip


@dataclass(frozen=True)
class MachineComparison:
    """What two machines took for one solver on one graph, in milliseconds."""

    record: Record
    """The first machine's."""
    phase: Phase
    first: Summary
    second: Summary
    low: float | None
    high: float | None
    """The ends of the interval of the ratio; None with fewer than two trials of either."""

    @property
    def ratio(self) -> float:
        """The second median over the first."""
        return self.second.median / self.first.median

    @property
    def verdict(self) -> str:
        """Whether the second is `faster` or `slower`, by `ranking.rank`, the `same`, or one `cannot tell`.

        It is the same if the whole interval is within 5 % of 1.
        """
        if (order := rank(self.first, self.second)) is not Order.TIE:
            return "slower" if order is Order.LESS else "faster"
        if self.low is None or self.high is None:
            return "cannot tell"
        return "same" if self.low >= 1 / EQUAL and self.high <= EQUAL else "cannot tell"

    @property
    def settings(self) -> str:
        """What was asked of the graph, and the solver's settings that are not its defaults, as `pair=far`."""
        usual, given = CATALOGUE.find(self.record.solver).defaults, sorted(self.record.parameters.items())
        return ",".join(f"{key}={value}" for key, value in given if usual.get(key) != value)

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of text under `HEAD`."""
        record, asked = self.record, f":{self.settings}" if self.settings else ""
        interval = "-" if self.low is None or self.high is None else f"{self.low:.3f} to {self.high:.3f}"
        times = f"{self.first.median:.4g}", f"{self.second.median:.4g}", f"{self.ratio:.3f}"
        return (record.experiment, record.solver + asked, record.label, *times, interval, self.verdict)


def pair(first: Iterable[Record], second: Iterable[Record]) -> tuple[list[tuple[Record, Record]], int]:
    """Pair the timed records of the same question to the same graph; return also how many have no partner."""

    def by_subject(records: Iterable[Record]) -> dict[tuple[object, ...], Record]:
        timed = (record for record in records if record.timed)
        return {
            (
                record.experiment,
                record.graph.name,
                record.place["graph"],
                record.backend,
                *record.subject,
            ): record
            for record in timed
        }

    left, right = by_subject(first), by_subject(second)
    both = [(one, right[subject]) for subject, one in left.items() if subject in right]
    return both, len(left) + len(right) - 2 * len(both)


def compare_records(first: Record, second: Record, phase: Phase) -> MachineComparison | None:
    """Compare a phase of two records; None if one has no such time above 0."""
    a, b = (phase_times(record, phase) for record in (first, second))
    if a is None or b is None or not (a.median > 0 and b.median > 0):
        return None
    low, high = ratio_interval(a, b) if min(a.n, b.n) > 1 else (None, None)
    return MachineComparison(first, phase, a, b, low, high)


def as_csv(compared: Iterable[MachineComparison]) -> str:
    """Return a line for each comparison, under `COLUMNS`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for comparison in compared:
        record, a, b = comparison.record, comparison.first, comparison.second
        named = (
            record.experiment,
            no_formula(record.label),
            record.solver,
            comparison.settings,
            record.source,
            comparison.phase,
        )
        interval = ("" if end is None else f"{end:.6g}" for end in (comparison.low, comparison.high))
        ratio = f"{comparison.ratio:.6g}"
        writer.writerow([*named, a.median, a.n, b.median, b.n, ratio, *interval, comparison.verdict])
    return text.getvalue()


def count_verdicts(compared: Sequence[MachineComparison], alone: int) -> str:
    """Count the verdicts in one line."""
    counts = Counter(comparison.verdict for comparison in compared)
    verdicts = ", ".join(f"{counts[word]} {word}" for word in ("faster", "slower", "same", "cannot tell"))
    left = f"; {alone} timed records have no partner" if alone else ""
    return f"{len(compared)} compared, the second machine is: {verdicts}{left}."
