"""What a figure shows: a drawing, with the entries of a frame as panels of its kind."""

from dataclasses import dataclass
from functools import cached_property

from retrace.publish.limit_panels import distances, rates
from retrace.publish.line_panels import line_panels, timed_by_machine
from retrace.publish.panel import Panel, of_first_machine
from retrace.publish.row_panels import beside_printed, dumbbells, fall, ranked
from retrace.publish.waterfall import Way, ways
from retrace.records.variant import Variant
from retrace.reports.frame import PRINTED_PAIR, Frame
from retrace.reports.report import Drawing, Report, table_layout

FEWEST_PLACES = 3
"""Of lines, on the x axis."""
OF_MANY_GRAPHS = ("scatter", "distances", "rates")
"""The kinds of figures that show the graphs of several experiments."""


@dataclass(frozen=True)
class FigureContent:
    """A drawing, with what it is drawn from; image, title, finding and caption are views of its panels."""

    drawing: Drawing
    frame: Frame
    """Of all experiments."""
    report: Report | None

    @cached_property
    def entries(self) -> Frame:
        """The entries that the drawing is about: of a figure of many graphs, also of other experiments."""
        drawing = self.drawing
        names = [drawing.experiment, *(drawing.also if drawing.kind in OF_MANY_GRAPHS else ())]
        entries = [entry for name in names for entry in self.frame.of(name).entries]
        return Frame([e for e in entries if e.pair == PRINTED_PAIR and drawing.where.counts(e)])

    @cached_property
    def ways(self) -> list[Way]:
        """The falls of printed times on the first machine, of a drawing that has some."""
        every = ways(self.drawing, self.frame)
        return [way for way in every if way.machine == every[0].machine]

    @property
    def kind(self) -> str:
        """How it is drawn: lines through so few places that they show no course are rows."""
        places = {dot.x for panel in self.panels for dot in panel.dots}
        few = self.drawing.kind == "lines" and len(places) < FEWEST_PLACES
        return "rows" if few else self.drawing.kind

    @property
    def machines(self) -> list[str]:
        """The machines that have times: those with a GPU, or all where none has one."""
        return self.entries.on_gpu or [e.machine for e in self.entries.measured if e.times][:1]

    @cached_property
    def panels(self) -> list[Panel]:
        """What is drawn; a panel without lines is left out."""
        drawing, entries = self.drawing, self.entries
        read = self.report.variant if self.report else Variant.parse
        layout = table_layout(self.report, drawing.experiment)
        match drawing.kind:
            case "waterfall":
                return [fall(way) for way in self.ways]
            case "dumbbells":
                return dumbbells(drawing, entries, layout)
            case "scatter":
                return beside_printed(entries, self.machines[:1])
            case "distances":
                return distances(drawing, entries, self.machines[:1], self.frame)
            case "rates":
                return rates(drawing, entries, self.machines[:1], self.frame)
        if drawing.kind == "lines" or (drawing.series and not drawing.graphs and drawing.kind == "heat map"):
            return line_panels(drawing, entries, read)
        every = [
            panel
            for timed in timed_by_machine(entries).values()
            for panel in ranked(drawing, timed, layout, read, self.frame)
        ]
        if drawing.kind != "bars":
            return every
        # A tick of another machine is of the same graph, and of no stand-in for it.
        labels = {panel.graph: panel.measured[0].label for panel in of_first_machine(every)}
        return [panel for panel in every if labels.get(panel.graph) == panel.measured[0].label]
