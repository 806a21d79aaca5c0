"""What is drawn: dots with their entries, in lines or rows, in panels.

A bar is a line of one dot. Lines of the same key look the same in all panels of a figure.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from retrace.publish.sentences import sentence
from retrace.records.statistics import Summary
from retrace.reports.frame import Entry, Measured, Printed
from retrace.reports.measures import MEASURES, Measure
from retrace.reports.physical_limit import PhysicalLimit, Roof
from retrace.reports.wording import plural

LABELS = {measure: sentence(f"label {measure}") for measure in MEASURES}
SUBSTITUTES = {"(stand-in)": "×", "(weights generated)": "+"}  # noqa: RUF001
"""The signs on points of other graphs than the named one, by the ending of the label."""
DOUBT = "○"
WIDEST_GAP = 10
"""The greatest ratio of two sizes whose dots a line may join."""
PAIR = "pair"
"""What a panel of one solver over another has in place of a machine: it shows all of them."""
LIMIT = "limit of a GPU"
"""The name of the row of what no search can be below."""
COPY_ALONE = "the copy alone"
"""The name of the line of a part of the base's time that no other solver can save."""


AnyEntry = TypeVar("AnyEntry", bound=Entry)


@dataclass(frozen=True)
class Dot:
    """A value: its place on the x axis, the entry that it is of, and the measure that a bar has beside it."""

    x: float
    value: Summary
    entry: Entry
    beside: Summary | None = None

    @property
    def sign(self) -> str:
        """What marks it as of another graph, or as doubted; empty of most."""
        if self.entry.printed and self.entry.printed.doubt:
            return DOUBT
        return next((sign for end, sign in SUBSTITUTES.items() if self.entry.label.endswith(end)), "")


@dataclass(frozen=True)
class Line:
    """A line, or a bar: its name, and the key that it has its colour and marker by.

    Dots may be `apart`: those of real graphs, and those of sizes that differ much.
    """

    name: str
    key: str
    dots: Sequence[Dot]
    apart: bool = False

    @property
    def printed(self) -> bool:
        """Whether it is of printed numbers."""
        return bool(self.dots[0].entry.printed)

    @property
    def strokes(self) -> list[tuple[bool, list[Dot]]]:
        """The dots of each family of graphs, where no decade lies between, and whether they are joined."""
        families: dict[str, list[list[Dot]]] = defaultdict(list)
        for dot in self.dots:
            runs = families[family(dot.entry)]
            if runs and (not self.apart or dot.x <= WIDEST_GAP * runs[-1][-1].x):
                runs[-1].append(dot)
            else:
                runs.append([dot])
        return [(bool(name) or not self.apart, run) for name, runs in families.items() for run in runs]


@dataclass(frozen=True)
class Panel:
    """The lines of a machine, or of a printed system: then `machine` is empty.

    They show a measure, over that of the variant `over` if there is one. Bars are of one graph.
    """

    machine: str
    title: str
    lines: Sequence[Line]
    measure: Measure = "total"
    over: str = ""
    graph: str = ""
    limit: PhysicalLimit | Roof | str = ""
    """Of rates, and of a graph that a drawing names: what no search passes, or why that is not known."""
    measured: Sequence[Measured] = ()
    """Of bars, all that was measured of the graph, also what lacks the measure and so has none."""

    @property
    def limit_ms(self) -> float | None:
        """The limit, if it is known."""
        return self.limit.ms if isinstance(self.limit, PhysicalLimit) else None

    @property
    def dots(self) -> list[Dot]:
        """All dots of its lines."""
        return [dot for line in self.lines for dot in line.dots]


def of_first_machine(panels: Sequence[Panel]) -> list[Panel]:
    """Return the panels of the first machine that has some."""
    machines = [panel.machine for panel in panels if panel.machine not in ("", PAIR)]
    return [panel for panel in panels if panel.machine in machines[:1]]


def family(entry: Entry) -> str:
    """Name the generated graphs that differ in size alone; empty of a real graph."""
    if entry.arcs_per_vertex is not None:
        return f"random-{entry.arcs_per_vertex}"
    generated = entry.record is not None and entry.record.graph.origin == "generated"
    return entry.graph.split("-")[0] if generated else ""


def most_work(entries: Iterable[Entry]) -> str:
    """Name the graph of the most work, the first by name of several that are equal; empty without any."""
    work = {entry.label: entry.work[:2] for entry in entries}
    most = max(work.values(), default=None)
    return min((label for label, amount in work.items() if amount == most), default="")


def quickest(entries: Iterable[AnyEntry], measure: Measure) -> AnyEntry | None:
    """Return the entry of the least median of a measure; None if none has it."""
    timed = [entry for entry in entries if measure in entry.times]
    return min(timed, key=lambda entry: entry.times[measure].median, default=None)


def undoubted(entries: Iterable[Entry]) -> list[Printed]:
    """Return the printed numbers that are neither zero nor in doubt, the least first."""
    printed = [entry for entry in entries if isinstance(entry, Printed)]
    certain = [entry for entry in printed if entry.printed.ms > 0 and not entry.printed.doubt]
    return sorted(certain, key=lambda entry: entry.printed.ms)


def bar_names(row: Iterable[Panel]) -> list[str]:
    """List the bars of a row of panels in the order of the first one."""
    return list(dict.fromkeys(line.name for panel in row for line in panel.lines))


def searches(entries: Sequence[Measured]) -> str:
    """Name the graph of some entries, and say of betweenness how many of its vertices were sources."""
    problem = entries[0].record.problem if entries else ""
    if problem == "limits":
        return "constants"
    if problem != "betweenness":
        return entries[0].label if entries else ""
    graph, vertices = entries[0].label, f"{entries[0].vertices:,}"
    return f"{graph} of {vertices}" if is_sampled(entries[0]) else f"{graph}, all {vertices} sources"


def is_sampled(entry: Measured) -> bool:
    """Return whether searches are from a sample of the vertices."""
    return "sources" in entry.record.parameters


def spans(counts: Iterable[int]) -> str:
    """Write numbers of trials: `5 trials`, `1 to 5 trials`."""
    low, high = min(counts := list(counts), default=0), max(counts, default=0)
    return plural(high, "trial") if low == high else f"{low} to {plural(high, 'trial')}"
