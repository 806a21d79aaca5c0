"""What a figure says in words: its finding, the signs in it, and the caption beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from retrace.publish.panels import DOUBT, MEASURES, SUBSTITUTES, Dot, Panel, most_work, panels, shown, spans
from retrace.records.statistics import rank
from retrace.reports import claim as claims
from retrace.reports.frame import Entry, Frame
from retrace.reports.judge import judge
from retrace.reports.report import Drawing, Measure, Report, table_layout
from retrace.reports.wording import TIMES, duration, plural, ratio, word_list

SPENT: dict[Measure, str] = {
    "setup": " of setup",
    "upload": " to upload",
    "solve": " to solve",
    "download": " to download",
    "kernel": " in kernels",
}
MEANT: dict[Measure, str] = {
    "setup": "Setup makes the context and loads the module.",
    "upload": "Upload copies the graph to the GPU.",
    "solve": "Solve is every iteration, without the copies of the graph and of the answer.",
    "download": "Download copies the answer to the host.",
    "total": "The total is upload, solve and download; setup (context and module) is no part of it.",
    "kernel": "Kernel time is the launches' own time on the device, from an untimed pass.",
    "transfer": "The share is upload and download over upload, solve and download.",
}
UNTIMED = "No machine here has timed this on a GPU (docs/adding-a-gpu.md says how)."
NOTHING = "No machine here has timed this; docs/adding-a-gpu.md says how to measure it."
LONGEST = 60
"""Characters of a reason that a title has room for; the caption has all."""


def heading(drawing: Drawing) -> str:
    """Return the title with the report's own number."""
    return f"{drawing.title} ({drawing.number})" if drawing.number else drawing.title


def finding(drawing: Drawing, frame: Frame, report: Report | None) -> str:
    """Say what the data show: whether the drawing's claim holds, or which solver is the fastest."""
    own = shown(drawing, frame)
    on_gpu = own.on_gpu
    said = []
    if not any(entry.times for entry in own.measured):
        said = [NOTHING]
    elif not on_gpu:
        said = [UNTIMED]
    if said:
        emulated = [
            entry.record
            for entry in frame.entries
            if entry.experiment == drawing.experiment and entry.record and entry.record.backend == "emulator"
        ]
        if emulated:
            agreed, given = sum(r.agreed for r in emulated), sum(r.status == "ok" for r in emulated)
            said.append(f"The emulator checked {plural(given, 'answer')}: {agreed} agree.")
    if report and drawing.claim and on_gpu:
        claim = report.claims[drawing.claim]
        said.append(f"The report: {textwrap.shorten(claim.says, 130, placeholder=' …')}")
        said += [f"{machine}: {_verdict(report, claim, frame, machine)}." for machine in on_gpu]
    elif not (drawing.claim and report) or not on_gpu:
        found = panels(drawing, frame, report)
        for machine in on_gpu or own.machines:
            said += [_fastest(drawing, report, [panel for panel in found if panel.machine == machine])]
    return " ".join(filter(None, said))


def _verdict(report: Report, claim: claims.Claim, frame: Frame, machine: str) -> str:
    """Return the verdict with the numbers that it rests on, in short."""
    found = judge(report, claim, frame, machine)
    parts = found.measured.split("; ")
    number = parts[0]
    if isinstance(claim.test, claims.Faster | claims.NotFaster) and found.measured:
        pairs = [part for part in parts if part.endswith(TIMES)]
        ratios = dict.fromkeys(pair.rsplit(" ", 1)[1] for pair in pairs)
        graph = pairs[0].split(": ")[0]
        number = "; ".join(
            [f"{' to '.join(ratios)} on {graph}", *(part for part in parts if part not in pairs)]
        )
    elif isinstance(claim.test, claims.Fastest):
        number = parts[-1]
    elif isinstance(claim.test, claims.SomewhereFaster) and found.why:
        number = ""
    why = found.why if found.why and (len(found.why) <= LONGEST or not number) else ""
    return f"{found.verdict}{f', {why}' if why else ''}{f' ({number})' if number else ''}"


def _fastest(drawing: Drawing, report: Report | None, chosen: Sequence[Panel]) -> str:
    """Name the fastest solver on the graph of the most work, and how much longer the report's own takes."""
    times: dict[str, tuple[Dot, str]] = {}
    upper = [panel for panel in chosen if not panel.below]
    graph = most_work(dot.entry for panel in upper for dot in panel.dots if dot.entry.record)
    for line in (line for panel in upper for line in panel.lines):
        dots = [dot for dot in line.dots if dot.entry.record and dot.entry.label == graph]
        if dots:
            best = min(dots, key=lambda dot: dot.entry.times[drawing.y].median)
            times[line.name] = best, best.entry.name
    if not times:
        return ""
    ranked = sorted((dot.entry for dot, _ in times.values()), key=lambda entry: entry.times[drawing.y].median)
    first, rest = ranked[0], ranked[1:]
    time = f"{duration(first.times[drawing.y].median)}{SPENT.get(drawing.y, '')}"
    text = f"{first.machine}, {graph}: {first.name} is the fastest ({time})"
    if not rest:
        return f"{first.machine}, {graph}: {first.name} takes {time}."
    cuda = [e for e in ranked if e.kind == "report" and e.record and e.record.backend == "cuda"]
    other, what = (
        (cuda[0], "the report's CUDA version") if cuda and cuda[0] is not first else (rest[0], "the next")
    )
    a, b = first.times[drawing.y], other.times[drawing.y]
    alike = [entry.name for entry in rest if rank(a, entry.times[drawing.y]) == 0]
    if alike:
        named = [first.name, *alike] if len(alike) < 4 else [first.name, f"{len(alike)} others"]
        text = f"{first.machine}, {graph}: {word_list(named)} cannot be told apart ({time})"
    text += (
        "" if other.name in alike else f"; {what}, {other.name}, takes {ratio(b.median / a.median)} as long"
    )
    ratios = [
        (dot.value.median, line.name)
        for panel in chosen
        if panel.below
        for line in panel.lines
        for dot in line.dots
        if dot.entry.label == graph
    ]
    if ratios and drawing.compared:
        (low, least), (high, most) = min(ratios), max(ratios)
        base, what = drawing.compared.over.split("/")[-1], MEASURES[drawing.compared.y]
        text += f". {what} over {base}: {ratio(low)} ({least}) to {ratio(high)} ({most})"
    return f"{text}."


def signs(chosen: Iterable[Panel]) -> dict[str, list[Entry]]:
    """Return what carries each sign."""
    found: dict[str, list[Entry]] = {}
    for dot in (dot for panel in chosen for dot in panel.dots):
        if dot.sign:
            found.setdefault(dot.sign, []).append(dot.entry)
    return found


def footnotes(drawing: Drawing, chosen: Sequence[Panel]) -> list[str]:
    """Explain, inside the figure and briefly, the dashes and the signs."""
    systems = any(line.system for panel in chosen for line in panel.lines)
    texts = ["Dashed, hollow: printed. Solid: measured here."] if systems else []
    marks = []
    for sign, entries in signs(chosen).items():
        what = (
            "in doubt (see the caption)"
            if sign == DOUBT
            else ", ".join(dict.fromkeys(entry.label for entry in entries))
        )
        marks.append(f"{sign} {what}")
    return [*texts, *(["; ".join(marks)] if marks and drawing.kind == "lines" else [])]


def caption(drawing: Drawing, frame: Frame, report: Report | None) -> str:
    """Write the text that stands beside a figure, as Markdown."""
    own, layout, chosen = (
        shown(drawing, frame),
        table_layout(report, drawing.experiment),
        panels(drawing, frame, report),
    )
    timed = [entry for entry in own.measured if entry.times]
    drawn = {id(dot.entry): dot.entry for panel in chosen for dot in panel.dots}.values()
    said: list[str] = []
    measured = [entry for entry in drawn if entry.record]
    if measured:
        trials = spans(entry.times["total"].n for entry in measured)
        what = "Bars, or dots on a logarithmic axis," if drawing.kind == "bars" else "Lines"
        said.append(f"{what} show medians of {trials}; thin bars lie between the quartiles.")
        said += [MEANT[measure] for measure in dict.fromkeys(_measures(drawing))]
        said += _reading(drawing, chosen)
    if any(entry.printed for entry in drawn):
        repeated = dict.fromkeys((e.name, e.solver) for e in drawn if e.printed)
        printed = word_list([f"{name} by {solver}" for name, solver in repeated])
        said.append(f"Dashed lines with hollow markers are printed; Retrace repeats {printed}.")
        said.append(f"Printed on: {'; '.join(_hardware(e for e in drawn if e.printed))}.")
    said += drawing.caption
    if measured:
        said.append(f"Measured on: {'; '.join(_hardware(timed))}.")
    without = sorted({entry.machine for entry in own.measured} - {entry.machine for entry in measured})
    if without:
        said.append(f"No times from {word_list(without)}.")
    graphs = {entry.label: entry for entry in sorted(measured, key=lambda entry: entry.work)}
    sizes = [f"{label} ({e.vertices:,} vertices, {e.arcs:,} arcs)" for label, e in graphs.items()]
    if sizes:
        few = "; ".join(sizes) if len(sizes) <= 6 else f"{len(sizes)} from {sizes[0]} to {sizes[-1]}"
        said.append(f"Graphs: {few}.")
    said += _missing(own, graphs, drawing)
    for sign, entries in signs(chosen).items():
        if sign == DOUBT:
            doubts = dict.fromkeys(e.printed.doubt for e in entries if e.printed)
            said += [f"{sign}: {layout.doubts.get(doubt, doubt)}" for doubt in doubts]
        else:
            end = next(end for end, one in SUBSTITUTES.items() if one == sign)
            names = word_list(list(dict.fromkeys(entry.graph for entry in entries)))
            names = names if end == "(stand-in)" else f"{names}'s own weights"
            said.append(f"{sign}: made by a generator, instead of {names}.")
    parts = [f"**{heading(drawing)}.** {finding(drawing, frame, report)}", " ".join(said)]
    if report and drawing.claim:
        claim = report.claims[drawing.claim]
        parts.append(f"The claim ({claim.section}) is judged by: {claim.rule}.")
        for machine in own.machines:
            found = judge(report, claim, frame, machine)
            parts.append(f"{machine}: {found.sentence}{f' ({found.measured})' if found.measured else ''}.")
    return "\n\n".join(textwrap.fill(part, 110, break_on_hyphens=False) for part in parts if part) + "\n"


def _measures(drawing: Drawing) -> list[Measure]:
    return [drawing.y, *([drawing.compared.y] if drawing.compared else [])]


def _reading(drawing: Drawing, chosen: Sequence[Panel]) -> list[str]:
    """Say what a reader cannot see from the axes."""
    said = []
    if drawing.over:
        said.append(f"Each value is divided by the median of {drawing.over} on the same machine and graph.")
    if drawing.pairs:
        said.append(
            "Each value is divided by the median of what its name is over, on the same machine and graph."
        )
    if any(line.apart and not joined for p in chosen for line in p.lines for joined, _ in line.strokes):
        said.append("Hollow markers without a line are real graphs; the lines join generated ones.")
    return said


def _hardware(entries: Iterable[Entry]) -> list[str]:
    """Name each machine with its hardware: its GPU first."""
    found: dict[str, dict[str, None]] = {}
    for entry in sorted(
        entries, key=lambda entry: entry.record is not None and entry.record.backend != "cuda"
    ):
        found.setdefault(entry.machine, {})[entry.hardware] = None
    return [f"{machine}: {', '.join(names)}" for machine, names in found.items()]


def _missing(own: Frame, graphs: Iterable[str], drawing: Drawing) -> list[str]:
    """Name the solvers that have records of a graph that is drawn, but no time."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for entry in sorted(own.measured, key=lambda entry: entry.work):
        if entry.label in graphs and not entry.times and drawing.shows_all:
            found.setdefault((entry.machine, entry.outcome, entry.name), []).append(entry.label)
    return [
        f"{name} has no time from {machine} on {'; '.join(on)}: {what}."
        for (machine, what, name), on in found.items()
    ]
