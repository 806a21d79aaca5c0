"""What a figure says in words: its finding, the signs in it, and the caption beside it."""

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence

from retrace.publish.message import message
from retrace.publish.panels import DOUBT, LABELS, FigureContent, Panel, bar_names, most_work, spans
from retrace.publish.provenance import cores, emulated, mixture
from retrace.publish.standing import comparison, headline, standings_of
from retrace.publish.waterfall import MEANINGS, sentences
from retrace.records.statistics import Order, rank
from retrace.reports.claim import Fastest
from retrace.reports.finding import Finding, by_verdict
from retrace.reports.frame import Entry, Frame
from retrace.reports.judge import judge
from retrace.reports.measures import Measure
from retrace.reports.report import Drawing, Report, table_layout
from retrace.reports.wording import EMPTY, duration, ratio, side_by_side, word_list

MEANT: dict[Measure, str] = {
    "setup": "Setup makes the context and loads the module.",
    "upload": "Upload copies the graph to the GPU.",
    "solve": "Solve is every iteration, without the copies of the graph and of the answer.",
    "download": "Download copies the answer to the host.",
    "total": "The total is upload, solve and download, without setup.",
    "again": "To solve again is to solve once more on what is on the device, right after a trial.",
    "kernel": "Kernel time is the launches' own time on the device.",
    "transfer": "The share is upload and download over upload, solve and download.",
    "with setup": "The total with setup is the median setup with upload, solve and download.",
    "resident": "Resident: further solves on the graph on the device, or the solve where that cannot be.",
    "step": "A step is repeated until it takes 20 ms; its time is solve over the number of steps.",
}
ELSEWHERE = {"another host", "another commit"}
"""What keeps two solvers of a machine from being ranked; generators of a name make different graphs."""
MOST_SAID = 130
"""The most characters that a figure quotes of a claim."""
UNTIMED = "No machine here has timed this on a GPU (docs/adding-a-gpu.md says how)."
NOTHING = "No machine here has timed this; docs/adding-a-gpu.md says how to measure it."


def heading(content: FigureContent) -> str:
    """Return the title: what is drawn, what the numbers say, and the report's own number."""
    drawing, machines = content.drawing, content.entries.on_gpu
    if kernels := [way for way in content.ways if way.kernel]:
        last = [way for way in kernels if way.machine == kernels[0].machine][-1]
        return f"{drawing.title}: {last.title}, {last.finding}"
    if standings := standings_of(content):
        where = f" on {machines[0]}" if len(machines) > 1 else ""
        return f"{drawing.title}{where}: {headline(standings)}"
    said = ""
    if drawing.finding:
        said = message(drawing, content.panels)
    elif machines:
        machine, said = next(iter(_ranking(content).items()), ("", ""))
        several = len({panel.machine for panel in content.panels} - {""}) > 1
        said += f" ({machine})" if several and said else ""
    number = f" ({drawing.number})" if drawing.number else ""
    return f"{drawing.title}{number}{': ' if said else ''}{said}"


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
    entries, said = content.entries, []
    if not entries.on_gpu:
        said = [UNTIMED if any(entry.times for entry in entries.measured) else NOTHING]
        said += emulated(entry for entry in frame.measured if entry.experiment == drawing.experiment)
    if report and drawing.claim and entries.on_gpu:
        claim = report.claims[drawing.claim]
        findings = {machine: judge(report, claim, frame, machine) for machine in entries.on_gpu}
        groups, alone = by_verdict(findings), len(findings) == 1
        said.append(f"The report: {_brief(claim.says, MOST_SAID)}")
        for verdict, machines in groups.items():
            numbers = side_by_side({machine: _decides(findings[machine], alone) for machine in machines})
            where = f" on {word_list(machines)}" if len(groups) > 1 else ""
            said.append(f"{verdict.capitalize()}{where}{': ' if numbers else ''}{numbers}.")
    else:
        ranked = list(_ranking(content).items())
        in_title = 1 if entries.on_gpu and not drawing.finding else 0
        said += [f"{machine}: {fastest}." for machine, fastest in ranked[in_title:]]
    return " ".join(said)


def _decides(found: Finding, all_of_it: bool) -> str:
    """Return the numbers that decide, or why none does."""
    return (all_of_it and (found.short or found.measured)) or found.number or found.why


def _ranking(content: FigureContent) -> dict[str, str]:
    """Name each machine's fastest solver: of those with a GPU, or of all where none has one."""
    fastest = {
        machine: _fastest(content.drawing, [panel for panel in content.panels if panel.machine == machine])
        for machine in content.entries.on_gpu or content.entries.machines
    }
    return {machine: text for machine, text in fastest.items() if text}


def _brief(says: str, most: int) -> str:
    """Return the sentences that have `most` characters together, or else the beginning of the first."""
    sentences = re.split(r"(?<=[.)]) ", says)
    wholes = (" ".join(sentences[:count]) for count in range(len(sentences), 0, -1))
    return next(
        (whole for whole in wholes if len(whole) <= most), textwrap.shorten(says, most, placeholder=" …")
    )


def _fastest(drawing: Drawing, chosen: Sequence[Panel]) -> str:
    """Name the fastest solver on the graph of the most work, and how much longer the report's own takes."""
    lines = [[dot.entry for dot in line.dots if dot.entry.record]
             for panel in chosen if panel.measure == drawing.y and not panel.compares
             for line in panel.lines]  # fmt: skip
    graph = most_work(entry for line in lines for entry in line)
    there = [own for line in lines if (own := [entry for entry in line if entry.label == graph])]
    if not there:
        return ""
    if drawing.y == "step":
        return _steps(chosen)
    first, *rest = sorted((min(own, key=lambda e: e.times[drawing.y].median) for own in there),
                          key=lambda e: e.times[drawing.y].median)  # fmt: skip
    best = first.times[drawing.y]
    aside = {e.name: why[0] for e in rest if (why := sorted(ELSEWHERE.intersection(first.differences(e))))}
    rest = [entry for entry in rest if entry.name not in aside]
    told = ", ".join(f"{name} ({why})" for name, why in aside.items())
    end = f"; not compared: {told}" if aside else ""
    where, time = f"on {graph},", duration(best.median)
    if not rest:
        return f"{where} {first.name} takes {time}{end}"
    time = time if drawing.y == "total" else f"{LABELS[drawing.y].lower()} {time}"
    other, what = rest[0], "the next"
    cuda = [e for e in (first, *rest) if e.kind == "report" and e.record and e.record.backend == "cuda"]
    if cuda and cuda[0] is not first:
        other, what = cuda[0], "the report's CUDA version"
    text = f"{where} {first.name} is the fastest ({time})"
    if not all(entry.times[drawing.y].enough for entry in (first, *rest)):
        return f"{where} {first.name} took least ({time}), with too few trials to rank{end}"
    if alike := [entry.name for entry in rest if rank(best, entry.times[drawing.y]) is Order.TIE]:
        others = alike if len(alike) < 2 else [alike[0], f"{len(alike) - 1} more"]
        named = [first.name, *others]
        text = f"{where} {word_list(named)} cannot be told apart ({time})"
    if other.name not in alike:
        longer = ratio(other.times[drawing.y].median / best.median)
        text += f"; {what}, {other.name}, takes {longer} as long"
    return f"{text}{end}"


def _steps(chosen: Sequence[Panel]) -> str:
    """Name the shortest and the longest step."""
    bars = [line for panel in chosen for line in panel.lines]
    first, last = (f"{duration(line.dots[0].value.median)} ({line.name})" for line in (bars[0], bars[-1]))
    return f"from {first} to {last}"


def signs(chosen: Iterable[Panel]) -> dict[str, list[Entry]]:
    """Return what carries each sign."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for dot in (dot for panel in chosen for dot in panel.dots if dot.sign):
        found[dot.sign].append(dot.entry)
    return found


def footnotes(drawing: Drawing, chosen: Sequence[Panel]) -> list[str]:
    """Explain, inside the figure and briefly, the dashes and the signs."""
    printed = any(line.system for panel in chosen for line in panel.lines)
    solid = any(not line.system for panel in chosen for line in panel.lines)
    texts = [f"Hollow: printed{', filled: measured here' if solid else ''}"] if printed else []
    if drawing.kind == "bars" and drawing.beside and chosen:
        texts.append(f"Diamond, second number: {LABELS[drawing.beside].lower()}")
    rows = {machine: bar_names(panel for panel in chosen if panel.machine == machine)
            for machine in {panel.machine for panel in chosen}}  # fmt: skip
    if drawing.kind == "bars" and any(len(panel.lines) < len(rows[panel.machine]) for panel in chosen):
        texts.append(f"{EMPTY} no time")
    labels = {sign: dict.fromkeys(e.label for e in entries) for sign, entries in signs(chosen).items()}
    marks = [f"{sign} {'in doubt (see the caption)' if sign == DOUBT else ', '.join(some)}"
             for sign, some in labels.items()]  # fmt: skip
    return [*texts, *(marks if drawing.kind == "lines" else [])]


def caption(content: FigureContent) -> str:
    """Write the text that stands beside a figure, as Markdown."""
    drawing, report, chosen = content.drawing, content.report, content.panels
    layout = table_layout(report, drawing.experiment)
    shown = Frame(list(dict.fromkeys(dot.entry for panel in chosen for dot in panel.dots)))
    measured, printed = shown.measured, shown.printed
    said: list[str] = []
    if drawing.kind == "waterfall":
        said.append(
            "A bar leads from one time to the next; beside it are the time and what it was divided by."
        )
        said += [
            MEANINGS[key]
            for key in dict.fromkeys(line.key for p in chosen for line in p.lines)
            if key in MEANINGS
        ]
    elif measured:
        what = "Bars" if chosen[0].over and drawing.kind == "bars" else "Dots"
        said.append(f"{what} show medians, thin bars the quartiles.")
        measures = [*(panel.measure for panel in chosen), *([drawing.beside] if drawing.beside else [])]
        said += [MEANT[measure] for measure in dict.fromkeys(measures)]
    for over in [drawing.over] if drawing.over else ["what its name is over"] if drawing.pairs else []:
        said.append(f"Each value is divided by the median of {over} on the same machine and graph.")
    if bold := bold_bar(drawing, report):
        said.append(f"Bold: {bold}, which the report calls the fastest.")
    if any(line.apart and not joined for p in chosen for line in p.lines for joined, _ in line.strokes):
        said.append("Hollow markers without a line are real graphs; lines join generated ones.")
    if printed and drawing.kind != "waterfall":
        repeated = word_list(list(dict.fromkeys(f"{e.name} by {e.solver}" for e in printed)))
        said.append(f"What has hollow markers is printed; Retrace repeats {repeated}.")
    for panel in chosen if "limits" in drawing.also else ():
        known = panel.limit if isinstance(panel.limit, str) else panel.limit.why
        said.append(f"Limit of {panel.dots[0].entry.label} on {panel.machine}: {known}.")
    said += [f"Shown are {word_list(named)}."] if (named := _series(drawing, chosen)) else []
    said += drawing.caption
    said += [f"{what}: {'; '.join(_hardware(some))}." for what, some in
             (("Printed on", printed), ("Measured on", measured)) if some]  # fmt: skip
    said += cores(measured)
    for sign, entries in signs(chosen).items():
        if sign == DOUBT:
            doubts = dict.fromkeys(e.printed.doubt for e in entries if e.printed)
            said += [f"{sign}: {layout.doubts.get(doubt, doubt)}" for doubt in doubts]
        else:
            labels = word_list(list(dict.fromkeys(entry.label for entry in entries)))
            said.append(f"{sign}: {labels}, made by a generator.")
    parts = [f"**{heading(content)}.** {finding(content)}", " ".join(said)]
    if report and drawing.claim:
        claim = report.claims[drawing.claim]
        parts.append(f"The claim ({claim.section}) is judged by: {claim.rule}.")
    return "\n\n".join(textwrap.fill(part, 110, break_on_hyphens=False) for part in parts if part) + "\n"


def _series(drawing: Drawing, chosen: Sequence[Panel]) -> list[str]:
    """List the lines or bars that have names of their own, each with what it is of."""
    there = {line.name for panel in chosen for line in panel.lines}
    named = (drawing.series or {}).items()
    return [f"{name} ({spec})" for name, spec in named if name in there and name != spec]


def _hardware(entries: Sequence[Entry]) -> list[str]:
    """Name each machine with its hardware, its GPU first, and its trials if it measured any."""
    found = []
    for machine in dict.fromkeys(entry.machine for entry in entries):
        own = [entry for entry in entries if entry.machine == machine]
        own.sort(key=lambda entry: entry.record is not None and entry.record.backend != "cuda")
        trials = spans(entry.times["total"].n for entry in own if entry.record)
        named = [*dict.fromkeys(entry.hardware for entry in own), *([trials] if own[0].record else [])]
        mixed = mixture([entry.record for entry in own if entry.record]).rstrip(".")
        found.append(f"{machine}: {', '.join(named)}{mixed and '.'}{mixed}")
    return found
