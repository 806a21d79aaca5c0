"""The records that count for a claim, and the times of two variants that may be held against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.records.record import Phase
from retrace.records.statistics import Summary, rank
from retrace.records.variant import Variant
from retrace.reports.claim import Where
from retrace.reports.frame import Entry, Frame, Measured, differences, why_incomparable
from retrace.reports.wording import duration, ratio, word_list
from retrace.system.errors import RetraceError

REAL = ("dimacs", "snap")
"""The origins of real graphs."""


@dataclass(frozen=True)
class Evidence:
    """The records of a machine that count for a claim, and whether it has timed anything on a GPU.

    `shown` has what other machines measured, and what the report prints.
    """

    machine: str
    entries: Sequence[Measured]
    on_gpu: bool
    shown: Frame

    @classmethod
    def of(cls, frame: Frame, experiments: Sequence[str], machine: str, condition: Where) -> Evidence:
        """Choose a machine's records of experiments, but for those that a condition leaves out."""
        every = [frame.of(experiment) for experiment in experiments]
        shown = Frame([entry for own in every for entry in own.entries if meets(entry, condition)])
        counting = [entry for entry in shown.measured if entry.machine == machine]
        return cls(machine, counting, machine in frame.on_gpu, shown)

    def timed(self, variant: Variant) -> dict[str, Measured]:
        """Return a variant's timed entries by graph and pair, the least work first; RetraceError of two."""
        found: dict[str, Measured] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.work):
            if entry.total and fits(entry, variant) and found.setdefault(entry.title, entry) is not entry:
                twice = f"two records of {variant} on {entry.title} from {self.machine}"
                raise RetraceError(f"{entry.experiment}: {twice}; give one")
        return found

    def summaries(self, variant: Variant, phase: Phase) -> dict[str, Summary]:
        """Return a phase of a variant's trials by graph, as far as they can be ranked."""
        found = {label: entry.times.get(phase) for label, entry in self.timed(variant).items()}
        return {label: times for label, times in found.items() if times and times.enough}

    def why_untimed(self, variants: Sequence[Variant]) -> str:
        """Say why there are no times to judge by."""
        solvers = [CATALOGUE.find(variant.solver) for variant in variants]
        if not self.on_gpu and not all("host" in solver.backends for solver in solvers):
            return "no times on a GPU"
        for variant in variants:
            entries = [entry for entry in self.entries if fits(entry, variant)]
            if not entries:
                return f"{variant} was not measured"
            if not any(entry.total for entry in entries):
                return f"{variant} on {entries[0].label}: {entries[0].record.reason or 'not timed'}"
        first = self.timed(variants[0])
        for variant in variants[1:]:
            for graph, other in self.timed(variant).items():
                if graph in first and (apart := differences(first[graph], other)):
                    return f"{variant} on {graph} is of {word_list(apart)} than {variants[0]}"
        return "no graph has enough trials of all that is compared"


def fits(entry: Measured, variant: Variant) -> bool:
    """Return whether a record is of a variant."""
    return variant.fits(entry.solver, entry.record.parameters)


def meets(entry: Entry, condition: Where) -> bool:
    """Return whether an entry counts under a condition."""
    record = entry.record
    left = record.observed.get("searched_vertices") if record and "-comp" in entry.solver else None
    whole = left is not None and left >= entry.vertices
    return (
        condition.arcs_per_vertex in (None, entry.arcs_per_vertex)
        and entry.vertices >= (condition.least_vertices or 0)
        and entry.vertices <= (condition.most_vertices or entry.vertices)
        and not (condition.real and not (record and record.graph.origin in REAL))
        and condition.pair in (None, entry.pair)
        and not (condition.all_sources and record and record.parameters.get("sources"))
        and not (condition.compaction_helps and whole)
    )


@dataclass(frozen=True)
class Pair:
    """Two variants on one graph: the one that a claim says to be faster, and the other."""

    graph: str
    fast: Variant
    slow: Variant
    entries: tuple[Measured, Measured]
    times: tuple[Summary, Summary]

    @property
    def order(self) -> int:
        """-1 if the first is the faster, 1 if the other is, 0 if they cannot be told apart."""
        return rank(*self.times)

    @property
    def work(self) -> int:
        """What the comparison weighs by."""
        return self.entries[0].work[0]

    @property
    def ratio(self) -> float:
        """How many times as long the second takes, by the medians."""
        return self.times[1].median / self.times[0].median

    def __str__(self) -> str:
        first, second = (duration(times.median) for times in self.times)
        return f"{self.graph}: {first} ({self.fast}), {second} ({self.slow}), {ratio(self.ratio)}"


def pairs_of(evidence: Evidence, fast: Variant, slow: Variant, phase: Phase) -> list[Pair]:
    """Pair the times of two variants on the very same graphs, as far as they can be ranked."""
    mine, others = evidence.timed(fast), evidence.timed(slow)
    found = []
    for graph, own in mine.items():
        if graph in others and why_incomparable(own, others[graph]) is None:
            first, second = (entry.times.get(phase) for entry in (own, others[graph]))
            if first and second and first.enough and second.enough:
                found.append(Pair(graph, fast, slow, (own, others[graph]), (first, second)))
    return found
