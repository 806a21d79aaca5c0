"""A figure's message: what its numbers say, in place of the names in braces of a drawing's `finding`.

`{pageable}` becomes the values of that line or bar, `{pageable over pinned}` how many times as long one takes
as the other, each on the largest graph first; `{least of vert}` where a line is the lowest, and its ends over
that; `{crossing of seq and vert}` between which sizes the first begins to take more for good, or less.
"""

import re
from collections.abc import Sequence
from itertools import combinations

from retrace.publish.panels import Dot, Panel
from retrace.records.statistics import Order, rank
from retrace.reports.frame import why_incomparable
from retrace.reports.report import Drawing
from retrace.reports.wording import duration, power_of_two, ratio

Points = dict[str, Dot]
"""By where they are: at a size, at a setting, or on a graph; from the smallest on."""


def message(drawing: Drawing, chosen: Sequence[Panel]) -> str:
    """Fill in a drawing's finding for its first machine; empty if there is nothing of what it names."""
    machines = list(dict.fromkeys(panel.machine for panel in chosen if panel.machine))
    own = [panel for panel in chosen if panel.machine in machines[:1]]
    of = [panel for panel in own if panel.compares] or [panel for panel in own if panel.measure == drawing.y]
    try:
        text = re.sub(r"\{(.+?)\}", lambda found: _fill(found[1], drawing, of), drawing.finding)
    except KeyError:
        return ""
    return f"{text} ({machines[0]})" if text and len(machines) > 1 else text


def _fill(asked: str, drawing: Drawing, panels: Sequence[Panel]) -> str:
    if asked.startswith("least of "):
        return _least(_points(asked.removeprefix("least of "), drawing, panels))
    if asked.startswith("crossing of "):
        return _crossing(asked.removeprefix("crossing of "), drawing, panels)
    name, _, base = asked.partition(" over ")
    points, under = _points(name, drawing, panels), _points(base, drawing, panels) if base else {}
    values = _over(points, under) if base else {where: dot.value.median for where, dot in points.items()}
    if not values:
        raise KeyError(asked)
    divided = bool(base or panels[0].over)
    write = ratio if divided else "{:.0%}".format if panels[0].measure == "transfer" else duration
    places = _telling(list(values.values()), divided) if drawing.kind == "lines" else range(len(values))
    every = list(values.items())
    (where, value), *others = [every[place] for place in places]
    size = " vertices" if drawing.x == "vertices" and drawing.kind == "lines" else ""
    first = f"{write(value)}{' as long' * divided} {where}".rstrip() + size
    return ", ".join([first, *(f"{write(value)} {where}" for where, value in others)])


def _over(points: Points, under: Points) -> dict[str, float]:
    """Return how many times as long the first take where both are, and may be compared."""
    alike = [at for at, dot in points.items() if at in under and _comparable(dot, under[at])]
    return {at: points[at].value.median / under[at].value.median for at in alike}


def _comparable(dot: Dot, other: Dot) -> bool:
    return why_incomparable(dot.entry, other.entry) is None


def _points(name: str, drawing: Drawing, panels: Sequence[Panel]) -> Points:
    """Return the dots of a line, from the smallest size, or of a bar by graph; KeyError without any."""
    found = {}
    for panel in panels:
        for line in panel.lines:
            for dot in line.dots if name in (line.name, line.dots[0].entry.name) else ():
                alone = drawing.kind == "bars" and len(panels) == 1
                found["" if alone else _where(drawing, panel, dot)] = dot
    if not found:
        raise KeyError(name)
    return found


def _where(drawing: Drawing, panel: Panel, dot: Dot) -> str:
    if drawing.kind == "bars":
        return f"on {panel.graph}"
    every = [round(dot.x) for line in panel.lines for dot in line.dots]
    powers = drawing.x == "vertices" and all(size.bit_count() == 1 for size in every)
    return f"at {power_of_two(round(dot.x)) if powers else f'{dot.x:,.6g}'}"


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
    found = _over(first, second)
    if not found:
        raise KeyError(asked)
    places, values = [where.removeprefix("at ") for where in found], list(found.values())
    if turn := _turn(values):
        where = f"between {places[turn - 1]} and {places[turn]}"
    else:
        where = f"below {places[0]}" if values[0] >= 1 else f"above {places[-1]}"
    return where + " vertices" * (drawing.x == "vertices")


def _least(points: Points) -> str:
    """Say where the least of some values is, and how they are at the ends; or that all are alike."""
    values = [(dot.value.median, where) for where, dot in points.items()]
    best, place = min(values)
    if {rank(a.value, b.value) for a, b in combinations(points.values(), 2)} == {Order.TIE}:
        return f"{duration(best)} to {duration(max(values)[0])}, which cannot be told apart"
    ends = [
        f"{ratio(value / best)}{{}} {where}" for value, where in (values[0], values[-1]) if where != place
    ]
    told = ", ".join(end.format("" if number else " as long") for number, end in enumerate(ends))
    return f"{duration(best)} {place}{f' ({told})' if told else ''}"
