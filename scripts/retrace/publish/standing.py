"""Where the fastest of our kernels stands: beside the published ones, the libraries and the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from retrace.publish.panels import FigureContent
from retrace.reports.frame import Entry
from retrace.reports.like_for_like import RESIDENT, Contenders, contenders
from retrace.reports.measures import Measure
from retrace.reports.physical_limit import PhysicalLimit
from retrace.reports.wording import EMPTY, duration, ratio, word_list


@dataclass(frozen=True)
class Standing:
    """Who is compared on a graph and machine, by each measure of a drawing, of the same host and commit."""

    label: str
    compared: Sequence[Contenders]
    limit: PhysicalLimit | str

    @classmethod
    def of(
        cls, measures: Sequence[Measure], entries: Sequence[Entry], limit: PhysicalLimit | str
    ) -> Standing | None:
        """Find them among the entries of a graph; None if none is ours."""
        compared = [one for measure in measures if (one := contenders(measure, entries))]
        return cls(entries[0].label, compared, limit) if compared else None

    def by(self, measure: Measure) -> Contenders | None:
        """Return who is compared by a measure."""
        return next((one for one in self.compared if one.measure == measure), None)

    @property
    def over_limit(self) -> str:
        """Say how many times as long as the limit a search on the resident graph takes; nothing of a core."""
        compared = self.by(RESIDENT)
        if compared is None or not isinstance(self.limit, PhysicalLimit) or compared.ours.record.cores:
            return ""
        return ratio(compared.ours.times[RESIDENT].median / self.limit.ms)


def over(compared: Contenders | None, other: Literal["published", "library"]) -> str:
    """Say how many times as long another takes; nothing if there is none."""
    factor = compared.over(getattr(compared, other)) if compared else None
    return "" if factor is None else ratio(factor)


def headline(standings: Sequence[Standing]) -> str:
    """Say in one line how fast ours is on the first graph, and others beside it, by each measure."""
    first = standings[0]
    said = []
    for one in first.compared:
        others = {"published kernel": over(one, "published"), "best library": over(one, "library")}
        beside = ", ".join(f"{what} {times}" for what, times in others.items() if times)
        time = f"{one.measure} {duration(one.ours.times[one.measure].median)}"
        said.append(f"{time} ({beside} as long)" if beside else time)
    return f"{first.label}, {'; '.join(said)}"


def comparison(standings: Sequence[Standing]) -> str:
    """Say of all graphs how many times as long others take, by each measure, and how far the limit is."""
    parts = []
    for measure in dict.fromkeys(one.measure for standing in standings for one in standing.compared):
        compared = [standing.by(measure) for standing in standings]
        parts += [
            (f"{measure}, published kernel over ours", [over(one, "published") for one in compared]),
            (f"{measure}, best library over ours", [over(one, "library") for one in compared]),
        ]
    parts.append((f"{RESIDENT}, ours over limit", [standing.over_limit for standing in standings]))
    said = [f"{what} {', '.join(one or EMPTY for one in times)}" for what, times in parts if any(times)]
    graphs = word_list([standing.label for standing in standings])
    return f"On {graphs}: {'; '.join(said)}." if said else ""


def standings_of(content: FigureContent) -> list[Standing]:
    """Return the standings on the graphs of a drawing, in their order, on the first machine with a GPU.

    A drawing that names no graphs, or has a finding of its own, has none.
    """
    drawing = content.drawing
    if not drawing.graphs or drawing.finding:
        return []
    measures = [measure for measure in (drawing.y, drawing.beside) if measure]
    machines, standings = content.entries.on_gpu, []
    for panel in content.panels:
        if panel.machine in machines[:1]:
            entries = panel.measured
            standings.append(Standing.of(measures, entries, panel.limit))
    return [standing for standing in standings if standing]
