"""Print what betweenness of larger graphs takes: GPU-hours, memory, traffic and money, as a Markdown table.

A search costs what it does in a record, per arc: that is measured. That it costs as much in a larger graph
is assumed, and so is all else that stands in the options. If fewer blocks fit into a GPU's memory than
searched in the record, a search takes as many times as long. Where the arcs do not fit they are read from
the host's memory, once on the way forward and once back, by all searches of a pass together, if that takes
longer.

Sampled: as many random sources as keep the error of every score, over its largest possible value, below ERROR
with probability CONFIDENCE. U. Brandes and C. Pich, "Centrality estimation in large networks", 2007, with
Hoeffding's bound and an equal share of the doubt for each vertex.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from retrace.records.record import read_records
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace_today.scores.search_cost import record_of, seconds_per_arc

SCORE_BYTES = 16
"""Of a vertex in a shard's file, and in what each GPU sends for a batch."""
BLOCK_BYTES = {"betweenness/bitmap-queue": 16, "betweenness/lane-queues": 1312}
"""Of a vertex in the memory of a block that searches, in doubles."""
SEARCHES = {"betweenness/bitmap-queue": 1, "betweenness/lane-queues": 64}
"""Of a pass, which read an arc together."""


@dataclass(frozen=True)
class Target:
    """A graph whose betweenness is wanted."""

    name: str
    vertices: float
    arcs: float
    """Both directions of an edge."""

    @property
    def bytes(self) -> float:
        """Return the size of CSR: heads in 32 bits while they fit, offsets likewise."""
        return self.arcs * width(self.vertices) + self.vertices * width(self.arcs)


def width(numbers: float) -> int:
    """Return the bytes of a number below `numbers`."""
    return 4 if numbers < 2**31 else 8


def sampled_sources(vertices: float, error: float, confidence: float) -> float:
    """Return the sources that keep all errors below a share of the largest possible score; at most all."""
    return min(vertices, math.ceil(math.log(2 * vertices / (1 - confidence)) / (2 * error**2)))


@dataclass(frozen=True)
class Gpu:
    """What searches, and how it did in a record."""

    solver: str
    cost_s: float
    """Of a search, per arc."""
    blocks: float
    """That searched at a time."""
    memory: float
    link: float
    """Bytes of its memory, and bytes per second from the host's."""

    def blocks_for(self, target: Target) -> float:
        """Return how many blocks search at a time; the graph's arcs come first if they fit."""
        room = self.memory - (target.bytes if target.bytes < self.memory else 0)
        return min(self.blocks, room // (target.vertices * BLOCK_BYTES[self.solver]))

    def search_s(self, target: Target) -> float:
        """Return the seconds of a search; infinity if no block fits."""
        blocks = self.blocks_for(target)
        if not blocks:
            return math.inf
        searched = self.cost_s * target.arcs * self.blocks / blocks
        if target.bytes < self.memory:
            return searched
        return max(searched, 2 * target.arcs * width(target.vertices) / self.link / SEARCHES[self.solver])


def main() -> None:
    """Read the record, print the table."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--record", required=True, type=Path, help="records of a graph, .jsonl")
    help_text = (
        "whose cost it is, with settings if need be: betweenness/multi-gpu:devices=1,kernel=lane-queues"
    )
    parser.add_argument("--solver", required=True, help=help_text)
    help_text = "a graph: its name, vertices and arcs"
    parser.add_argument("--target", required=True, nargs=3, action="append", help=help_text)
    parser.assume("--memory-gb", 141, "of a GPU")
    parser.assume("--link-gb-s", 55, "GB/s from the host's memory")
    parser.assume("--price", 3, "of a GPU-hour, in dollars")
    parser.assume("--error", 0.01, "of a sampled score, as a share of the largest possible one")
    parser.assume("--confidence", 0.9, "that no sampled score is off by more")
    arguments = parser.parse_args()

    record = record_of(read_records([arguments.record]), arguments.solver)
    cost, blocks = seconds_per_arc(record), record.observed["blocks"]
    solver = f"betweenness/{record.parameters.get('kernel', record.solver.removeprefix('betweenness/'))}"
    if solver not in BLOCK_BYTES:
        raise RetraceError(f"--solver: {arguments.solver}: expected one of {', '.join(BLOCK_BYTES)}")
    gpu = Gpu(solver, cost, blocks, arguments.memory_gb * 1e9, arguments.link_gb_s * 1e9)
    print(
        "| graph | vertices | arcs | CSR, GB | a block, GB | blocks | a batch, GB | sources | GPU-hours | $ |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, vertices, arcs in arguments.target:
        target = Target(name, number(vertices), number(arcs))
        sampled = sampled_sources(target.vertices, arguments.error, arguments.confidence)
        for sources in (target.vertices, sampled):
            hours = sources * gpu.search_s(target) / 3600
            cells = [name, f"{target.vertices:,.0f}", f"{target.arcs:,.0f}", shown(target.bytes / 1e9)]
            cells += [shown(target.vertices * BLOCK_BYTES[gpu.solver] / 1e9), f"{gpu.blocks_for(target):.0f}"]
            cells += [shown(target.vertices * SCORE_BYTES / 1e9), f"{sources:,.0f}", shown(hours)]
            print(f"| {' | '.join(cells)} | {shown(hours * arguments.price)} |")


def number(text: str) -> float:
    """Read a count; raise RetraceError."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value > 0:
        raise RetraceError(f"--target: {text!r}: expected a name, and two numbers above 0")
    return value


def shown(value: float) -> str:
    """Write a number in three digits, or a dash in place of infinity."""
    if math.isinf(value):
        return "\u2013"
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    run_command(main)
