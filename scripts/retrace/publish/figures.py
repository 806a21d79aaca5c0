"""Time against graph size: printed and measured times of one published table on the same axes.

Printed series are dashed with hollow markers, measured ones solid with filled markers. Every line carries its
name at its end; points of a graph that is not the printed one carry a sign of their own.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from retrace.publish.published import COLUMNS, TABLES, PublishedTable
from retrace.publish.rows import PRINTED_PAIR, Line, lines, machines
from retrace.records.model import Record
from retrace.records.statistics import Summary

# Okabe and Ito's palette, which colour-blind readers can tell apart.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
PRINTED_STYLES = {"sequential": (BLACK, "o"), "machine1": (ORANGE, "^"), "machine2": (PURPLE, "v")}
SEQUENTIAL_STYLES = ((BLUE, "s"), (SKY, "p"), (BLUE, "h"), (SKY, "H"))
CUDA_STYLES = ((VERMILION, "D"), (VERMILION, "d"), (VERMILION, "<"), (VERMILION, ">"))
PEER_STYLE = (GREEN, "*")
SIGNS = {"(stand-in)": ("x", "\N{MULTIPLICATION SIGN}"), "(weights generated)": ("+", "+")}
"""By the ending of a label: the marker on a point, and the same as text."""

SETTINGS: Any = {
    "font.size": 7,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 4.2,
    "svg.hashsalt": "retrace",
    "figure.dpi": 100,
    "savefig.dpi": 300,
}
WIDTH, HEIGHT = 3.5, 3.2
LEFT, RIGHT, BOTTOM, TOP = 0.55, 0.03, 0.38, 0.44
LEADER, SIGN_LINE, NARROWEST = 0.32, 0.13, 1.4
"""Inches: the figure, its margins, the way to a label, a line of signs, the least width of the axes."""


@dataclass(frozen=True)
class Point:
    """A time with its quartiles, in milliseconds, and the name of the graph it was taken on."""

    vertices: int
    label: str
    ms: float
    q1: float
    q3: float


@dataclass(frozen=True)
class Series:
    """A line of the figure."""

    label: str
    style: tuple[str, str]
    printed: bool
    points: Sequence[Point]


def figure(table: str, published: pd.DataFrame, records: Iterable[Record]) -> Figure:
    """Draw a table's figure."""
    rows = [line for line in lines(table, published, records) if line.pair == PRINTED_PAIR]
    drawn = [*printed_series(rows), *measured_series(TABLES[table], rows)]
    substitutes = sorted({point.label for one in drawn for point in one.points if ending(point.label)})
    with rc_context(SETTINGS):
        result = Figure(figsize=(WIDTH, HEIGHT))
        axes = result.add_axes((0, 0, 1, 1))
        axes.set(xscale="log", yscale="log", xlabel="Vertices", ylabel="Time (ms)")
        axes.yaxis.labelpad = 2
        for one in drawn:
            draw(axes, one)
        _name_graphs(axes, rows)
        axes.set_title(f"{TABLES[table].title} (Table {table.removeprefix('table-')})", pad=14)
        _label_lines(result, axes, drawn, sign_lines=_explain_signs(result, substitutes))
    return result


def image(drawn: Figure, form: str) -> bytes:
    """Encode a figure as `svg` or `png`; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with rc_context(SETTINGS):
        drawn.savefig(buffer, format=form, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def printed_series(rows: Iterable[Line]) -> list[Series]:
    """Collect the printed columns."""
    printed = pd.concat([line.printed for line in rows if line.printed is not None])
    found = []
    for key in COLUMNS:
        column = printed[printed["column"] == key]
        points = [
            Point(vertices, graph, ms, ms, ms)
            for vertices, graph, ms in zip(column["vertices"], column["graph"], column["value"], strict=True)
        ]
        name = "sequential" if key == "sequential" else column["hardware"].iloc[0]
        found.append(Series(f"printed: {name}", PRINTED_STYLES[key], True, points))
    return found


def measured_series(layout: PublishedTable, rows: Sequence[Line]) -> list[Series]:
    """Collect what each machine measured, and the best peer of the first machine that has one."""
    order = machines(record for line in rows for record in line.records.values())
    found = []
    for index, machine in enumerate(order):
        for name, solver, styles in (
            ("sequential", layout.sequential, SEQUENTIAL_STYLES),
            ("CUDA", layout.gpu, CUDA_STYLES),
        ):
            points = _points(rows, machine, solver)
            if points:
                found.append(Series(f"{machine}: {name}", styles[index % len(styles)], False, points))
    for machine in order:
        peers = {peer: points for peer in layout.peers if (points := _points(rows, machine, peer))}
        if peers:
            best = min(peers, key=lambda peer: (-peers[peer][-1].vertices, peers[peer][-1].ms))
            variant = best.split("/")[1]
            return [*found, Series(f"{machine}: {variant}", PEER_STYLE, False, peers[best])]
    return found


def ending(label: str) -> str | None:
    """Give what a label adds to the graph's name if the graph is not the printed one."""
    return next((text for text in SIGNS if label.endswith(text)), None)


def spread(wanted: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Move places apart until neighbours are `distance` apart, as near to the wanted ones as may be.

    Places that touch form a block centred on the mean of what they want; blocks that touch merge.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    blocks: list[list[int]] = []

    def start(block: list[int]) -> float:
        middle = sum(wanted[index] for index in block) / len(block)
        length = distance * (len(block) - 1)
        return max(low, min(middle - length / 2, high - length))

    for index in order:
        blocks.append([index])
        while len(blocks) > 1 and start(blocks[-1]) < start(blocks[-2]) + distance * len(blocks[-2]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    places = [0.0] * len(wanted)
    for block in blocks:
        for step, index in enumerate(block):
            places[index] = start(block) + step * distance
    return places


def _points(rows: Iterable[Line], machine: str, solver: str) -> list[Point]:
    """Collect a solver's times on a machine by graph size; zero has no place on a logarithmic axis."""
    found = []
    for line in rows:
        times: Summary | None = line.summary(machine, solver)
        if times and times.median > 0:
            graph = line.records[machine, solver].graph
            found.append(Point(graph["vertices"], line.label, times.median, times.q1, times.q3))
    return sorted(found, key=lambda point: point.vertices)


def draw(axes: Axes, one: Series) -> None:
    """Draw a line with its quartiles; sign the points of other graphs than the printed one."""
    colour, marker = one.style
    x, y = [point.vertices for point in one.points], [point.ms for point in one.points]
    errors = [[p.ms - p.q1 for p in one.points], [p.q3 - p.ms for p in one.points]]
    axes.errorbar(
        x,
        y,
        yerr=None if one.printed else errors,
        color=colour,
        marker=marker,
        markersize=6 if marker == "*" else None,
        markerfacecolor="white" if one.printed else colour,
        markeredgewidth=0.9,
        linestyle=(0, (3, 1.5)) if one.printed else "-",
        elinewidth=0.8,
        capsize=2,
        zorder=2 if one.printed else 3,
    )
    for point in one.points:
        if (substitute := ending(point.label)) is not None:
            axes.plot(
                point.vertices, point.ms, SIGNS[substitute][0], color=BLACK, markersize=8, mew=0.8, zorder=4
            )


def _name_graphs(axes: Axes, rows: Iterable[Line]) -> None:
    """Write the graphs' names over the axes, those of nearly the same size together."""
    sizes = {line.graph: _vertices(line) for line in rows}
    names: list[tuple[list[float], list[str]]] = []
    for name, vertices in sorted(sizes.items(), key=lambda item: item[1]):
        if names and vertices < 2 * names[-1][0][-1]:
            names[-1][0].append(vertices)
            names[-1][1].append(name)
        else:
            names.append(([vertices], [name]))
        axes.axvline(vertices, color="0.9", linewidth=0.6, zorder=0)
    for number, (places, together) in enumerate(names):
        first = number == 0  # kept clear of the time axis, whose highest number stands beside it
        axes.annotate(
            ", ".join(together),
            (places[0] if first else (places[0] * places[-1]) ** 0.5, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-3 if first else 0, 3),
            textcoords="offset points",
            ha="left" if first else "center",
            color="0.3",
        )


def _vertices(line: Line) -> int:
    if line.printed is not None:
        return int(line.printed["vertices"].iloc[0])
    return next(iter(line.records.values())).graph["vertices"]


def _explain_signs(result: Figure, substitutes: Sequence[str]) -> int:
    """Write under the axes what the signs on points mean; give the number of lines written."""
    texts = []
    for text, (_, mark) in SIGNS.items():
        labels = [label for label in substitutes if ending(label) == text]
        if labels:
            texts.append(f"{mark} {', '.join(labels)}")
    for number, text in enumerate(reversed(texts)):
        result.text(0.03 / WIDTH, (0.03 + SIGN_LINE * number) / HEIGHT, text)
    return len(texts)


def _label_lines(result: Figure, axes: Axes, drawn: Sequence[Series], sign_lines: int) -> None:
    """Write each line's name at its end, apart from the others, and give the axes the room that is left."""
    texts = [axes.text(0, 0, one.label, transform=axes.transAxes, va="center") for one in drawn]
    extents = [text.get_window_extent() for text in texts]
    names = max(extent.width for extent in extents) / result.dpi
    inner = max(NARROWEST, WIDTH - LEFT - LEADER - names - RIGHT)
    width, bottom = LEFT + inner + LEADER + names + RIGHT, BOTTOM + SIGN_LINE * sign_lines
    result.set_size_inches(width, HEIGHT)
    height = HEIGHT - bottom - TOP
    axes.set_position((LEFT / width, bottom / HEIGHT, inner / width, height / HEIGHT))

    axes.xaxis.set_major_locator(LogLocator(numticks=4))
    axes.yaxis.set_major_locator(LogLocator(numticks=7))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_minor_formatter(NullFormatter())

    into = axes.transAxes.inverted()
    ends = [
        into.transform(axes.transData.transform((p.vertices, p.ms)))
        for p in (one.points[-1] for one in drawn)
    ]
    row = max(extent.height for extent in extents) / result.dpi / height
    places = spread([float(end[1]) for end in ends], row, 0, 1)
    for text, one, end, place in zip(texts, drawn, ends, places, strict=True):
        text.set_position((1 + LEADER / inner, place))
        turn = 1 + (LEADER - 0.08) / inner
        axes.plot(
            [float(end[0]), turn],
            [float(end[1]), place],
            transform=axes.transAxes,
            color=one.style[0],
            marker=one.style[1],
            markevery=[1],
            markerfacecolor="white" if one.printed else one.style[0],
            linewidth=0.6,
            linestyle=":",
            clip_on=False,
            zorder=1,
        )
