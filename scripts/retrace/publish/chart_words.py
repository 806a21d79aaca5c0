"""What a figure says in words: its finding, the signs in it, and the caption beside it.

The words are those of `workflow/templates/figures.yaml`; here are the numbers and names in them.
"""

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from retrace.publish.message import message
from retrace.publish.panels import DOUBT, LABELS, FigureContent, Panel, bar_names, most_work, spans
from retrace.publish.provenance import cores, emulated, mixture
from retrace.publish.sentences import sentence
from retrace.publish.standing import comparison, headline, standings_of
from retrace.publish.waterfall import MEANINGS, sentences
from retrace.records.ranking import Order, rank
from retrace.reports.claim import Fastest
from retrace.reports.finding import Finding, by_verdict
from retrace.reports.frame import Entry, Frame
from retrace.reports.judge import judge
from retrace.reports.measures import Measure
from retrace.reports.report import Drawing, Report, table_layout
from retrace.reports.wording import duration, ratio, side_by_side

ELSEWHERE = {"another host", "another commit"}
"""What keeps two solvers of a machine from being ranked; generators of a name make different graphs."""
MOST_SAID = 130
"""The most characters that a figure quotes of a claim."""


def heading(content: FigureContent) -> str:
    """Return the title: what is drawn, what the numbers say, and the report's own number."""
    drawing, machines = content.drawing, content.entries.on_gpu
    number, where, says = drawing.number, "", ""
    if kernels := [way for way in content.ways if way.kernel]:
        last = [way for way in kernels if way.machine == kernels[0].machine][-1]
        number, says = "", f"{last.title}, {last.finding}"
    elif standings := standings_of(content):
        number, says, where = "", headline(standings), machines[0] if len(machines) > 1 else ""
    elif drawing.finding:
        says = message(drawing, content.panels)
    elif machines and (ranking := _ranking(content)):
        machine, says = next(iter(ranking.items()))
        says += f" ({machine})" if len({panel.machine for panel in content.panels} - {""}) > 1 else ""
    return sentence("heading", title=drawing.title, number=number, machine=where, finding=says)


def bold_bar(drawing: Drawing, report: Report | None) -> str | None:
    """Return the variant that the drawing's claim calls the fastest; its bar's name is bold."""
    test = report.claims[drawing.claim].test if report and drawing.claim else None
    return test.fastest if isinstance(test, Fastest) and drawing.kind == "bars" else None


def finding(content: FigureContent) -> str:
    """Say what the data show: whether the drawing's claim holds, or which solver is the fastest."""
    drawing, frame, report = content.drawing, content.frame, content.report
    if falls := sentences(content.ways):
        return " ".join(falls)
    if standings := standings_of(content):
        return comparison(standings)
    entries, parts = content.entries, []
    if not entries.on_gpu:
        timed = any(entry.times for entry in entries.measured)
        checked = emulated(entry for entry in frame.measured if entry.experiment == drawing.experiment)
        parts = [sentence("untimed", timed=timed, emulated=" ".join(checked))]
    if report and drawing.claim and entries.on_gpu:
        claim = report.claims[drawing.claim]
        findings = {machine: judge(report, claim, frame, machine) for machine in entries.on_gpu}
        verdicts = []
        for verdict, machines in by_verdict(findings).items():
            numbers = {machine: _decides(findings[machine], len(findings) == 1) for machine in machines}
            verdicts.append((verdict, machines, side_by_side(numbers)))
        parts.append(sentence("claim", claim=_brief(claim.says, MOST_SAID), verdicts=verdicts))
    else:
        ranked = list(_ranking(content).items())
        in_title = 1 if entries.on_gpu and not drawing.finding else 0
        parts += [f"{machine}: {fastest}." for machine, fastest in ranked[in_title:]]
    return " ".join(parts)


def _decides(judged: Finding, all_of_it: bool) -> str:
    """Return the numbers that decide, or why none does."""
    return (all_of_it and (judged.short or judged.measured)) or judged.number or judged.why


def _ranking(content: FigureContent) -> dict[str, str]:
    """Name each machine's fastest solver: of those with a GPU, or of all where none has one."""
    fastest = {
        machine: _fastest(content.drawing, [panel for panel in content.panels if panel.machine == machine])
        for machine in content.entries.on_gpu or content.entries.machines
    }
    return {machine: text for machine, text in fastest.items() if text}


def _brief(says: str, most: int) -> str:
    """Return the sentences that have `most` characters together, or else the beginning of the first."""
    parts = re.split(r"(?<=[.)]) ", says)
    wholes = (" ".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next(
        (whole for whole in wholes if len(whole) <= most), textwrap.shorten(says, most, placeholder=" …")
    )


def _fastest(drawing: Drawing, chosen: Sequence[Panel]) -> str:
    """Name the fastest solver on the graph of the most work, and how much longer the report's own takes."""
    measure = drawing.y
    lines = [[dot.entry for dot in line.dots if dot.entry.record]
             for panel in chosen if panel.measure == measure and not panel.compares
             for line in panel.lines]  # fmt: skip
    graph = most_work(entry for line in lines for entry in line)
    on_graph = [some for line in lines if (some := [entry for entry in line if entry.label == graph])]
    if not on_graph:
        return ""
    if measure == "step":
        bars = [line for panel in chosen for line in panel.lines]
        ends = (f"{duration(line.dots[0].value.median)} ({line.name})" for line in (bars[0], bars[-1]))
        return sentence("steps", **dict(zip(("shortest", "longest"), ends, strict=True)))
    least = (min(some, key=lambda entry: entry.times[measure].median) for some in on_graph)
    first, *rest = sorted(least, key=lambda entry: entry.times[measure].median)
    best = first.times[measure]
    aside = {e.name: why[0] for e in rest if (why := sorted(ELSEWHERE.intersection(first.differences(e))))}
    rest = [entry for entry in rest if entry.name not in aside]
    ranked = [first, *rest]
    cuda = [e for e in ranked if e.kind == "report" and e.record and e.record.backend == "cuda"][:1]
    other = next((entry for entry in (*cuda, *rest) if entry is not first), first)
    longer = ratio(other.times[measure].median / best.median)
    plain = measure == "total" or not rest
    turned = _turned(ranked, drawing.beside) if drawing.beside else ""
    return sentence(
        "fastest",
        graph=graph,
        solver=first.name,
        time=f"{'' if plain else LABELS[measure].lower() + ' '}{duration(best.median)}",
        lonely=not rest,
        few_trials=not all(entry.times[measure].enough for entry in ranked),
        alike=[entry.name for entry in rest if rank(best, entry.times[measure]) is Order.TIE],
        other=other.name,
        cuda=other in cuda,
        longer=longer,
        turned=turned,
        elsewhere=[f"{name} ({why})" for name, why in aside.items()],
    )


def _turned(ranked: Sequence[Entry], beside: Measure) -> str:
    """Name what takes less than the first by the measure beside it; empty if nothing does for sure."""
    timed = [entry for entry in ranked if beside in entry.times]
    least = min(timed, key=lambda entry: entry.times[beside].median, default=None)
    if least is None or ranked[0] not in timed:
        return ""
    order = rank(least.times[beside], ranked[0].times[beside])
    said = f"by {LABELS[beside].lower()} it is {least.name} ({duration(least.times[beside].median)})"
    return said if order is Order.LESS else ""


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


def footnotes(drawing: Drawing, chosen: Sequence[Panel]) -> list[str]:
    """Explain, inside the figure and briefly, the dashes and the signs."""
    systems = [line.system for panel in chosen for line in panel.lines]
    bars = drawing.kind == "bars"
    names = {panel.machine: bar_names(other for other in chosen if other.machine == panel.machine)
             for panel in chosen}  # fmt: skip
    marked = {} if bars else signs(chosen)
    beside = [dot.beside for panel in chosen for dot in panel.dots if panel.machine and dot.value.n > 1]
    notes = sentence(
        "notes",
        printed=any(systems),
        measured=not all(systems),
        beside=LABELS[drawing.beside].lower() if bars and drawing.beside and any(beside) else "",
        alone=not all(beside),
        gaps=bars and any(len(panel.lines) < len(names[panel.machine]) for panel in chosen),
        signs=[(sign, _labels(entries) if sign != DOUBT else []) for sign, entries in marked.items()],
    )
    return notes.splitlines()


def caption(content: FigureContent) -> str:
    """Write the text that stands beside a figure, as Markdown."""
    drawing, report, chosen = content.drawing, content.report, content.panels
    reasons = table_layout(report, drawing.experiment).doubts
    shown = Frame(list(dict.fromkeys(dot.entry for panel in chosen for dot in panel.dots)))
    lines = [line for panel in chosen for line in panel.lines]
    waterfall, keys = drawing.kind == "waterfall", dict.fromkeys(line.key for line in lines)
    measures = dict.fromkeys([panel.measure for panel in chosen] + [drawing.beside] * bool(drawing.beside))
    limited = chosen if "limits" in drawing.also else ()
    described = sentence(
        "caption",
        steps=[MEANINGS[key] for key in keys if key in MEANINGS] if waterfall else None,
        measures=[sentence(measure) for measure in measures if measure] if shown.measured else [],
        bars=bool(chosen and chosen[0].over and drawing.kind == "bars"),
        over=drawing.over or ("what its name is over" if drawing.pairs else ""),
        bold=bold_bar(drawing, report),
        apart=any(line.apart and not joined for line in lines for joined, _ in line.strokes),
        repeated=list(dict.fromkeys(f"{e.name} by {e.solver}" for e in shown.printed)) * (not waterfall),
        limits=[
            (panel.dots[0].entry.label, panel.machine, getattr(panel.limit, "why", panel.limit))
            for panel in limited
        ],
        series=_series(drawing, chosen),
        remarks=drawing.caption,
        printed_on=_hardware(shown.printed),
        measured_on=_hardware(shown.measured),
        cores=cores(shown.measured),
        signs=[
            (sign, _labels(entries) if sign != DOUBT else [], _doubts(entries, reasons))
            for sign, entries in signs(chosen).items()
        ],
    )
    parts = [f"**{heading(content)}.** {finding(content)}", described]
    if report and drawing.claim:
        claim = report.claims[drawing.claim]
        parts.append(sentence("rule", section=claim.section, rule=claim.rule))
    return "\n\n".join(textwrap.fill(part, 110, break_on_hyphens=False) for part in parts if part) + "\n"


def _series(drawing: Drawing, chosen: Sequence[Panel]) -> list[str]:
    """List the lines or bars that have names of their own, each with what it is of."""
    names = {line.name for panel in chosen for line in panel.lines}
    named = (drawing.series or {}).items()
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
