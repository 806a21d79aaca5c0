"""Simulate a betweenness query in shards on many GPUs: failures, slow GPUs, and what the gathering job reads.

The cost of a search is that of a record: its solve, over its searches and arcs. All else is assumed, and
stands in the options. OUTPUT is .csv, a row for each number of GPUs and of shards per GPU, and .svg.

A GPU takes the next shard when it is free. It prepares the graph, and searches at its own speed. A failure
loses what was searched since the last checkpoint; the job then starts anew. In the end one job reads all
files, or a tree of jobs at the same time, `--fan-in` files each.
"""

from __future__ import annotations

import csv
import heapq
import io
import math
import random
from argparse import Namespace
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from retrace.publish.chart import STYLE
from retrace.records.record import read_records
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole
from retrace_today.scores.search_cost import record_of, seconds_per_arc

BYTES = 16
"""Of a vertex in a shard's file."""


@dataclass(frozen=True)
class Assumed:
    """What a simulation is fed with; times in seconds."""

    search_s: float
    """All searches on one GPU that neither fails nor is slow."""
    start_s: float
    """Starting a job and preparing the graph."""
    failure_s: float
    """Mean time between two failures of a GPU."""
    checkpoint_s: float
    slow: float
    """Share of the GPUs that are slow."""
    slowness: float
    """How many times as long a slow GPU takes."""
    file_s: float
    """Reading the file of a shard."""
    fan_in: int = 0
    """Files that a gathering job reads; 0 for one job that reads all."""


@dataclass(frozen=True)
class Outcome:
    """A row of the table."""

    gpus: int
    shards: int
    fan_in: int
    searched_s: float
    """Until the last shard is done."""
    gathered_s: float
    failures: int
    gpu_hours: float
    """Of all GPUs until the last shard is done."""
    efficiency: float
    """The searches' time on one GPU, over GPUs times the time of the whole."""


def simulate(assumed: Assumed, gpus: int, shards: int, seed: int) -> Outcome:
    """Follow each GPU from shard to shard."""
    drawn = random.Random(seed)
    slowness = [assumed.slowness if drawn.random() < assumed.slow else 1.0 for _ in range(gpus)]
    free = [(0.0, gpu) for gpu in range(gpus)]  # a heap: when each is free
    ended, failures = 0.0, 0
    for _ in range(shards):
        now, gpu = heapq.heappop(free)
        remaining_s = assumed.search_s / shards * slowness[gpu]
        while True:
            now += assumed.start_s
            fails = drawn.expovariate(1 / assumed.failure_s)
            if fails >= remaining_s:
                break
            failures += 1
            now += fails
            remaining_s -= math.floor(fails / assumed.checkpoint_s) * assumed.checkpoint_s
        now += remaining_s
        ended = max(ended, now)
        heapq.heappush(free, (now, gpu))
    gathered = gathering_s(assumed, shards)
    efficiency = assumed.search_s / (gpus * (ended + gathered))
    return Outcome(gpus, shards, assumed.fan_in, ended, gathered, failures, gpus * ended / 3600, efficiency)


def gathering_s(assumed: Assumed, shards: int) -> float:
    """Return the seconds until all files are added up, level by level."""
    if not assumed.fan_in:
        return shards * assumed.file_s
    total = 0.0
    while shards > 1:
        total += min(shards, assumed.fan_in) * assumed.file_s
        shards = -(-shards // assumed.fan_in)
    return total


def main() -> None:
    """Read the record, simulate, write."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--record", required=True, type=Path, help="records of a graph, .jsonl")
    parser.add_argument("--solver", required=True, help="whose cost it is, such as betweenness/lane-queues")
    parser.add_argument("--name", required=True, help="of the graph that is simulated, for the figure")
    parser.add_argument("--vertices", required=True, type=float, help="of that graph, all of them sources")
    parser.add_argument("--arcs", required=True, type=float)
    parser.assume("--start-s", 60, "seconds to start a job and to prepare the graph")
    parser.assume("--failure-h", 50_000, "mean hours between failures of a GPU")
    parser.assume("--checkpoint-s", 10, "seconds between checkpoints")
    parser.assume("--slow", 0.02, "share of slow GPUs")
    parser.assume("--slowness", 1.5, "times as long as others that these take")
    parser.assume("--read-gb-s", 1, "GB/s at which the gathering job reads files")
    counts = [1, 10, 100, 1000, 10_000]
    parser.add_argument("--gpus", type=int, nargs="+", default=counts, help="default: 1 to 10,000")
    parser.add_argument("--per-gpu", type=int, nargs="+", default=[1, 4], help="shards for each GPU")
    help_text = "files that a gathering job reads; 0: one job reads all (default: 0 and 16)"
    parser.add_argument("--fan-in", type=int, nargs="+", default=[0, 16], help=help_text)
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--output-prefix", required=True, type=Path, help="path without .csv and .svg")
    arguments = parser.parse_args()

    cost = seconds_per_arc(record_of(read_records([arguments.record]), arguments.solver))
    assumed = Assumed(
        cost * arguments.vertices * arguments.arcs,
        arguments.start_s,
        arguments.failure_h * 3600,
        arguments.checkpoint_s,
        arguments.slow,
        arguments.slowness,
        BYTES * arguments.vertices / (arguments.read_gb_s * 1e9),
    )
    rows = {
        (per_gpu, fan_in): [
            simulate(replace(assumed, fan_in=fan_in), gpus, gpus * per_gpu, arguments.seed)
            for gpus in arguments.gpus
        ]
        for per_gpu in arguments.per_gpu
        for fan_in in arguments.fan_in
    }
    prefix: Path = arguments.output_prefix
    write_whole(prefix.with_suffix(".csv"), table([row for outcomes in rows.values() for row in outcomes]))
    write_whole(prefix.with_suffix(".svg"), drawn(arguments, rows))
    hours = assumed.search_s / 3600
    print(f"{arguments.name}: {hours:,.1f} GPU-hours of searches, {cost:.3g} s per source and arc")
    for outcomes in rows.values():
        for row in outcomes:
            total_s = row.searched_s + row.gathered_s
            cut = f"{row.gpus:6} GPUs, {row.shards:6} shards, fan-in {row.fan_in:2}"
            print(f"{cut}: {total_s:10,.0f} s, {row.efficiency:.1%}")


def table(rows: list[Outcome]) -> str:
    """Write the outcomes as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, asdict(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, rows))
    return text.getvalue()


def drawn(arguments: Namespace, rows: dict[tuple[int, int], list[Outcome]]) -> bytes:
    """Draw the efficiency against the number of GPUs, as SVG."""
    content = io.BytesIO()
    with rc_context(STYLE):
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        for (per_gpu, fan_in), outcomes in rows.items():
            gathered = f"added up by {fan_in}" if fan_in else "added up by one job"
            label = f"{per_gpu} shard{'s' * (per_gpu > 1)} per GPU, {gathered}"
            axes.plot([row.gpus for row in outcomes], [row.efficiency for row in outcomes], "o-", label=label)
        axes.set(
            xscale="log", xlabel="GPUs", ylim=(0, 1.05), ylabel="efficiency: 1 is no time lost",
            title=f"{arguments.name}, all sources, simulated",
        )  # fmt: skip
        axes.xaxis.set_major_formatter(lambda gpus, _: f"{gpus:,.0f}")
        axes.legend()
        figure.savefig(content, format="svg", metadata={"Date": None, "Title": arguments.name})
    return content.getvalue()


if __name__ == "__main__":
    run_command(main)
