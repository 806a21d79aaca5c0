"""A figure's message: what its numbers say, in place of the names in braces of a drawing's `finding`.

`{pageable}` becomes the values of that line or bar, `{pageable over pinned}` how many times as long one takes
as the other, each on the largest graph first, of bars also by the measure beside them; `{least of vert}`
where a line is the lowest, and its ends over that; `{crossing of seq and vert}` between which sizes the first
begins to take more for good, or less.
"""

import re
from collections.abc import Sequence
from itertools import combinations

from retrace.publish.panels import Dot, Panel
from retrace.publish.sentences import sentence
from retrace.records.ranking import Order, rank
from retrace.reports.frame import why_incomparable
from retrace.reports.report import Drawing
from retrace.reports.wording import duration, power_of_two, ratio

Points = dict[str, Dot]
"""By the size, setting or graph that they are at; from the smallest on."""


def message(drawing: Drawing, chosen: Sequence[Panel]) -> str:
    """Fill in a drawing's finding for its first machine; empty if there is nothing of what it names."""
    machines = list(dict.fromkeys(panel.machine for panel in chosen if panel.machine))
    first = [panel for panel in chosen if panel.machine in machines[:1]]
    compared = [panel for panel in first if panel.compares]
    panels = compared or [panel for panel in first if panel.measure == drawing.y]
    try:
        text = re.sub(r"\{(.+?)\}", lambda braces: _fill(braces[1], drawing, panels), drawing.finding)
    except KeyError:
        return ""
    return f"{text} ({machines[0]})" if text and len(machines) > 1 else text


def _fill(asked: str, drawing: Drawing, panels: Sequence[Panel]) -> str:
    if asked.startswith("least of "):
        return _least(_points(asked.removeprefix("least of "), drawing, panels), drawing)
    if asked.startswith("crossing of "):
        return _crossing(asked.removeprefix("crossing of "), drawing, panels)
    name, _, base = asked.partition(" over ")
    points, under = _points(name, drawing, panels), _points(base, drawing, panels) if base else {}
    values = _over(points, under) if base else {place: dot.value.median for place, dot in points.items()}
    if not values:
        raise KeyError(asked)
    divided, lines = bool(base or panels[0].over), drawing.kind == "lines"
    write = ratio if divided else "{:.0%}".format if panels[0].measure == "transfer" else duration
    aside = _over(points, under, beside=True) if base and drawing.beside else {}
    numbers = [
        (write(value), place, f"{drawing.beside} {ratio(aside[place])}" if place in aside else "")
        for place, value in values.items()
    ]
    telling = _telling(list(values.values()), divided) if lines else range(len(values))
    sizes = lines and drawing.x == "vertices"
    shown = [numbers[index] for index in telling]
    return sentence("values", values=shown, divided=divided, graphs=not lines, sizes=sizes)


def _over(points: Points, under: Points, beside: bool = False) -> dict[str, float]:
    """Return how many times as long the first take where both are, and may be compared."""
    alike = [
        (at, (dot, under[at])) for at, dot in points.items() if at in under and _comparable(dot, under[at])
    ]
    times = {at: [dot.beside if beside else dot.value for dot in dots] for at, dots in alike}
    return {at: first.median / second.median for at, (first, second) in times.items() if first and second}


def _comparable(dot: Dot, other: Dot) -> bool:
    return why_incomparable(dot.entry, other.entry) is None


def _points(name: str, drawing: Drawing, panels: Sequence[Panel]) -> Points:
    """Return the dots of a line, from the smallest size, or of a bar by graph; KeyError without any."""
    points = {}
    for panel in panels:
        for line in panel.lines:
            for dot in line.dots if name in (line.name, line.dots[0].entry.name) else ():
                alone = drawing.kind == "bars" and len(panels) == 1
                points["" if alone else _place(drawing, panel, dot)] = dot
    if not points:
        raise KeyError(name)
    return points


def _place(drawing: Drawing, panel: Panel, dot: Dot) -> str:
    if drawing.kind == "bars":
        return panel.graph
    every = [round(dot.x) for line in panel.lines for dot in line.dots]
    powers = drawing.x == "vertices" and all(size.bit_count() == 1 for size in every)
    return power_of_two(round(dot.x)) if powers else f"{dot.x:,.6g}"


def _telling(values: Sequence[float], divided: bool) -> list[int]:
    """Return the places of the last value, of the first ratio on its side of 1 for good, and 0."""
    last = len(values) - 1
    turn = _turn(values) if divided else last
    return list(dict.fromkeys([last, turn or last, 0]))


def _turn(values: Sequence[float]) -> int:
    """Return the place from which ratios stay on one side of 1."""
    last = turn = len(values) - 1
    while turn > 0 and (values[turn - 1] < 1) == (values[last] < 1):
        turn -= 1
    return turn


def _crossing(asked: str, drawing: Drawing, panels: Sequence[Panel]) -> str:
    """Say between which sizes, or below or above all of them, the ratio of two lines passes 1 for good."""
    first, second = (_points(name, drawing, panels) for name in asked.split(" and "))
    ratios = _over(first, second)
    if not ratios:
        raise KeyError(asked)
    places, values = list(ratios), list(ratios.values())
    if turn := _turn(values):
        below, above = places[turn - 1], places[turn]
    else:
        below, above = ("", places[0]) if values[0] >= 1 else (places[-1], "")
    return sentence("crossing", below=below, above=above, sizes=drawing.x == "vertices")


def _least(points: Points, drawing: Drawing) -> str:
    """Say where the least of some values is, and how they are at the ends; or that all are alike."""
    values = [(dot.value.median, place) for place, dot in points.items()]
    best, place = min(values)
    if {rank(a.value, b.value) for a, b in combinations(points.values(), 2)} == {Order.TIE}:
        return sentence("alike", least=duration(best), most=duration(max(values)[0]))
    ends = [(ratio(value / best), end) for value, end in (values[0], values[-1]) if end != place]
    return sentence("least", least=duration(best), place=place, ends=ends, graphs=drawing.kind == "bars")
