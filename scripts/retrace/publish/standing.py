"""Where the fastest of our kernels stands: beside the published ones, the libraries and the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrace.publish.panels import FigureContent
from retrace.reports.frame import Entry
from retrace.reports.like_for_like import contenders
from retrace.reports.measures import Measure
from retrace.reports.physical_limit import PhysicalLimit
from retrace.reports.wording import EMPTY, duration, ratio, word_list


@dataclass(frozen=True)
class Standing:
    """The fastest of ours on a graph and machine, and what else is there of the same host and commit."""

    measure: Measure
    ours: Entry
    published: Entry | None
    library: Entry | None
    limit: PhysicalLimit | str

    @classmethod
    def of(cls, measure: Measure, entries: Sequence[Entry], limit: PhysicalLimit | str) -> Standing | None:
        """Find them among the entries of a graph; None if none is ours."""
        fastest = contenders(measure, entries)
        if fastest is None:
            return None
        return cls(measure, fastest.ours, fastest.published, fastest.library, limit)

    def over(self, other: Entry | None) -> str:
        """Say how many times as long another takes; nothing if there is none."""
        return ratio(other.times[self.measure].median / self.ours.times[self.measure].median) if other else ""

    @property
    def over_limit(self) -> str:
        """Say how many times as long as the limit ours takes; nothing of one without kernels, on a core."""
        if not isinstance(self.limit, PhysicalLimit) or "kernel" not in self.ours.times:
            return ""
        return ratio(self.ours.times[self.measure].median / self.limit.ms)


def headline(standings: Sequence[Standing]) -> str:
    """Say in one line how fast ours is on the first graph."""
    first = standings[0]
    others = {
        "the fastest published kernel": first.over(first.published),
        "the best library": first.over(first.library),
    }
    told = [f"{what} takes {times}" for what, times in others.items() if times]
    beside = f"; {word_list(told)} as long" if told else ""
    return f"{first.ours.label} in {duration(first.ours.times[first.measure].median)}{beside}"


def comparison(standings: Sequence[Standing]) -> str:
    """Say of all graphs how many times as long others take, and how far the limit is."""
    found = {
        "published kernel over ours": [one.over(one.published) for one in standings],
        "best library over ours": [one.over(one.library) for one in standings],
        "ours over limit": [one.over_limit for one in standings],
    }
    said = [
        f"{what} {', '.join(one or EMPTY for one in times)}" for what, times in found.items() if any(times)
    ]
    graphs = word_list([one.ours.label for one in standings])
    return f"On {graphs}: {'; '.join(said)}." if said else ""


def standings_of(content: FigureContent) -> list[Standing]:
    """Return the standings on the graphs of a drawing, in their order, on the first machine with a GPU.

    A drawing that names no graphs, or has a finding of its own, has none.
    """
    if not content.drawing.graphs or content.drawing.finding:
        return []
    machines, standings = content.entries.on_gpu, []
    for panel in content.panels:
        if panel.machine in machines[:1]:
            entries = [dot.entry for dot in panel.dots]
            standings.append(Standing.of(content.drawing.y, entries, panel.limit))
    return [standing for standing in standings if standing]
