"""The figures of an-bellman-ford; it draws curves without numbers, so that every line here is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from retrace.claims.bellman_ford import (
    BEST,
    COUNTS,
    DENSE,
    INCOMING,
    OUTGOING,
    PARTS,
    PINNED,
    multi_edge,
    streams,
    transfer_share,
)
from retrace.claims.evidence import Evidence, Variant, gpus
from retrace.publish.line_chart import Chart, Line, Panel
from retrace.records.model import Phase
from retrace.records.statistics import Summary

MATRIX = "Vertices (rows of the matrix)"

Named = Sequence[tuple[str, Variant]]


def transfer(found: Sequence[Evidence]) -> Chart:
    """Show what part of the total the copies take against size, where they do not overlap the kernels."""
    return Chart(
        title="Bellman-Ford: share of the transfer in the total time",
        x=MATRIX,
        y="(Upload + download) / total",
        panels=[
            Panel(
                evidence.machine,
                [
                    Line(label, style, points)
                    for style, (label, variant) in enumerate((("pageable", DENSE), ("pinned", PINNED)))
                    if (
                        points := {
                            float(record.graph["vertices"]): share
                            for record in evidence.timed(variant).values()
                            if (share := transfer_share(record))
                        }
                    )
                ],
            )
            for evidence in found
        ],
        notes=[*gpus(found), "Grey: one half, which the report says it almost reaches."],
        kind="share",
        level=0.5,
    )


def copy(found: Sequence[Evidence]) -> Chart:
    """Show the time to copy the matrix from pinned and from pageable memory."""
    variants = [("pageable", DENSE), ("pinned", PINNED)]
    return Chart(
        "Bellman-Ford: copying the matrix to the GPU",
        MATRIX,
        "Upload time",
        against_size(found, variants, "upload"),
        gpus(found),
    )


def overlap(found: Sequence[Evidence]) -> Chart:
    """Show the total with the matrix in parts over that with it as a whole, by the same kernels."""
    whole = streams(PARTS[0])
    variants = [
        *((f"{parts} parts", streams(parts)) for parts in PARTS[1:]),
        ("1 part, pinned", streams(PARTS[0], pinned=True)),
        *((f"{parts} parts, pinned", streams(parts, pinned=True)) for parts in PARTS[1:]),
    ]
    return Chart(
        "Bellman-Ford: overlapping copies and kernels",
        MATRIX,
        "Total time, over 1 part's, pageable",
        [
            Panel(evidence.machine, [line for line in relative(evidence, variants, whole) if line.points])
            for evidence in found
        ],
        gpus(found),
        kind="ratio",
        level=1,
    )


def coalescing(found: Sequence[Evidence]) -> Chart:
    """Show both ways to give a thread its edges, at the report's best count and at its greatest."""
    variants = [
        (f"{count} {how}", multi_edge(count, coalesced))
        for count in (BEST, COUNTS[-1])
        for how, coalesced in (("coalesced", True), ("consecutive", False))
    ]
    return Chart(
        "Bellman-Ford: coalesced or not, by edges a thread",
        MATRIX,
        "Kernel time",
        against_size(found, variants, "kernel"),
        [*gpus(found), *KERNELS],
    )


def edges_size(found: Sequence[Evidence]) -> Chart:
    """Show time against size, a line for each number of edges a thread (the report's Figure 1.1)."""
    variants = [(f"{count} edge{'s' * (count > 1)}", multi_edge(count)) for count in COUNTS]
    return Chart(
        "Bellman-Ford: edges a thread, time against size",
        MATRIX,
        "Kernel time",
        against_size(found, variants, "kernel"),
        [*gpus(found), *KERNELS],
    )


def edges_count(found: Sequence[Evidence]) -> Chart:
    """Show time against the number of edges a thread, a line for each of some sizes (Figure 1.2)."""
    panels = []
    for evidence in found:
        by_count = {count: evidence.summaries(multi_edge(count), "kernel") for count in COUNTS}
        graphs = some_of(list(dict.fromkeys(graph for times in by_count.values() for graph in times)))
        lines = [
            Line(
                graph.removeprefix("dense-"),
                style,
                {float(count): times[graph] for count, times in by_count.items() if graph in times},
            )
            for style, graph in enumerate(graphs)
        ]
        panels.append(Panel(evidence.machine, lines))
    return Chart(
        "Bellman-Ford: time against edges a thread, by vertices",
        "Edges a thread",
        "Kernel time",
        panels,
        [*gpus(found), *KERNELS],
    )


def direction(found: Sequence[Evidence]) -> Chart:
    """Show a thread an edge beside a thread a vertex, and what a CPU needs (the report's Figure 2)."""
    variants = [
        ("basic", DENSE),
        ("incoming", INCOMING),
        ("outgoing", OUTGOING),
        ("C++ Bellman-Ford", Variant("bellman-ford/sequential")),
        ("C++ Dijkstra", Variant("bellman-ford/dijkstra-dense")),
        ("SciPy Bellman-Ford", Variant("bellman-ford/scipy")),
        ("SciPy Dijkstra", Variant("bellman-ford/scipy-dijkstra")),
    ]
    return Chart(
        "Bellman-Ford: a thread an edge or a thread a vertex",
        MATRIX,
        "Time to solve",
        against_size(found, variants, "solve"),
        [*gpus(found), "Solve: all iterations, without the copies of matrix and distances."],
    )


def sparse(found: Sequence[Evidence]) -> Chart:
    """Show the edge list on sparse graphs beside what a CPU needs."""
    variants = [
        *((f"edge list, {n}", Variant("bellman-ford/edge-list", {"edges_per_thread": n})) for n in (1, BEST)),
        ("C++ Bellman-Ford", Variant("bellman-ford/sequential")),
        ("SciPy Bellman-Ford", Variant("bellman-ford/scipy")),
    ]
    graphs = {
        f"{record.graph['vertices']:,}: {record.label}": None
        for evidence in found
        for record in sorted(evidence.records, key=lambda record: record.graph["vertices"])
        if record.timed
    }
    return Chart(
        "Bellman-Ford on sparse graphs, edges a thread",
        "Vertices",
        "Total time",
        against_size(found, variants, "total"),
        [*gpus(found), *([f"{'; '.join(graphs)}."] if graphs else [])],
    )


KERNELS = (
    "Kernels: the launches' own time on the device; what the host adds is alike for any number of edges a "
    "thread.",
)

CHARTS: dict[str, Callable[[Sequence[Evidence]], Chart]] = {
    "bellman-ford-transfer": transfer,
    "bellman-ford-copy": copy,
    "bellman-ford-streams": overlap,
    "bellman-ford-coalescing": coalescing,
    "bellman-ford-edges-size": edges_size,
    "bellman-ford-edges-count": edges_count,
    "bellman-ford-direction": direction,
    "bellman-ford-sparse": sparse,
}


def against_size(found: Iterable[Evidence], variants: Named, phase: Phase) -> list[Panel]:
    """Make each machine's panel of a phase's time against the number of vertices.

    Random graphs make lines; others are not a matter of size alone, and stand apart.
    """
    panels = []
    for evidence in found:
        lines = []
        for style, (label, variant) in enumerate(variants):
            points: dict[float, Summary] = {}
            alone: dict[str, tuple[float, Summary]] = {}
            graphs = evidence.timed(variant)
            for name, own in evidence.summaries(variant, phase).items():
                graph = graphs[name].graph
                if own.median > 0 and graph["origin"] == "generated":
                    points[float(graph["vertices"])] = own
                elif own.median > 0:
                    alone[name] = float(graph["vertices"]), own
            if points:
                lines.append(Line(label, style, points, alone))
        panels.append(Panel(evidence.machine, lines))
    return panels


def relative(evidence: Evidence, variants: Named, base: Variant) -> list[Line]:
    """Make lines of the total over the median of another variant's, on the same graphs."""
    of_base = evidence.summaries(base, "total")
    lines = []
    for style, (label, variant) in enumerate(variants):
        graphs = evidence.timed(variant)
        points = {
            float(graphs[graph].graph["vertices"]): times.over(of_base[graph].median)
            for graph, times in evidence.summaries(variant, "total").items()
            if graph in of_base
        }
        lines.append(Line(label, style, points))
    return lines


def some_of(graphs: Sequence[str], most: int = 5) -> list[str]:
    """Choose some graphs of many, evenly from the smallest to the largest."""
    if len(graphs) <= most:
        return list(graphs)
    return [graphs[round(number * (len(graphs) - 1) / (most - 1))] for number in range(most)]
