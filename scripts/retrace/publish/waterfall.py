"""A printed time's way to ours: what hardware, copies, algorithm and a better baseline are worth.

A step leads from one time to another. Of the published kernel: from what is printed to its total on our
machine, from that to its solve, and from its solve to that of the fastest of ours. Of the baseline: from what
is printed to its total on one of our cores, and to the total of what is fastest on one core. Both times of a
step are of one experiment, host and commit, unless printed; so one may begin beside the last one's end.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrace.publish.panel import quickest, undoubted
from retrace.publish.plain_names import plain_label
from retrace.records.statistics import Summary
from retrace.records.variant import Variant
from retrace.reports.evidence import fits
from retrace.reports.frame import PRINTED_PAIR, Entry, Frame, Measured, why_incomparable
from retrace.reports.report import Drawing, Fall
from retrace.reports.wording import comparative, duration, times_as_much, word_list

PRINTED, HARDWARE, COPIES, ALGORITHM, BASELINE = (
    "printed", "hardware", "without copies", "algorithm", "baseline",
)  # fmt: skip
NAMED_FACTOR = 1.1
"""How many times less a step that a title names leads to, at least."""
PROBLEM_WORDS = {
    "bfs": "a breadth-first search",
    "stcon": "ST-connectivity",
    "sssp": "a shortest-path search",
}


@dataclass(frozen=True)
class Step:
    """A step to a time in ms, of the entry that has it; a printed time is where a way begins."""

    kind: str
    name: str
    before: float
    after: Summary
    entry: Entry

    @property
    def factor(self) -> float:
        """How many times less the time is than before."""
        return self.before / self.after.median

    @property
    def label(self) -> str:
        """The times before and after, of one experiment, and how much faster or slower the step makes it."""
        if self.kind == PRINTED:
            return duration(self.after.median)
        ends = f"{duration(self.before)} → {duration(self.after.median)}"
        return f"{ends} ({comparative(1 / self.factor)})"


@dataclass(frozen=True)
class Way:
    """The steps of a fall on a machine: of the published kernel, and of the baseline."""

    machine: str
    fall: Fall
    kernel: Sequence[Step]
    baseline: Sequence[Step]

    @property
    def title(self) -> str:
        """What is searched, and where."""
        return f"{self.fall.kernel.split('/')[0]} on {self.fall.graph}"

    @property
    def numbers(self) -> dict[str, object]:
        """What a title says: the times at both ends of the kernel's way, and which steps are worth most."""
        first, last = (duration(self.kernel[place].after.median) for place in (0, -1))
        steps = sorted(self.kernel[1:], key=lambda step: -step.factor)
        worth = [f"{step.kind} {times_as_much(step.factor)}" for step in steps if step.factor > NAMED_FACTOR]
        problem = PROBLEM_WORDS.get(self.fall.kernel.split("/")[0], self.fall.kernel)
        graph = plain_label(self.fall.graph)
        said = worth and word_list(worth)
        return {"problem": problem, "graph": graph, "first": first, "last": last, "worth": said}


def ways(drawing: Drawing, frame: Frame) -> list[Way]:
    """Return each fall on each machine with a GPU, as far as there are records of it."""
    falls = []
    for fall in drawing.falls:
        for machine in frame.of(fall.beside).on_gpu or frame.of(fall.experiment).on_gpu:
            kernel, baseline = (list(steps(fall, frame, machine)) for steps in (_kernel, _baseline))
            falls += [Way(machine, fall, kernel, baseline)] if kernel or baseline else []
    return falls


def _kernel(fall: Fall, frame: Frame, machine: str) -> Iterable[Step]:
    printed = _printed(fall.kernel, fall, frame)
    repeated, timed = (_timed(name, fall, frame, machine) for name in (fall.experiment, fall.beside))
    published = quickest((entry for entry in repeated if entry.solver == fall.kernel), "total")
    if printed is None or published is None:
        return
    yield printed
    total = published.times["total"]
    yield Step(HARDWARE, HARDWARE, printed.after.median, total, published)
    yield Step(COPIES, COPIES, total.median, published.times["solve"], published)
    beside = quickest((entry for entry in timed if entry.solver == fall.kernel), "solve")
    variants = [Variant.parse(spec) for spec in fall.ours]
    own = [e for e in timed if any(fits(e, variant) for variant in variants)]
    if beside and (ours := quickest((e for e in own if why_incomparable(beside, e) is None), "solve")):
        before = beside.times["solve"].median
        yield Step(
            ALGORITHM, f"{ALGORITHM}: {ours.name.partition(':')[0]}", before, ours.times["solve"], ours
        )


def _baseline(fall: Fall, frame: Frame, machine: str) -> Iterable[Step]:
    printed, timed = _printed(fall.baseline, fall, frame), _timed(fall.experiment, fall, frame, machine)
    same = quickest((entry for entry in timed if entry.solver == fall.baseline), "total")
    if printed is None or same is None:
        return
    yield printed
    yield Step(HARDWARE, HARDWARE, printed.after.median, same.times["total"], same)
    alike = (e for e in timed if e.record.cores == 1 and why_incomparable(same, e) is None)
    best = quickest([same, *alike], "total")
    if best is not None and best is not same:
        yield Step(
            BASELINE, f"{BASELINE}: {best.name}", same.times["total"].median, best.times["total"], best
        )


def _printed(spec: str, fall: Fall, frame: Frame) -> Step | None:
    """Return the least time that is printed of a solver, but for zeros and those in doubt."""
    printed = frame.of(fall.experiment).printed
    for least in undoubted(e for e in printed if (e.solver, e.graph) == (spec, fall.graph)):
        ms = least.printed.ms
        return Step(PRINTED, f"printed, {least.hardware}", ms, Summary.of([ms]), least)
    return None


def _timed(experiment: str, fall: Fall, frame: Frame, machine: str) -> Sequence[Measured]:
    """Return what a machine has timed on the fall's graph, but for substitutes of the graph."""
    return [
        entry
        for entry in frame.of(experiment).measured
        if (entry.machine, entry.graph, entry.pair) == (machine, fall.graph, PRINTED_PAIR)
        if entry.times and not entry.is_substitute
    ]
