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
    per_arc = READ_PER_ARC.get(entry.record.problem)
    return 4.0 * (2 * entry.vertices + 1) + per_arc * entry.arcs if per_arc else None


READ_PER_ARC = {"bfs": 4, "sssp": 8}
"""What a search reads of an arc: its head, and its weight."""
LOADS = 2
"""Dependent loads of a level: which vertices it has, and their arcs."""
CONSTANTS = ("launch", "barrier-cluster", "load-shared", "read-l2", "read-memory")
"""The constants of a machine that a limit is made of."""


@dataclass(frozen=True)
class PhysicalLimit:
    """A time that no search of a graph in one launch can be below."""

    ms: float
    why: str
    """What it is the sum of."""
    kind: str
    """What the greater part of it is."""


@dataclass(frozen=True)
class Roof:
    """Arcs per second that no search of a problem in one launch passes on a machine, whatever the graph."""

    launch_ms: float
    l2: float
    """What the bandwidth of the L2 cache gives, as far as the bytes of the arcs fit into it."""
    l2_arcs: float
    """The arcs that do."""
    memory: float
    """What the bandwidth of device memory gives."""
    bytes_per_arc: int

    def at(self, arcs: float) -> float:
        """Return it for so many arcs."""
        return min(self.of_launch(arcs), self.l2 if arcs <= self.l2_arcs else self.memory)

    def of_launch(self, arcs: float) -> float:
        """Return what a launch with its answer leaves."""
        return 1e3 * arcs / self.launch_ms

    @property
    def full(self) -> float:
        """The least arcs whose bytes take as long as a launch: fewer do not fill the GPU."""
        in_l2, in_memory = (rate * self.launch_ms / 1e3 for rate in (self.l2, self.memory))
        return in_l2 if in_l2 <= self.l2_arcs else max(self.l2_arcs, in_memory)

    @property
    def why(self) -> str:
        """What it is the least of."""
        rates = [f"{three_digits(rate * self.bytes_per_arc / 1e9)} GB/s" for rate in (self.l2, self.memory)]
        return (
            f"a launch ({duration(self.launch_ms)}), or {self.bytes_per_arc} bytes per arc from the L2 cache "
            f"({rates[0]}; up to {three_digits(self.l2_arcs / 1e6)} million arcs) "
            f"or device memory ({rates[1]})"
        )


def roof_of(machine: str, problem: str, frame: Frame) -> Roof | str:
    """Return the roof of a problem on a machine, or why it is not known."""
    if isinstance(steps := _steps(machine, frame), str):
        return steps
    per_arc = READ_PER_ARC[problem]
    l2, memory = (1e3 * _bandwidth(steps[name]) / per_arc for name in ("read-l2", "read-memory"))
    cached = steps["read-l2"].record.observed["cache_bytes"] / per_arc
    return Roof(steps["launch"].times["step"].median, l2, cached, memory, per_arc)


def _steps(machine: str, frame: Frame) -> dict[str, Measured] | str:
    """Return what a machine measured of its constants, or which one is missing."""
    steps = {
        e.solver.split("/")[1]: e for e in frame.of("limits").measured if e.machine == machine and e.times
    }
    missing = [name for name in CONSTANTS if name not in steps]
    return f"{machine} has no record of limits/{missing[0]}" if missing else steps


def _bandwidth(step: Measured) -> float:
    """Return the bytes per ms of a step that reads."""
    moved = least_bytes(step)
    assert moved is not None
    return moved / step.times["step"].median


def limit_of(entries: Sequence[Measured], frame: Frame) -> PhysicalLimit | str:
    """Return the limit of searches that one machine made of one graph and pair, or why it is not known.

    It is a launch, and the longer of two: a cluster's barrier and two dependent loads from its memory per
    level, or the least bytes over the bandwidth of the memory in which they fit.
    """
    if isinstance(steps := _steps(entries[0].machine, frame), str):
        return steps
    ms = {name: steps[name].times["step"].median for name in CONSTANTS}
    parts = [(ms["launch"], f"a launch ({duration(ms['launch'])})", "latency (launch)")]
    bounds = [_by_bytes(entries[0], steps)] if least_bytes(entries[0]) else []
    if levels := levels_of(entries, frame):
        level = ms["barrier-cluster"] + LOADS * ms["load-shared"]
        each, passed = f"a barrier and {plural(LOADS, 'load')} ({duration(level)})", plural(levels, "level")
        bounds.append((levels * level, f"{passed} of {each}", f"latency ({passed})"))
    if not bounds:
        return "no record counts its levels"
    parts.append(max(bounds))
    whole, why = sum(ms for ms, *_ in parts), " and ".join(why for _, why, _ in parts)
    return PhysicalLimit(whole, why, max(parts)[-1])


def _by_bytes(entry: Measured, steps: dict[str, Measured]) -> tuple[float, str, str]:
    """Return the time of the least bytes, from the L2 cache if they fit into it, with words for both."""
    needed, cache = least_bytes(entry), steps["read-l2"].record
    assert needed is not None
    name = "read-l2" if needed <= cache.observed["cache_bytes"] else "read-memory"
    rate = _bandwidth(steps[name])
    where, short = ("the L2 cache", "L2") if name == "read-l2" else ("device memory", "memory")
    why = f"{three_digits(needed / 1e6)} MB from {where} ({three_digits(rate / 1e6)} GB/s)"
    return needed / rate, why, f"bandwidth ({short})"


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
