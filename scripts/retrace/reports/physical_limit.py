"""What no kernel can be faster than on a machine: its measured constants, and what a search needs of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrace.reports.frame import Frame, Measured, question
from retrace.reports.wording import duration, plural, three_digits

LEAST_BYTES = (
    "the bytes that a search needs, which are offsets, heads, weights of SSSP and the answer, once each,"
)


def least_bytes(entry: Measured) -> float | None:
    """Return the bytes that a search reads and writes at least, or those of a step; None where unknown.

    ST-connectivity ends when the searches meet, and betweenness reads the graph for each source.
    """
    if entry.record.problem == "limits":
        return entry.record.observed.get("bytes")
    arrays = {"bfs": 1, "sssp": 2}.get(entry.record.problem)
    return 4.0 * (2 * entry.vertices + 1 + arrays * entry.arcs) if arrays else None


LOADS = 2
"""Dependent loads of a level: which vertices it has, and their arcs."""


@dataclass(frozen=True)
class PhysicalLimit:
    """A time that no search of a graph in one launch can be below."""

    ms: float
    why: str
    """What it is the sum of."""


def limit_of(entries: Sequence[Measured], frame: Frame) -> PhysicalLimit | str:
    """Return the limit of searches that one machine made of one graph and pair, or why it is not known.

    It is a launch, and the longer of two: a cluster's barrier and two dependent loads from its memory per
    level, or the least bytes over the bandwidth of the memory in which they fit.
    """
    machine = entries[0].machine
    steps = {
        e.solver.split("/")[1]: e for e in frame.of("limits").measured if e.machine == machine and e.times
    }
    needed = ["launch", "barrier-cluster", "load-shared", "read-l2", "read-memory"]
    if missing := [name for name in needed if name not in steps]:
        return f"{machine} has no record of limits/{missing[0]}"
    ms = {name: steps[name].times["step"].median for name in needed}
    parts = [(ms["launch"], f"a launch ({duration(ms['launch'])})")]
    bounds = [_by_bytes(entries[0], steps)] if least_bytes(entries[0]) else []
    if levels := levels_of(entries, frame):
        level = ms["barrier-cluster"] + LOADS * ms["load-shared"]
        each = f"a barrier and {plural(LOADS, 'load')} ({duration(level)})"
        bounds.append((levels * level, f"{plural(levels, 'level')} of {each}"))
    if not bounds:
        return "no record counts its levels"
    parts.append(max(bounds))
    return PhysicalLimit(sum(time for time, _ in parts), " and ".join(why for _, why in parts))


def _by_bytes(entry: Measured, steps: dict[str, Measured]) -> tuple[float, str]:
    """Return the time of the least bytes, from the L2 cache if they fit into it."""
    needed, cache = least_bytes(entry), steps["read-l2"].record
    assert needed is not None
    name = "read-l2" if needed <= cache.observed["cache_bytes"] else "read-memory"
    moved = least_bytes(steps[name])
    assert moved is not None
    rate = moved / steps[name].times["step"].median  # bytes per ms
    where = "the L2 cache" if name == "read-l2" else "device memory"
    return needed / rate, f"{three_digits(needed / 1e6)} MB from {where} ({three_digits(rate / 1e6)} GB/s)"


def levels_of(entries: Sequence[Measured], frame: Frame) -> int | None:
    """Return the levels that a search must pass one after the other, as counted; None if no record does.

    A shortest path has at least as many arcs as the level of its end, so SSSP has the levels of BFS.
    Levels are those of the same question: the source, or the sources, or the pair. Betweenness counts
    searches, which need not wait for each other.
    """
    if (first := entries[0].record).problem == "betweenness":
        return None
    problem = "bfs" if entries[0].solver.startswith("sssp/") else entries[0].solver.split("/")[0]
    counts = [
        entry.record.iterations
        for entry in frame.measured
        if entry.record.agreed and entry.record.iterations
        and entry.solver.startswith(f"{problem}/") and entry.record.graph.sha256 == first.graph.sha256
        and question(entry.record) == question(first)
    ]  # fmt: skip
    return min(counts, default=None)
