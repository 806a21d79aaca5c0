"""The ratios of two machines' times: a row for each solver, under its experiment and graph."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retrace.publish.chart import STYLE
from retrace.publish.chart_axes import ROW, fit_height, framed, name_rows, scale, tick_ratio, widen
from retrace.publish.chart_looks import BLUE, GREY, VERMILION
from retrace.publish.panel import LABELS
from retrace.records.statistics import CONFIDENCE
from retrace.reports.wording import ratio
from retrace_commands.comparison import EQUAL, MachineComparison

VERDICTS = {"faster": (BLUE, "o"), "slower": (VERMILION, "s"), "same": (GREY, "D")}
"""Of each verdict the colour and the marker; a hollow one where one cannot tell."""
HOLLOW = ("#555555", "o")
EXPLAINED = (
    f"Dots are ratios of medians, bars their {CONFIDENCE:.0%} intervals; within the grey band times differ "
    f"by less than {EQUAL - 1:.0%}. Circle: faster, square: slower, diamond: the same, hollow: cannot tell."
).replace("%", " %")


def draw_ratios(compared: Sequence[MachineComparison], alone: int, names: tuple[str, str]) -> Figure:
    """Draw the second machine's times over the first's; `alone` records have no partner."""
    rows: list[tuple[str, MachineComparison | None]] = []
    ordered = sorted(compared, key=lambda pair: (pair.record.experiment, pair.record.graph.vertices))
    for head, pairs in groupby(ordered, key=lambda pair: f"{pair.record.experiment}, {pair.record.label}"):
        rows.append((head, None))
        rows += [(pair.cells[1], pair) for pair in sorted(pairs, key=lambda pair: pair.ratio)]
    left_out = f" {alone} timed records have no partner." if alone else ""
    with rc_context(STYLE):
        figure, part = framed(_title(compared, names), EXPLAINED + left_out, "")
        axes = part.subplots()
        axes.axvspan(1 / EQUAL, EQUAL, color="0.92", lw=0, zorder=0)
        axes.axvline(1, color="black", lw=0.6, zorder=1)
        _draw_dots(axes, rows)
        ends = [end for pair in compared for end in (pair.low, pair.high, pair.ratio) if end]
        scale(axes, "x", [*ends, 1 / EQUAL, EQUAL], tick_ratio)
        name_rows(axes, [name for name, _ in rows], [ratio(pair.ratio) if pair else "" for _, pair in rows])
        widen(part, [name for name, _ in rows], 3)
        axes.tick_params(axis="x", labeltop=True, top=True)  # a reader of many rows sees one of the two
        for label, (_, pair) in zip(axes.get_yticklabels(), rows, strict=True):
            label.set_fontweight("bold" if pair is None else "normal")
        axes.set_xlabel(f"{LABELS[compared[0].phase]}, {names[1]} over {names[0]}")
        fit_height(figure, [ROW * len(rows)])
    return figure


def _draw_dots(axes: Axes, rows: Sequence[tuple[str, MachineComparison | None]]) -> None:
    """Draw each ratio with its interval."""
    pairs = [(row, pair) for row, (_, pair) in enumerate(rows) if pair is not None]
    ends = [
        (row, pair.low, pair.high) for row, pair in pairs if pair.low is not None and pair.high is not None
    ]
    if ends:
        bars = axes.hlines(*zip(*ends, strict=True), color="black", lw=0.9, zorder=2)
        bars.set_gid("intervals")
    for row, pair in pairs:
        colour, marker = VERDICTS.get(pair.verdict, HOLLOW)
        inside = colour if pair.verdict in VERDICTS else "white"
        (dot,) = axes.plot(pair.ratio, row, marker, color=colour, mfc=inside, mew=0.7, zorder=3)
        dot.set_gid(f"ratio-{row}")


def _title(compared: Sequence[MachineComparison], names: tuple[str, str]) -> str:
    counts = Counter(pair.verdict for pair in compared)
    verdicts = ", ".join(f"{counts[word]} {word}" for word in (*VERDICTS, "cannot tell") if counts[word])
    measure = LABELS[compared[0].phase]
    return f"{measure} of {names[1]} over that of {names[0]}: {len(compared)} solvers and graphs, {verdicts}"
