"""What a figure says in words: its title, what it shows, the signs in it, and the caption beside it.

The words are those of `workflow/templates/figures.yaml`; here are the numbers and names in them.
"""

import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from retrace.publish.cell_columns import columns
from retrace.publish.message import message
from retrace.publish.panel import DOUBT, PAIR, Dot, Panel, most_work, of_first_machine, spans
from retrace.publish.panels import FigureContent
from retrace.publish.plain_names import plain_label, problem_of
from retrace.publish.provenance import cores, emulated, mixture
from retrace.publish.sentences import sentence
from retrace.publish.waterfall import PRINTED
from retrace.records.ranking import Order, rank, why_untold
from retrace.records.statistics import ENOUGH, Summary
from retrace.reports.finding import by_verdict
from retrace.reports.frame import Entry, Frame
from retrace.reports.judge import judge
from retrace.reports.like_for_like import Contenders, contenders
from retrace.reports.physical_limit import Roof
from retrace.reports.report import table_layout
from retrace.reports.wording import (
    comparative,
    duration,
    few_trials,
    joules,
    speed_range,
    three_digits,
    times_as_much,
    two_digits,
)

ELSEWHERE = {"another host", "another commit"}
"""What keeps two solvers of a machine from being ranked; generators of a name make different graphs."""
COUNTED_TITLES = ("waterfall", "scatter", "distances", "rates", "energy")
"""What has a title that is a sentence of its own: kinds of figures, and the energy."""
COMPARED_WITH = {"published": "published kernels", "library": "libraries"}
"""What ours are compared with."""
MOST_WORDS = 60
"""Of the first paragraph of a caption."""


def heading(content: FigureContent) -> str:
    """Return the title: what the numbers say, or what is drawn where they say nothing."""
    drawing, said = content.drawing, ""
    panels, kind = of_first_machine(content.panels), "energy" if drawing.y == "energy" else drawing.kind
    if panels and kind in COUNTED_TITLES:
        said = sentence(f"title {kind}", **_counted(content, panels))
    elif panels and drawing.finding:
        said = message(content)
    elif panels and drawing.graphs:
        said = _standing(content, panels)
    elif panels:
        said = _fastest(content, panels)
    return said[:1].upper() + said[1:] or drawing.title


def _counted(content: FigureContent, panels: Sequence[Panel]) -> Mapping[str, object]:
    """Return the numbers in the title of a figure of a kind that has a sentence of its own."""
    panel = panels[0]
    kind, y, rows = content.drawing.kind, content.drawing.y, panel.lines
    first, last = rows[0].dots[0], rows[-1].dots[0]
    if kind == "waterfall":
        return next((way.numbers for way in reversed(content.ways) if way.kernel), {})
    if kind == "scatter":
        over = [dot.value.median / dot.x for dot in panel.dots]
        shorter = sum(ratio < 1 for ratio in over)
        return {"every": len(over), "fewer": shorter, "middle": comparative(median(over))}
    if kind == "rates":
        largest = [max((line.dots[0] for line in one.lines), key=lambda dot: dot.x) for one in panels]
        return {
            "known": all(isinstance(one.limit, Roof) for one in panels),
            "largest": [
                f"{_of_roof(dot, one.limit)} ({one.title}, {dot.entry.graph})"
                for dot, one in zip(largest, panels, strict=True)
            ],
        }
    ends = {"near": rows[0].name, "far": rows[-1].name, "graph": plain_label(panel.graph)}
    if y == "energy":
        most = times_as_much(last.value.median / first.value.median)
        return {"least": joules(first.value.median), "most": most} | ends
    return {"least": times_as_much(first.value.median), "most": times_as_much(last.value.median)} | ends


def _of_roof(dot: Dot, roof: object) -> str:
    """Write which share of what a roof allows a rate is, or the rate where no roof is known."""
    rate = dot.value.median
    return (
        f"{two_digits(100 * rate / roof.at(dot.x))}\N{NO-BREAK SPACE}%"
        if isinstance(roof, Roof)
        else f"{three_digits(rate / 1e9)} billion"
    )


def _standing(content: FigureContent, panels: Sequence[Panel]) -> str:
    """Compare the fastest of ours on each graph with others, by each measure."""
    timed = [panel for panel in panels if panel.measured]
    said = []
    for measure in content.drawing.measures:
        every = [one for panel in timed if (one := contenders(measure, panel.measured))]
        if beside := [words for side in COMPARED_WITH if (words := _beside(every, side))]:
            said.append((measure, beside))
    if not said:
        return ""
    graphs, problem = [plain_label(panel.graph) for panel in timed], problem_of(timed[0].measured[0])
    return sentence("standing", problem=problem, graphs=graphs, compared=said)


def _beside(every: Sequence[Contenders], side: str) -> str:
    """Say how the fastest of ours compares with a side, from graph to graph; empty if none has it."""
    pairs = [
        (one.ours.times[one.measure], other.times[one.measure])
        for one in every
        if (other := getattr(one, side))
    ]
    if not pairs:
        return ""
    overs = [(theirs.median / ours.median, why_untold(ours, theirs)) for ours, theirs in pairs]
    certain = [over for over, untold in overs if not untold]
    if len(pairs) == 1 or not certain:
        over, untold = max(overs)
        return comparative(1 / over, COMPARED_WITH[side], untold)
    others = f" ({len(overs) - len(certain)} cannot be told)" if len(certain) < len(overs) else ""
    return f"{speed_range(min(certain), max(certain))} than {COMPARED_WITH[side]}{others}"


def _fastest(content: FigureContent, panels: Sequence[Panel]) -> str:
    """Name the fastest solver on the graph of the most work, and how it compares with the next."""
    measure = content.drawing.y
    entries = [dot.entry for panel in panels if not panel.over for dot in panel.dots if dot.entry.record]
    graph = most_work(entries)
    ranked = sorted((e for e in entries if e.label == graph), key=lambda entry: entry.times[measure].median)
    if not ranked or measure == "step" or len({problem_of(entry) for entry in ranked}) > 1:
        return ""
    first, *rest = ranked
    rest = [e for e in rest if e.name != first.name and not ELSEWHERE.intersection(first.differences(e))]
    best = first.times[measure]
    alike = [entry.name for entry in rest if rank(best, entry.times[measure]) is Order.TIE]
    other = next((entry for entry in rest if entry.name not in alike), None)
    return sentence(
        "fastest",
        graph=plain_label(graph),
        solver=first.name,
        time=duration(best.median),
        few_trials=not all(entry.times[measure].enough for entry in ranked),
        alike=list(dict.fromkeys(alike)),
        beside=comparative(best.median / other.times[measure].median, other.name) if other else "",
    )


def described(content: FigureContent) -> str:
    """Say what is drawn, of which machines, or that nothing here has timed it."""
    drawing, entries = content.drawing, content.entries
    machines = [panel.machine for panel in content.panels if panel.machine not in ("", PAIR)]
    parts = []
    if not entries.on_gpu:
        timed = any(entry.times for entry in entries.measured)
        checked = emulated(e for e in content.frame.measured if e.experiment == drawing.experiment)
        parts = [sentence("untimed", timed=timed, emulated=" ".join(checked))]
    shown = sentence(
        "described",
        title=drawing.title,
        number=drawing.number,
        machines=list(dict.fromkeys(machines))
        if drawing.kind in ("lines", "bars", "dumbbells")
        else machines[:1],
    )
    return ". ".join([shown, *parts] if heading(content) != drawing.title or machines else parts)


def signs(chosen: Iterable[Panel]) -> dict[str, list[Entry]]:
    """Return what carries each sign."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for dot in (dot for panel in chosen for dot in panel.dots if dot.sign):
        entries[dot.sign].append(dot.entry)
    return entries


def _labels(entries: Iterable[Entry]) -> list[str]:
    return list(dict.fromkeys(entry.label for entry in entries))


def _doubts(entries: Iterable[Entry], reasons: Mapping[str, str]) -> list[str]:
    doubts = (entry.printed.doubt for entry in entries if entry.printed and entry.printed.doubt)
    return list(dict.fromkeys(reasons.get(doubt, doubt) for doubt in doubts))


def footnotes(content: FigureContent) -> str:
    """Explain, inside the figure and briefly, the hollow markers, the ticks and the signs."""
    drawing, panels = content.drawing, content.panels
    dots = [dot for panel in panels for dot in panel.dots]
    others = list(dict.fromkeys(d.entry.machine for d in dots if d.entry.record))[1:]
    signed = signs(panels) if drawing.kind == "lines" else {}
    notes = sentence(
        "notes",
        printed=any(dot.entry.printed for dot in dots) or drawing.kind == "waterfall",
        ticks=others if drawing.kind in ("bars", "dumbbells") else [],
        limited=drawing.kind == "bars" and "limits" in drawing.also,
        unknown=next(
            (one.limit for one in panels if drawing.kind == "rates" and isinstance(one.limit, str)), ""
        ),
        few=ENOUGH * (drawing.kind == "heat map" and any(map(few_trials, _in_cells(panels)))),
        untold=drawing.kind == "heat map"
        and any(len(one.times) > 1 and not one.is_told for one in columns(drawing, panels)),
        signs=[(sign, _labels(some) if sign != DOUBT else []) for sign, some in signed.items()],
    )
    return f"{'; '.join(notes.splitlines())}." if notes else ""


def _in_cells(panels: Sequence[Panel]) -> list[Summary]:
    """List the times that a heat map shows, of the first machine."""
    dots = [dot for panel in of_first_machine(panels) for dot in panel.dots]
    return [times for dot in dots for times in (dot.value, dot.beside) if times]


def caption(content: FigureContent) -> str:
    """Write the text beside a figure as Markdown: a paragraph of few words, then what few ask for."""
    lines = [line for panel in content.panels for line in panel.lines]
    apart = any(line.apart and not joined for line in lines for joined, _ in line.strokes)
    short = [sentence(f"read {content.kind}", apart=apart), _verdict(content)]
    while sum(len(part.split()) for part in short) > MOST_WORDS:
        short.pop()
    paragraphs = [" ".join(filter(None, short)), _details(content)]
    return "\n\n".join(textwrap.fill(one, 110, break_on_hyphens=False) for one in paragraphs if one) + "\n"


def _verdict(content: FigureContent) -> str:
    """Say what the report claims, and what became of it on which machines."""
    report, drawing, machines = content.report, content.drawing, content.entries.on_gpu
    if not (report and drawing.claim and machines):
        return ""
    claim = report.claims[drawing.claim]
    findings = {machine: judge(report, claim, content.frame, machine) for machine in machines}
    verdicts = by_verdict(findings).items()
    return sentence("claim", claim=claim.says, verdicts=[(verdict, some) for verdict, some in verdicts])


def _details(content: FigureContent) -> str:
    drawing, report, chosen = content.drawing, content.report, content.panels
    reasons = table_layout(report, drawing.experiment).doubts
    shown = Frame(list(dict.fromkeys(dot.entry for panel in chosen for dot in panel.dots)))
    keys = dict.fromkeys(line.key for panel in chosen for line in panel.lines)
    measures = dict.fromkeys(filter(None, [*(panel.measure for panel in chosen), drawing.beside]))
    claim = report.claims[drawing.claim] if report and drawing.claim else None
    return sentence(
        "details",
        steps=[sentence(f"step {key}") for key in keys if drawing.falls and key != PRINTED],
        measures=[sentence(measure) for measure in measures] if shown.measured else [],
        over=drawing.over or ("what its name is over" if drawing.kind == "bars" and drawing.pairs else ""),
        limits=[
            (panel.title, panel.machine, getattr(panel.limit, "why", panel.limit))
            for panel in chosen
            if panel.limit and panel.machine == chosen[0].machine
        ],
        series=_series(content),
        remarks=drawing.caption,
        rule=claim.rule if claim else "",
        printed_on=_hardware(shown.printed),
        measured_on=_hardware(shown.measured),
        cores=cores(shown.measured),
        signs=[
            (sign, _labels(entries) if sign != DOUBT else [], _doubts(entries, reasons))
            for sign, entries in signs(chosen).items()
        ],
    )


def _series(content: FigureContent) -> list[str]:
    """List the lines or bars that have names of their own, each with what it is of."""
    names = {line.name for panel in content.panels for line in panel.lines}
    named = (content.drawing.series or {}).items()
    return [f"{name} ({spec})" for name, spec in named if name in names and name != spec]


def _hardware(entries: Sequence[Entry]) -> list[str]:
    """Name each machine with its hardware, its GPU first, and its trials if it measured any."""
    described = []
    for machine in dict.fromkeys(entry.machine for entry in entries):
        here = [entry for entry in entries if entry.machine == machine]
        here.sort(key=lambda entry: entry.record is not None and entry.record.backend != "cuda")
        trials = spans(entry.times["total"].n for entry in here if entry.record)
        named = [*dict.fromkeys(entry.hardware for entry in here), *([trials] if here[0].record else [])]
        mixed = mixture([entry.record for entry in here if entry.record]).rstrip(".")
        described.append(f"{machine}: {', '.join(named)}{mixed and '.'}{mixed}")
    return described
