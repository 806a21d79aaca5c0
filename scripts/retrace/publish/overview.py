"""README's figure: the verdicts of each report, and how many times as fast as a core the GPU was and is.

README shows dark pages a second one, in the colours of those.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from retrace.publish.chart import STYLE
from retrace.publish.chart_axes import ROW, fit_height, framed, tick_ratio
from retrace.publish.chart_looks import INK, INSIDE, KIND_COLOURS, PUBLISHED_KERNEL, VERDICT_COLOURS
from retrace.publish.front import Tally
from retrace.publish.panel import family, undoubted
from retrace.publish.plain_names import graph_of, problem_of
from retrace.reports.finding import Verdict
from retrace.reports.frame import PRINTED_PAIR, Frame, GraphRow, speed_up
from retrace.reports.report import Report, SpeedUp
from retrace.reports.wording import TIMES, two_digits

PAPER, MUTED, GRID, KERNEL = "#ffffff", "#555555", "#dddddd", KIND_COLOURS[PUBLISHED_KERNEL]
ON_DARK = {INK: "#e6edf3", PAPER: "#0d1117", MUTED: "#a5afba", GRID: "#30363d", KERNEL.lower(): "#3d9bdc"}
"""What colours become on GitHub's dark pages; bars keep theirs, and the numbers in them."""
TEXT_COLOURS = dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK)
MEASURED_AS = "copies included, from one source, as in print"
SEGMENTS = {
    Verdict.HOLDS: VERDICT_COLOURS["holds"],
    Verdict.IN_PART: VERDICT_COLOURS["in part"],
    Verdict.FAILS: VERDICT_COLOURS["fails"],
}
NOISE, UNMEASURED = VERDICT_COLOURS["noise"], VERDICT_COLOURS["unmeasured"]
KEY: Any = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderpad": 0.3, "columnspacing": 1.2}
"""Where the key of a panel is: below its title."""


@dataclass(frozen=True)
class Speed:
    """How many times as fast as a core a report's kernel was in print and is here, on a graph."""

    title: str
    printed: float
    measured: float
    beside_best: float | None
    """Beside the fastest program on one core, if that is not the report's."""
    is_sure: bool = True
    """Whether core and GPU can be told apart here."""


def speeds(reports: Sequence[Report], frame: Frame, machine: str) -> list[Speed]:
    """List those with a printed speed-up: on real graphs, and on the largest of each kind of others."""
    every: list[Speed] = []
    for report in reports:
        for experiment, layout in report.tables.items():
            if layout.speed_up:
                rows = [row for row in frame.of(experiment).rows if row.first.pair == PRINTED_PAIR]
                every += _of_table(rows, layout.speed_up, machine)
    return every


def _of_table(rows: Sequence[GraphRow], asked: SpeedUp, machine: str) -> Iterator[Speed]:
    largest: dict[str, tuple[tuple[int, int, str], Speed]] = {}
    for row in rows:
        slow, fast = row.of(machine, asked.over), row.of(machine, asked.of)
        printed, measured = _printed(row, asked), speed_up(slow, fast)
        if slow is None or fast is None or printed is None or measured is None:
            continue
        if slow.record.graph.origin == "report":  # toys
            continue
        on_core = [entry for entry in row.here(machine) if entry.total and entry.record.cores == 1]
        best = min(on_core, key=lambda entry: entry.times["total"].median)
        beside = speed_up(best, fast) if best is not slow else None
        title = f"{problem_of(fast)}, {graph_of(fast)}"
        speed = Speed(title, printed, measured[0], beside and beside[0], measured[1])
        kind = family(fast) or fast.graph
        largest[kind] = max(largest.get(kind, (fast.work, speed)), (fast.work, speed), key=lambda one: one[0])
    yield from (speed for _, speed in largest.values())


def _printed(row: GraphRow, asked: SpeedUp) -> float | None:
    """Return the greatest printed speed-up of a graph, each on one system where the report says so."""
    slow, fast = ([e for e in undoubted(row.printed) if e.solver == spec] for spec in (asked.over, asked.of))
    shared = {entry.machine for entry in slow} & {entry.machine for entry in fast}
    return max(
        (a.printed.ms / b.printed.ms for a in slow for b in fast if not shared or a.machine == b.machine),
        default=None,
    )


def draw_overview(tally: Tally, every: Sequence[Speed]) -> Figure:
    """Draw both panels for a machine."""
    counts = tally.of_reports
    timed = tally.of_time
    title = f"{timed[Verdict.HOLDS]} of {sum(timed.values())} claims about time hold on an {tally.gpu}, "
    title += f"{timed[Verdict.FAILS]} do not, {timed[Verdict.OPEN]} cannot be told"
    with rc_context(STYLE | TEXT_COLOURS):
        figure, part = framed(title, "", "")
        heights = [ROW * 1.45 * (len(counts) + 2), ROW * 1.75 * max(1, len(every)) + ROW]
        above, below = part.subplots(2, height_ratios=heights)
        _draw_verdicts(above, tally)
        _draw_speeds(below, every)
        fit_height(figure, heights)
    return figure


def on_dark_ground(svg: bytes) -> bytes:
    """Return an SVG file of the figure in the colours of a dark page."""
    turned = re.sub("#[0-9a-f]{6}", lambda colour: ON_DARK.get(colour[0], colour[0]), svg.decode())
    return turned.encode()


def _bars(tally: Tally) -> dict[str, Mapping[Verdict, int]]:
    """Return the counts of each bar: the claims of all reports that a time decides, all, those of each."""
    return {"about time": tally.of_time, "all claims": tally.total, **tally.of_reports}


def _parts(tally: Tally) -> Iterator[tuple[str, str, list[int]]]:
    """Yield the parts of all bars: words, colour, and how many claims, as `_bars` orders them."""
    rows = _bars(tally).values()
    noisy = [tally.noisy_of_time, sum(tally.noisy.values())]
    noisy += [tally.noisy.get(name, 0) for name in tally.of_reports]
    for verdict, colour in SEGMENTS.items():
        yield verdict, colour, [of[verdict] for of in rows]
    yield "times scatter", NOISE, noisy
    yield "not measured", UNMEASURED, [of[Verdict.OPEN] - n for of, n in zip(rows, noisy, strict=True)]


def _draw_verdicts(axes: Axes, tally: Tally) -> None:
    counts = _bars(tally)
    rows, left = range(len(counts)), [0.0] * len(counts)
    parts = list(_parts(tally))
    for words, colour, numbers in parts:
        widths = [n / max(1, sum(of.values())) for n, of in zip(numbers, counts.values(), strict=True)]
        bars = axes.barh(rows, widths, left=left, color=colour, height=0.8)
        labels = axes.bar_label(bars, [str(n or "") for n in numbers], label_type="center", color=INSIDE)
        for row, label in enumerate(labels):
            label.set_gid(f"inside-{row}-{words}")
        left = [begin + width for begin, width in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(counts)), list(counts))
    axes.get_yticklabels()[0].set_fontweight("bold")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(counts) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.xaxis.set_visible(False)
    axes.spines[:].set_visible(False)
    key = [Patch(color=colour, label=words) for words, colour, _ in parts]
    axes.set_title("What the reports claim, measured anew", loc="left", pad=20)
    wide = KEY | {"bbox_to_anchor": (-0.25, 1)}  # than the bars
    axes.legend(handles=key, ncols=len(key), **wide).set_in_layout(False)


def _draw_speeds(axes: Axes, every: Sequence[Speed]) -> None:
    axes.set_title("How many times as fast as one CPU core is a report's kernel?", loc="left", pad=34)
    axes.set_xscale("log")
    axes.grid(axis="x", color=GRID, lw=0.6)
    axes.set_axisbelow(True)
    axes.axvline(1, color=MUTED, lw=1)
    for row, speed in enumerate(every):
        colour = KERNEL if speed.is_sure else MUTED
        axes.plot([speed.printed, speed.measured], [row, row], color=colour, lw=2.5, zorder=2)
        axes.plot(speed.printed, row, "o", mfc=PAPER, mec=MUTED, ms=7, zorder=3)
        axes.plot(speed.measured, row, "o", color=colour, ms=7, zorder=3)
        side = 1 if speed.measured >= speed.printed else -1
        said = [(speed.measured, side, "bold"), (speed.printed, -side, "normal")]
        if speed.beside_best:
            axes.plot(speed.beside_best, row, "D", mfc=PAPER, mec=KERNEL, ms=5, zorder=3)
            said.append((speed.beside_best, -1, "normal"))
        for value, outwards, weight in said:
            axes.annotate(
                two_digits(value) + TIMES, (value, row), (9 * outwards, 0), textcoords="offset points",
                va="center", ha="left" if outwards > 0 else "right", weight=weight,
            )  # fmt: skip
    axes.set_yticks(range(len(every)), [speed.title for speed in every])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(every) - 0.4, -0.6)
    ends = [value for one in every for value in (one.printed, one.measured, one.beside_best) if value] or [1]
    axes.set_xlim(min(ends) / 4, max(ends) * 4)
    axes.axvspan(axes.get_xlim()[0], 1, color=GRID, alpha=0.45, lw=0, zorder=0)
    axes.xaxis.set_major_formatter(lambda value, _: tick_ratio(value))
    axes.set_xlabel(f"the core is faster  ←  {tick_ratio(1)}  →  the GPU is faster\n{MEASURED_AS}")
    axes.spines["left"].set_visible(False)
    hollow: dict[str, Any] = {"ls": "", "mfc": PAPER}
    key = [
        Line2D([], [], marker="o", mec=MUTED, label="printed", **hollow),
        Line2D([], [], ls="", marker="o", color=KERNEL, label="measured"),
        Line2D([], [], ls="", marker="o", color=MUTED, label="measured: noise, or too few trials"),
        Line2D(
            [], [], marker="D", mec=KERNEL, label="measured, over the fastest program of a core", **hollow
        ),
    ]
    axes.legend(handles=key, ncols=2, **KEY).set_in_layout(False)
