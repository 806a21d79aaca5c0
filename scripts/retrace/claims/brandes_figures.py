"""The figures of domitrz-brandes; it prints no numbers, so that every bar and line here is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from retrace.claims.brandes import (
    CONSTANT,
    CUDA,
    DEGREE_2,
    DESCRIBED,
    FASTEST,
    LEVELS,
    OURS,
    PEERS,
    PREFIX_SUMS,
    QUEUES,
    SEQUENTIAL,
    sampled,
    settings_of,
    variant,
)
from retrace.claims.evidence import Evidence, Variant, gpus, work
from retrace.publish.bar_chart import Bar, BarChart, BarPanel
from retrace.publish.figures import BLUE, GREEN, ORANGE, PURPLE, VERMILION
from retrace.publish.line_chart import Chart, Line, Panel
from retrace.publish.rows import TIMES
from retrace.publish.tables import shown, three_digits
from retrace.records.model import Record
from retrace.records.statistics import Summary

KINDS = (
    ("CUDA", CUDA, VERMILION),
    ("C++", SEQUENTIAL, BLUE),
    ("library", PEERS, GREEN),
    ("not tried there", DESCRIBED, ORANGE),
    ("ours", OURS, PURPLE),
)
COLOURS = {kind: colour for kind, _, colour in KINDS}


def variants(found: Sequence[Evidence]) -> BarChart:
    """Rank all versions by the time for the same sources."""
    panels = []
    for evidence in found:
        for graph in graphs_of(evidence):
            bars = []
            for kind, versions, _ in KINDS:
                for version in versions:
                    times = evidence.summaries(version, "total").get(graph)
                    if times and times.median > 0:
                        bars.append(Bar(str(version), times, shown(times.median), kind, version == FASTEST))
            if bars:
                panels.append(BarPanel(f"{searches(evidence, graph)}, {trials(evidence, graph)}", bars))
    return BarChart(
        "Betweenness: every version at equal work",
        "Total time",
        panels,
        COLOURS,
        [
            *gpus(found),
            *([f"Bold: {FASTEST}, the report's fastest."] if any(one.on_gpu for one in found) else []),
        ],
    )


def blocks(found: Sequence[Evidence]) -> Chart:
    """Show time against the number of searches at a time."""
    versions = [variant("vert"), variant("vert-virt-stride"), FASTEST]
    return against_setting(found, "blocks", "Blocks (searches at a time)", versions)


def mdeg(found: Sequence[Evidence]) -> Chart:
    """Show time against the most arcs of a virtual vertex."""
    names = ("vert-virt", "vert-virt-stride", "vert-comp-virt", "vert-comp-virt-stride")
    return against_setting(found, "mdeg", "mdeg (most arcs of a virtual vertex)", [variant(n) for n in names])


def costs(found: Sequence[Evidence]) -> BarChart:
    """Show what the report calls unsuccessful, or has not tried, over what it is held against."""
    pairs = [*QUEUES, CONSTANT, LEVELS, PREFIX_SUMS, DEGREE_2]
    panels = []
    for evidence in found:
        for graph in graphs_of(evidence):
            bars = []
            for own, base in pairs:
                times, unit = (evidence.summaries(version, "solve").get(graph) for version in (own, base))
                if times and unit and unit.median > 0:
                    ratio = times.over(unit.median)
                    kind = "not tried there" if own in DESCRIBED else "unsuccessful there"
                    bars.append(Bar(f"{own}", ratio, f"{three_digits(ratio.median)}{TIMES}", kind))
            if bars:
                panels.append(BarPanel(f"{searches(evidence, graph)}, {trials(evidence, graph)}", bars))
    against = "; ".join(f"{own} over {base}" for own, base in pairs)
    return BarChart(
        "Betweenness: what was not successful, or not tried",
        "Time to solve, over that without",
        panels,
        {"unsuccessful there": VERMILION, "not tried there": ORANGE},
        [*gpus(found), *([f"{against}."] if panels else [])],
        level=1,
    )


def crossover(found: Sequence[Evidence]) -> Chart:
    """Show CPU and GPU on graphs from small to large."""
    versions = [("GPU", FASTEST), ("one core", SEQUENTIAL[-1])]
    panels = []
    for evidence in found:
        lines = []
        for style, (label, version) in enumerate(versions):
            graphs = evidence.timed(version)
            points = {
                float(graphs[graph].graph["vertices"]): times
                for graph, times in evidence.summaries(version, "total").items()
                if times.median > 0
            }
            if points:
                lines.append(Line(label, style, points))
        panels.append(Panel(evidence.machine, lines))
    return Chart(
        "Betweenness: below which size a CPU is faster",
        "Vertices",
        "Total time",
        panels,
        [*gpus(found), f"One core: {SEQUENTIAL[-1]}. GPU: {FASTEST}, without making its context."],
    )


CHARTS: dict[str, Callable[[Sequence[Evidence]], Chart | BarChart]] = {
    "brandes-variants": variants,
    "brandes-blocks": blocks,
    "brandes-mdeg": mdeg,
    "brandes-costs": costs,
    "brandes-crossover": crossover,
}


def against_setting(found: Sequence[Evidence], key: str, x: str, versions: Sequence[Variant]) -> Chart:
    """Show the searches' time against a setting, on the largest graph of each machine."""
    panels = []
    for evidence in found:
        graph = largest(evidence)
        lines = []
        for style, version in enumerate(versions):
            points: dict[float, Summary] = {}
            for value in settings_of(evidence, version, key):
                own = Variant(version.solver, {key: value})
                times = evidence.summaries(own, "solve").get(graph)
                if times and times.median > 0:
                    points[float(value)] = times
            if points:
                lines.append(Line(str(version), style, points))
        if lines:
            panels.append(Panel(searches(evidence, graph), lines))
    return Chart(f"Betweenness: time against {key}", x, "Time to solve", panels, gpus(found))


def graphs_of(evidence: Evidence) -> list[str]:
    """Name the graphs that versions are shown on, the most work first: real ones, else the largest.

    Of a graph and the same with a sample of sources, the one that more of the report's versions ran on, else
    the whole.
    """
    reports = {version.solver for version in CUDA}
    labels: dict[str | None, list[Record]] = {}
    for record in sorted(timed(evidence), key=work, reverse=True):
        if record.graph["origin"] not in ("generated", "report"):
            labels.setdefault(record.graph["sha256"], []).append(record)
    counts = Counter(record.label for record in timed(evidence) if record.solver in reports)
    best = [max(same, key=lambda r: (counts[r.label], not sampled(r))).label for same in labels.values()]
    return best or [largest(evidence)]


def timed(evidence: Evidence) -> list[Record]:
    """List the records with times: the GPU's, if there are any."""
    return [r for r in evidence.records if r.timed and (r.backend == "cuda" or not evidence.on_gpu)]


def largest(evidence: Evidence) -> str:
    """Name the graph that a machine has times for with the most work; empty without."""
    return max(timed(evidence), key=work).label if timed(evidence) else ""


def searches(evidence: Evidence, graph: str) -> str:
    """Say on which machine which searches were made."""
    record = next(record for record in timed(evidence) if record.label == graph)
    vertices = f"{record.graph['vertices']:,}"
    work = f"{graph} of {vertices}" if sampled(record) else f"{graph}, all {vertices} sources"
    return f"{evidence.machine}, {work}"


def trials(evidence: Evidence, graph: str) -> str:
    """Say how often."""
    counts = {len(record.trials) for record in timed(evidence) if record.label == graph}
    often = " to ".join(map(str, sorted({min(counts), max(counts)})))
    return f"{often} trial{'s' if max(counts) > 1 else ''}"
