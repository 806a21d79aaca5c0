"""What is fast today: a first search and a further one, ours beside the published kernels and libraries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from retrace.publish.doubts import doubts
from retrace.publish.page import MARK, number_table
from retrace.publish.panel import spans
from retrace.publish.plain_names import graph_of, problem_of
from retrace.publish.provenance import cores_of, origin
from retrace.publish.tables import time_cell
from retrace.records.ranking import is_among_best
from retrace.records.statistics import ENOUGH
from retrace.reports.frame import PRINTED_PAIR, Frame, Measured, fastest, why_incomparable
from retrace.reports.like_for_like import (
    FIRST,
    RESIDENT,
    SHOWN_TODAY,
    Contenders,
    contenders,
    is_ours,
    is_search,
    least_from,
    least_in_turn,
)
from retrace.reports.measures import Measure
from retrace.reports.report import Report
from retrace.reports.wording import EMPTY, ratio

NO_BREAK = "\N{NO-BREAK SPACE}"
SAMPLES = ("sources", "pairs")
"""Parameters of a record whose trials have a source, or a pair of vertices, each."""
Side = Literal["published", "library"]
READ_AS = (
    "A first search leads from arrays in host memory to the answer there: page-locking, copies, "
    "preparation and a library's graph object count, the start of CUDA does not. A further one finds the "
    "graph in place. Bold: the fastest, and any too near to it to be told apart. Betweenness is in double "
    "precision. Times without cores are the GPU's; `cluster` runs in one cluster of thread blocks."
)
"""What stands above the table of README and of the page."""


@dataclass(frozen=True)
class Race:
    """What a machine measured of a problem on a graph, of which first searches are shown."""

    experiment: str
    title: str
    entries: Sequence[Measured]
    is_front: bool
    """Whether it is the first or the last graph of its figure."""

    @cached_property
    def by(self) -> Mapping[Measure, Contenders]:
        """Who is compared, by each measure that ours have."""
        compared = {measure: contenders(measure, self.entries) for measure in SHOWN_TODAY}
        return {measure: one for measure, one in compared.items() if one}

    @cached_property
    def on_core(self) -> Measured | None:
        """The published program on one core that takes least for a first search."""
        ours = self.by[FIRST].ours
        every = (e for e in self.entries if e.group == "published" and e.record.cores == 1)
        return fastest((e for e in every if why_incomparable(e, ours) is None), FIRST)

    @property
    def machine(self) -> str:
        """The name of the machine."""
        return self.entries[0].machine

    @property
    def problem(self) -> str:
        """The problem in plain words."""
        return problem_of(self.entries[0])

    @property
    def ahead(self) -> str:
        """Say from which search on our resident one has paid, beside kernels of reports and libraries."""
        further = self.by.get(RESIDENT)
        if further is None or not is_search(further.ours):
            return ""
        return least_from(further.ours, [entry for entry in self.entries if not is_ours(entry)])


def races(reports: Sequence[Report], frame: Frame) -> list[Race]:
    """List what a machine with a GPU measured for the figures of first searches, graph by graph.

    Tables of both measures that no figure ranks come after them. Of several machines it is the one that
    measured most of what is compared, the first of those.
    """
    of_machines = [_races_on(machine, reports, frame) for machine in frame.on_gpu]
    return max(of_machines, key=lambda every: sum(map(_comparisons, every)), default=[])


def _comparisons(race: Race) -> int:
    """Count the published kernels and libraries that ours can be compared with, by both measures."""
    return sum(side is not None for one in race.by.values() for side in (one.published, one.library))


def _races_on(machine: str, reports: Sequence[Report], frame: Frame) -> list[Race]:
    figures = [drawing for report in reports for drawing in report.figures.values() if drawing.shows_all]
    drawings = [drawing for drawing in figures if drawing.y == FIRST and drawing.graphs]
    every = []
    for drawing in drawings:
        rows = frame.of(drawing.experiment).rows
        for graph in drawing.graphs:
            for row in rows:
                entries = [entry for entry in row.here(machine) if entry.total]
                if entries and (row.first.graph, row.first.pair) == (graph, PRINTED_PAIR):
                    front = graph in (drawing.graphs[0], drawing.graphs[-1])
                    every.append(Race(drawing.experiment, row.title, entries, front))
    tables = [(name, table) for report in reports for name, table in report.tables.items()]
    for experiment, layout in tables:
        if layout.figure or {layout.by, layout.beside} != {FIRST, RESIDENT}:
            continue
        for row in frame.of(experiment).rows:
            if entries := [entry for entry in row.here(machine) if entry.total]:
                every.append(Race(experiment, row.title, entries, is_front=False))
    return [race for race in every if FIRST in race.by]


def factors(every: Sequence[Race], side: Side, measure: Measure = FIRST) -> list[float]:
    """List how many times as long as ours a side takes by a measure, of the races that have it."""
    runs = [run for race in every if (run := race.by.get(measure))]
    pairs = [(run, other) for run in runs if (other := getattr(run, side))]
    return [factor for run, other in pairs if (factor := run.over(other))]


class Tables:
    """The tables of what is fast today, in Markdown, with a mark at each number in doubt."""

    def __init__(self, every: Sequence[Race]) -> None:
        self.races = every
        self.doubtful = doubts([entry for race in every for entry in race.entries])

    @property
    def front(self) -> str:
        """The table of README: times of the first and the last graph of each figure, and how to read it."""
        heads = ["first search", "ours", "a program on one core", "reports' kernel", "best library",
                 "ours, a further search"]  # fmt: skip
        rows, on_cpu, on_both = [], list[str](), 0
        for race in filter(lambda race: race.is_front, self.races):
            first = race.by[FIRST]
            sides = [first.ours, race.on_core, first.published, first.library]
            least = min(filter(None, sides), key=lambda entry: entry.times[FIRST].median).times[FIRST]
            cells = [self._time(entry, FIRST) for entry in sides]
            title = f"{race.problem}, {graph_of(race.entries[0])}"
            where = set[bool]()
            for place, entry in enumerate(sides):
                if entry and (entry.times[FIRST] is least or is_among_best(entry.times[FIRST], least)):
                    cells[place] = f"**{cells[place]}**"
                    where.add(bool(cores_of(entry.record)))
            on_cpu += [title] * (where == {True})
            on_both += len(where) > 1
            cells[-1] += self._again(race, first.library)
            rows.append([title, *cells, self._further(race, first.ours)])
        said = f"A GPU wins {len(rows) - len(on_cpu) - on_both} of {len(rows)} rows"
        said += f", a CPU {'; '.join(on_cpu)}" * bool(on_cpu) + f"; {on_both} cannot be told" * bool(on_both)
        parts = [
            f"{f'{said}. ' * bool(rows)}{READ_AS}",
            number_table(heads, rows),
            f"<sub>{self._footnote}</sub>",
        ]
        return "\n\n".join(parts)

    @property
    def named(self) -> list[str]:
        """The solvers in the table of README, by the problem, without libraries."""
        solvers = dict[str, None]()
        for race in filter(lambda race: race.is_front, self.races):
            first, further = race.by[FIRST], race.by.get(RESIDENT)
            shown = [first.ours, race.on_core, first.published, further.ours if further else None]
            solvers |= {entry.solver: None for entry in shown if entry}
        return list(solvers)

    @property
    def all_graphs(self) -> str:
        """A table for each measure: who is fastest on each graph, and how many times as long others take."""
        heads = ["graph", "published kernel", "best library", "ours"]
        parts = []
        for measure in SHOWN_TODAY:
            last = ["ahead of others from search"] * (measure == RESIDENT)
            rows = [
                [f"{race.problem}, {race.title}",
                 *(self._named(race, measure, side) for side in ("published", "library", "ours")),
                 *([race.ahead or EMPTY] if last else [])]
                for race in self.races if measure in race.by
            ]  # fmt: skip
            parts += [f"## {measure.capitalize()}", number_table(heads + last, rows)]
        return "\n\n".join([*parts, f"<sub>{self._footnote}</sub>"])

    @property
    def by_graph(self) -> str:
        """A folded table for each graph: every solver, the fastest first search on top."""
        heads, parts = ["solver", "first search", "beside the best", "resident"], []
        for race in self.races:
            ranked = number_table(heads, self._ranked(race))
            title = f"{race.problem}, {race.title}"
            parts.append(f"<details><summary>{title}</summary>\n\n{ranked}\n\n</details>")
        return "\n\n".join(parts)

    def _ranked(self, race: Race) -> Iterator[list[str]]:
        timed = [entry for entry in race.entries if FIRST in entry.times]
        timed.sort(key=lambda entry: entry.times[FIRST].median)
        for entry in timed:
            factor = entry.times[FIRST].median / timed[0].times[FIRST].median
            name = f"`{entry.name}` ({', '.join(filter(None, (_whose(entry), cores_of(entry.record))))})"
            yield [name, self._cell(entry, FIRST), ratio(factor), self._cell(entry, RESIDENT)]

    def _named(self, race: Race, measure: Measure, side: str) -> str:
        """Write a time, whose it is, and of others how many times as long it takes as ours."""
        compared = race.by[measure]
        entry: Measured | None = getattr(compared, side)
        if entry is None:
            return EMPTY
        factor = compared.over(entry)
        over = f" ({ratio(factor)})" if side != "ours" and factor else ""
        cores = f", {where}" if (where := cores_of(entry.record)) else ""
        return f"{self._cell(entry, measure)}{over}<br>`{entry.name}`{cores}"

    def _time(self, entry: Measured | None, measure: Measure) -> str:
        """Write a time, and what a newcomer asks: which program, and whether it runs on cores."""
        if entry is None:
            return EMPTY
        cores = f", {where.replace(' ', NO_BREAK)}" if (where := cores_of(entry.record)) else ""
        return f"{self._cell(entry, measure)}<br>{_program(entry)}{cores}"

    def _again(self, race: Race, first: Measured | None) -> str:
        """Write what the best library takes for a further search, below its first one."""
        further = race.by.get(RESIDENT)
        if first is None or further is None or (entry := further.library) is None:
            return ""
        name = "" if entry.solver == first.solver else f", {_library(entry)}"
        return f"<br>further: {self._cell(entry, RESIDENT)}{name}"

    def _further(self, race: Race, first: Measured) -> str:
        """Write a further search; of another program than the first one's, also from when on it is best."""
        if (further := race.by.get(RESIDENT)) is None:
            return EMPTY
        entry, cell = further.ours, self._time(further.ours, RESIDENT)
        if entry is first or FIRST not in entry.times:
            return cell
        turns = least_in_turn(entry, race.entries)[1:] if is_search(entry) else []
        named = [
            f"{'' if one is entry else f'{_program(one)} '}from search {number}" for number, one in turns
        ]
        paid = f"; pays off {', '.join(named)}" if named else ""
        return f"{cell}<br>first: {self._cell(entry, FIRST)}{paid}"

    def _cell(self, entry: Measured, measure: Measure) -> str:
        return time_cell(entry, measure, self.doubtful).text.replace(" ", NO_BREAK)

    @property
    def _footnote(self) -> str:
        entries = [entry for race in self.races for entry in race.entries]
        given = [entry.record.parameters for entry in entries if is_search(entry)]
        samples = {f"{some[key]} {key}" for some in given for key in SAMPLES if key in some} or {"1 source"}
        counts = [entry.times[FIRST].n for entry in entries if FIRST in entry.times]
        few = f", with n where fewer than {ENOUGH}" if any(n < ENOUGH for n in counts) else ""
        machine = self.races[0].machine if self.races else "no machine"
        said = f"Measured on {machine}: medians of {spans(counts)}{few}; each search but betweenness's from"
        said += f" {' or '.join(sorted(samples, reverse=True))}"
        said += "; pairs far apart." if any(some.get("pair") == "far" for some in given) else "."
        said += f" {EMPTY}: nothing measured that compares."
        hosts = {origin(entry.record)["host"] for entry in entries if entry.times}
        said += f" Rows are of {len(hosts)} hosts: compare times within a row." * (len(hosts) > 1)
        reasons = sorted({doubt.why for some in self.doubtful.values() for doubt in some})
        return said + (f" {MARK}: a doubtful number ({'; '.join(reasons)})." if reasons else "")


def _program(entry: Measured) -> str:
    """Name a library, or a program of ours or of a report; of its settings, that there are some."""
    name, _, settings = entry.name.partition(":")
    return _library(entry) or f"`{name}{':…' * bool(settings)}`"


def _library(entry: Measured) -> str:
    """Return the name of a library; empty of what is none."""
    return (entry.record.software.peer or "").partition(" ")[0]


def _whose(entry: Measured) -> str:
    return "ours" if is_ours(entry) else "published" if entry.is_published_kernel else entry.group
