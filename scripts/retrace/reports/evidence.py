"""The records that count for a claim, and the times of two variants that may be held against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.records.ranking import Order, is_same, rank, ratio_range
from retrace.records.statistics import Summary
from retrace.records.variant import Variant
from retrace.reports.claim import Comparison
from retrace.reports.finding import Finding, Verdict
from retrace.reports.frame import Frame, Measured, why_incomparable
from retrace.reports.measures import Measure
from retrace.reports.report import Report
from retrace.reports.wording import duration, few_trials, speed, word_list
from retrace.system.errors import RetraceError


@dataclass(frozen=True)
class Evidence:
    """The records of a machine that count for a claim, and whether it has timed anything on a GPU.

    `variants` are those that the claim compares, in the order of its `specs`. `shown` has what other machines
    measured, and what the report prints.
    """

    machine: str
    variants: Sequence[Variant]
    entries: Sequence[Measured]
    on_gpu: bool
    shown: Frame

    @classmethod
    def of(cls, report: Report, experiments: list[str], test: Comparison, frame: Frame, machine: str) -> Self:
        """Choose a machine's records of experiments, but for those that the test's condition leaves out."""
        variants = [report.variant(spec) for spec in test.specs]
        entries = [entry for experiment in experiments for entry in frame.of(experiment).entries]
        shown = Frame([entry for entry in entries if test.where.counts(entry)])
        counting = [entry for entry in shown.measured if entry.machine == machine]
        return cls(machine, variants, counting, machine in frame.on_gpu, shown)

    def records(self, *variants: Variant) -> list[Measured]:
        """Return the entries of some variants, timed or not."""
        return [entry for entry in self.entries if any(fits(entry, variant) for variant in variants)]

    def timed(self, variant: Variant) -> dict[str, Measured]:
        """Return a variant's timed entries by graph and pair, the least work first; RetraceError of two.

        Of two whose launches C++ and Python repeated, it is that of C++.
        """
        timed: dict[str, Measured] = {}
        records = sorted(self.records(variant), key=lambda e: (e.work, e.record.loops_in_python))
        for entry in records:
            if not entry.total or (first := timed.setdefault(entry.title, entry)) is entry:
                continue
            if entry.record.loops_in_python == first.record.loops_in_python:
                twice = f"two records of {variant} on {entry.title} from {self.machine}"
                raise RetraceError(f"{entry.experiment}: {twice}; give one")
        return timed

    def summaries(self, variant: Variant, measure: Measure) -> dict[str, Summary]:
        """Return a measure of a variant's trials by graph, as far as they can be ranked."""
        summaries = {graph: entry.times.get(measure) for graph, entry in self.timed(variant).items()}
        return {graph: times for graph, times in summaries.items() if times and times.enough}

    def pairs(self, two: Sequence[Variant], measure: Measure) -> list[Pair]:
        """Pair the times of two variants on the very same graphs, as far as they can be ranked."""
        fast, slow = two
        times, partner_times = (self.summaries(variant, measure) for variant in two)
        entries, partners = self.timed(fast), self.timed(slow)
        return [
            Pair(graph, fast, slow, (entries[graph], partners[graph]), (times[graph], partner_times[graph]))
            for graph in times
            if graph in partner_times and why_incomparable(entries[graph], partners[graph]) is None
        ]

    @property
    def untimed(self) -> Finding:
        """The finding without times to judge by, and why there are none."""
        return Finding(Verdict.OPEN, why=self._why_untimed())

    def _why_untimed(self) -> str:
        solvers = [CATALOGUE.find(variant.solver) for variant in self.variants]
        if not self.on_gpu and not all("host" in solver.backends for solver in solvers):
            return "no times on a GPU"
        for variant in self.variants:
            entries = self.records(variant)
            if not entries:
                return f"{variant} was not measured"
            if not any(entry.total for entry in entries):
                return f"{variant} on {entries[0].label}: {entries[0].record.reason or 'not timed'}"
        first = self.timed(self.variants[0])
        for variant in self.variants[1:]:
            for graph, other in self.timed(variant).items():
                if graph in first and (apart := first[graph].differences(other)):
                    return f"{variant} on {graph} is of {word_list(apart)} than {self.variants[0]}"
        return "no graph has enough trials of all that is compared"


def fits(entry: Measured, variant: Variant) -> bool:
    """Return whether a record is of a variant."""
    return variant.fits(entry.solver, entry.record.parameters)


@dataclass(frozen=True)
class Pair:
    """Two variants on one graph: the one that a claim says to be faster, and the other."""

    graph: str
    fast: Variant
    slow: Variant
    entries: tuple[Measured, Measured]
    times: tuple[Summary, Summary]

    @property
    def order(self) -> Order:
        """How the first's time compares with the second's."""
        return rank(*self.times)

    @property
    def unclear(self) -> bool:
        """Whether it is a tie for its spread, or that of the same work, alone."""
        return self.order is Order.TIE and not is_same(*self.times)

    @property
    def assurance(self) -> float:
        """By how many times the margin the nearer end of the interval is from 1; 1 or less of a tie."""
        low, high = ratio_range(*self.times)
        return max(low, 1 / high) if high else low

    @property
    def work(self) -> int:
        """What the comparison weighs by."""
        return self.entries[0].work[0]

    @property
    def ratio(self) -> float:
        """How many times as long the second takes, by the medians."""
        return self.times[1].median / self.times[0].median

    def gain(self, as_ratio: bool) -> tuple[float, float]:
        """Return the range of what the first gains, as a ratio or, in ms, as a difference."""
        low, high = ratio_range(*self.times)
        if as_ratio:
            return low, high
        fast = self.times[0].median
        return fast * (low - 1), fast * (high - 1)

    def __str__(self) -> str:
        first, second = (f"{duration(times.median)}{few_trials(times)}" for times in self.times)
        return f"{self.graph}: {first} ({self.fast}), {second} ({self.slow}), {speed(self.ratio)}"
