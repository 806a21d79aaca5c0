"""A figure's message: what its numbers say, in place of the names in braces of a drawing's `finding`.

`{two parts over one part as a copy}` becomes how much faster or slower the first line or bar is than the
second, which the words after `as` name; `{printed a over b}` the same of printed times; `{a}` the values of a
line, or how it compares with what the drawing divides by; `{least of a}` where a line is the lowest,
and how much slower its ends are. The largest size or first graph is named, and where it is the other way
round.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from retrace.publish.panel import Dot, Panel, of_first_machine
from retrace.publish.panels import FigureContent
from retrace.publish.plain_names import plain_label
from retrace.publish.sentences import sentence
from retrace.records.ranking import Order, rank, why_untold
from retrace.reports.evidence import fits
from retrace.reports.frame import why_incomparable
from retrace.reports.wording import comparative, duration, power_of_two

PLACEHOLDERS = re.compile(
    r"(?P<printed>printed )?(?P<name>.+?)(?: over (?P<base>.+?))?(?: as (?P<words>.+))?"
)
Points = dict[str, Dot]
"""By the size, setting or graph that they are at; from the smallest size on."""


@dataclass(frozen=True)
class Compared:
    """How many times as long something takes at a place, and why that cannot be told, if so."""

    over: float
    place: str
    untold: str = ""

    @property
    def side(self) -> int:
        """1 if it is slower, -1 if it is faster, 0 if that cannot be told."""
        return 0 if self.untold else 1 if self.over > 1 else -1


def message(content: FigureContent) -> str:
    """Fill in a drawing's finding for its first machine; empty if there is nothing of what it names."""
    try:
        return re.sub(r"\{(.+?)\}", lambda braces: _fill(braces[1], content), content.drawing.finding)
    except KeyError:
        return ""


def _fill(asked: str, content: FigureContent) -> str:
    panels = of_first_machine(content.panels)
    if asked.startswith("least of "):
        return _least(_points(asked.removeprefix("least of "), content), content)
    match = PLACEHOLDERS.fullmatch(asked)
    assert match
    name, base, printed = match["name"], match["base"], bool(match["printed"])
    points = _points(name, content, printed)
    if base:
        compared = _over(points, _points(base, content, printed))
        if printed:  # of the graph of which the title says what was measured
            here = _over(*(_points(one, content) for one in (name, base)))
            same = [one for one in compared if here and one.place == here[0].place] or compared
            return comparative(same[0].over, match["words"] or "") if same else ""
    elif panels[0].over:
        compared = [Compared(d.value.median, at, _untold(d, panels[0], content)) for at, d in points.items()]
    else:
        return _values(points, content, panels[0], match["words"])
    return _said_of(compared, match["words"] or "", content)


def _said_of(every: Sequence[Compared], words: str, content: FigureContent) -> str:
    """Say the comparison at the largest size or on the first graph, and one that is the other way round."""
    if not every:
        raise KeyError(words)
    lines = _by_size(content)
    first, *others = reversed(every) if lines else every
    turned = [other for other in others if other.side == -first.side != 0]
    said = comparative(first.over, words, first.untold) + _at(first.place, content)
    if turned:
        other = turned[-1] if lines else turned[0]
        said += f", {comparative(other.over)}{_at(other.place, content, again=True)}"
    return said


def _values(points: Points, content: FigureContent, panel: Panel, words: str | None) -> str:
    write = "{:.0%}".format if panel.measure == "transfer" else duration
    ends = list(points.items())[:: -max(1, len(points) - 1)]
    said = [
        write(dot.value.median).replace("%", "\N{NO-BREAK SPACE}%")
        + (f" {words}" if words and number == 0 else "")
        + _at(place, content, again=number > 0)
        for number, (place, dot) in enumerate(ends)
    ]
    return ", ".join(said)


def _by_size(content: FigureContent) -> bool:
    """Return whether places are sizes or settings, and not graphs."""
    return not any(panel.graph for panel in content.panels) or content.drawing.kind == "lines"


def _at(place: str, content: FigureContent, again: bool = False) -> str:
    drawing = content.drawing
    if not place or drawing.ideal:
        return ""
    if not _by_size(content):
        return f" on {plain_label(place)}"
    return f" at {place}{' vertices' if drawing.x == 'vertices' and not again else ''}"


def _untold(dot: Dot, panel: Panel, content: FigureContent) -> str:
    """Say why what a ratio is made of cannot be told apart; empty if it can."""
    read = content.report.variant if content.report else None
    drawing = content.drawing
    if read is None or drawing.over is None or dot.entry.record is None:
        return ""
    bases = (
        entry.times[panel.measure]
        for entry in content.entries.measured
        if fits(entry, read(drawing.over)) and entry.label == dot.entry.label
        and why_incomparable(entry, dot.entry) is None and panel.measure in entry.times
    )  # fmt: skip
    base = next(bases, None)
    return "" if base is None else why_untold(dot.entry.times[panel.measure], base)


def _over(points: Points, under: Points) -> list[Compared]:
    """Compare the first with the second where both are, and may be compared."""
    return [
        Compared(
            dot.value.median / other.value.median,
            at,
            why_untold(dot.value, other.value) if dot.entry.record else "",
        )
        for at, dot in points.items()
        if (other := under.get(at))
        and (dot.entry.printed or why_incomparable(dot.entry, other.entry) is None)
    ]


def _points(name: str, content: FigureContent, printed: bool = False) -> Points:
    """Return the dots of a line, from the smallest size, or of a row by graph; KeyError without any."""
    points: Points = {}
    panels = of_first_machine(content.panels)
    every = [round(dot.x) for panel in panels for dot in panel.dots]
    powers = content.drawing.x == "vertices" and all(size.bit_count() == 1 for size in every)
    for panel in panels:
        for line in panel.lines:
            for dot in line.dots if name in (line.name, line.dots[-1].entry.name) else ():
                if bool(dot.entry.printed) is printed and (printed or dot.entry.machine == panel.machine):
                    size = power_of_two(round(dot.x)) if powers else f"{dot.x:,.6g}"
                    points.setdefault(panel.graph or size, dot)
    if not points:
        raise KeyError(name)
    alone = not content.drawing.graphs and len(points) == 1 and panels[0].graph
    return {"": next(iter(points.values()))} if alone else points


def _least(points: Points, content: FigureContent) -> str:
    """Say where the least of some values is, and how they are at the ends; or that all are alike."""
    values = [(dot.value.median, place) for place, dot in points.items()]
    best, place = min(values)
    if {rank(a.value, b.value) for a, b in combinations(points.values(), 2)} == {Order.TIE}:
        return sentence("alike", least=duration(best), most=duration(max(values)[0]))
    ends = []
    for ms, end in (values[0], values[-1]):
        if end != place:
            untold = why_untold(points[end].value, points[place].value)
            ends.append(comparative(ms / best, untold=untold) + _at(end, content, again=True))
    return ", ".join([f"fastest{_at(place, content)} ({duration(best)})", *ends])
