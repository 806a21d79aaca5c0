"""The numbers in the README's section of results, and the measured ones of docs/errata.md, computed again.

The committed records are read as plain JSON, and medians are Python's own: nothing is shared with what makes
tables.
"""

from __future__ import annotations

import csv
import json
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[1]
SECTION = (PROJECT / "README.md").read_text().partition("## Results")[2].partition("\n## ")[0]
TODAY = SECTION[SECTION.index("<!-- made by") : SECTION.index("<!-- end -->")]
"""The table of what is fast today, which is made."""
README = " ".join(SECTION.replace(TODAY, "").split())

ERRATA = " ".join((PROJECT / "docs/errata.md").read_text().split())


def records_of(machine: str) -> list[dict[str, Any]]:
    """Read all records of a machine."""
    paths = sorted((PROJECT / "results/machines" / machine).glob("*/*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


RECORDS, OF_H100, OF_TWO = (records_of(machine) for machine in ("h200", "h100", "h100-x2"))


def records(
    experiment: str,
    graph: str = "",
    solver: str = "",
    *,
    of: Sequence[dict[str, Any]] = RECORDS,
    **parameters: Any,
) -> Iterator[dict[str, Any]]:
    """List the verified records of an experiment, a graph and a solver, without predecessors unless told."""
    found = parameters.pop("predecessors", "no")
    for one in of:
        wanted = {"experiment": experiment, "solver": solver or one["solver"]}
        if (
            one["status"] == "ok"
            and wanted == {key: one[key] for key in wanted}
            and graph in ("", one["graph"]["name"])
            and parameters.items() <= one["parameters"].items()
            and one["parameters"].get("predecessors", "no") == found
        ):
            assert one["verified"]
            yield one


def median(record: dict[str, Any], phase: str = "total") -> float:
    """The median of a phase in ms."""
    return statistics.median(trial[phase] for trial in record["trials"])


def ms(experiment: str, graph: str, solver: str, phase: str = "total", **parameters: Any) -> float:
    (one,) = records(experiment, graph, solver, **parameters)
    return median(one, phase)


def printed(report: str, **row: str) -> float:
    """The number in ms that a report prints."""
    with (PROJECT / f"results/published/{report}.csv").open(newline="") as file:
        found = [float(line["ms"]) for line in csv.DictReader(file) if row.items() <= line.items()]
    return found[0]


def from_one_host(of: Sequence[dict[str, Any]]) -> int:
    """Count records that are of one host and of one commit."""
    assert len({one["machine"]["host"] for one in of}) == 1
    assert len({one["software"]["git_commit"] for one in of}) == 1
    return len(of)


SECOND_HOST = {
    "brandes-blocks",
    "brandes-mdeg",
    "brandes-streams",
    "generators",
    "limits",
    "mask-ablations",
    "transfers",
}
"""The experiments of the H200 that were measured on a second host."""


def from_one_commit(of: Sequence[dict[str, Any]]) -> int:
    """Count a machine's records, of the commit of the H100's, which are of one host."""
    assert from_one_host(OF_H100)
    assert len({one["software"]["git_commit"] for one in (*of, *OF_H100)}) == 1
    return len(of)


def on_the_second_host() -> int:
    """Count the H200's records of its second host; each experiment is of one host."""
    first, second = (
        [one for one in RECORDS if (one["experiment"] in SECOND_HOST) == wanted] for wanted in (False, True)
    )
    assert from_one_host(first)
    return from_one_host(second)


def on_gpus(devices: int) -> float:
    """The seconds of exact betweenness of Gowalla on one or both of two H100s, all copies included."""
    assert from_one_host(OF_TWO)
    asked = {"devices": devices, "kernel": "lane-queues"}
    return ms("betweenness-gpus", "Gowalla", "betweenness/multi-gpu", of=OF_TWO, **asked) / 1000


VERDICT = "holds in part|holds|does not hold|cannot be told"
LARGE, WIDE, MILLION, MATRIX = "random-22-50", "random-23-5", "random-20-5", "dense-20480"
STREAMS = "bellman-ford/streams-masked"
TRANSFER = "bellman-ford-transfer"
PUBLISHED_BRANDES = [
    f"betweenness/{name}"
    for name in ("vert", "edge", "vert-comp", "edge-comp", "vert-queue", "vert-queue-comp", "vert-virt",
                 "vert-virt-stride", "vert-comp-virt", "vert-comp-virt-stride", "vert-comp-virt-stride-const")
]  # fmt: skip


def pinned_gain(graph: str, phase: str) -> float:
    """How many times as fast a pinned mask makes the variant that is else the same."""
    return ms("table-2", graph, "sssp/standard", phase) / ms("table-2", graph, "sssp/pinned", phase)


def pinned_gains() -> list[float]:
    """The gain of each graph, all copies included."""
    graphs = {one["graph"]["name"] for one in records("table-2", solver="sssp/pinned")}
    return [pinned_gain(graph, "total") for graph in graphs]


def transfer_shares() -> list[float]:
    """The median share of the copies in a trial's total, in percent, of each matrix."""
    found = records(TRANSFER, solver="bellman-ford/dense")
    return [
        100
        * statistics.median((trial["upload"] + trial["download"]) / trial["total"] for trial in one["trials"])
        for one in found
    ]


def gowalla(solver: str) -> float:
    return ms("brandes-variants", "Gowalla", solver) / 1000


def queue_gain(solver: str) -> float:
    """How many times as fast a queue makes the searches on New York."""
    plain = solver.replace("-queue", "")
    return ms("brandes-variants", "NY", plain, "solve") / ms("brandes-variants", "NY", solver, "solve")


def fastest_edges() -> float:
    """The number of edges per thread that is fastest on the largest matrix."""
    found = records("bellman-ford-edges", MATRIX, "bellman-ford/multi-edge")
    return min(found, key=lambda one: median(one, "solve"))["parameters"]["edges_per_thread"]


def iterations(experiment: str, graph: str, solver: str) -> int:
    (one,) = records(experiment, graph, solver)
    return int(one["iterations"])


def small_ones() -> list[dict[str, Any]]:
    """List the H200's records of the small graphs, whose printed times seem to be setup."""
    tables = ("table-3.3", "table-3.4", "table-3.5")
    found = [one for table in tables for graph in ("small-6", "small-9") for one in records(table, graph)]
    return [one for one in found if one["backend"] == "cuda"]


def wrong_distances(graph: str) -> int:
    """Count the distances that the printed kernel of tuwien-sssp leaves too large."""
    (told,) = (
        one["reason"]
        for one in RECORDS
        if (one["experiment"], one["solver"]) == ("mask-ablations", "sssp/standard-published")
        and one["graph"]["name"] == graph
    )
    (found,) = re.findall(r"; (\d+) of \d+ differ", told)
    return int(found)


SAID: dict[str, list[Callable[[], float]]] = {
    "New York takes 1,200 iterations with its own": [
        lambda: next(records("table-3.5", "NY", "sssp/bsp"))["iterations"]
    ],
    "SSSP the GPU is 121 \u00d7 as": [
        lambda: ms("table-3.5", "NY", "sssp/dijkstra-linear") / ms("table-3.5", "NY", "sssp/bsp")
    ],
    "and 687 with generated ones": [lambda: next(records("weights", "NY-uniform", "sssp/bsp"))["iterations"]],
    "the H200 takes 275 ms, of which 215 ms are": [
        lambda: ms("table-2", LARGE, "sssp/standard"),
        lambda: ms("table-2", LARGE, "sssp/standard", "upload"),
    ],
    "TITAN X took 766 ms": [
        lambda: printed("tuwien-sssp", graph=LARGE, hardware="GTX TITAN X 12GB", name="Standard")
    ],
    "one core takes 9.8 s": [lambda: ms("table-2", LARGE, "sssp/mask-sequential") / 1000],
    "the search 1.10 \u00d7 as fast there and 1.98 \u00d7 on": [
        lambda: pinned_gain(LARGE, "solve"),
        lambda: pinned_gain(WIDE, "solve"),
    ],
    "With all copies, it is 0.91 to 1.33 \u00d7": [lambda: min(pinned_gains()), lambda: max(pinned_gains())],
    "here it takes 34 to 98 %": [lambda: min(transfer_shares()), lambda: max(transfer_shares())],
    "36.8 ms in one part, 32.1 ms in 32, of which 30.5 ms are the copy": [
        lambda: ms(TRANSFER, MATRIX, STREAMS, parts=1),
        lambda: ms(TRANSFER, MATRIX, STREAMS, parts=32),
        lambda: 32,
        lambda: ms(TRANSFER, MATRIX, "bellman-ford/pinned", "upload"),
    ],
    "32 edges per thread are fastest there": [fastest_edges],
    "the eleven CUDA versions 9.4 to 29 s": [
        lambda: min(map(gowalla, PUBLISHED_BRANDES)),
        lambda: max(map(gowalla, PUBLISHED_BRANDES)),
    ],
    "favourite takes 11.4 s": [lambda: gowalla("betweenness/vert-comp-virt-stride")],
    "win by 17 times in the searches alone": [lambda: queue_gain("betweenness/vert-queue")],
    "takes 2.2 s on Gowalla": [lambda: gowalla("betweenness/lanes")],
    "9.8 \u00d7, copies included": [
        lambda: ms("hong-bfs", MILLION, "bfs/two-frontier") / ms("hong-bfs", MILLION, "bfs/block-queue")
    ],
    "where a search has few levels, the GPU's BFS takes 7.2 ms and the core's 67.1": [
        lambda: ms("fast-bfs", MILLION, "bfs/bsp"),
        lambda: ms("fast-bfs", MILLION, "bfs/queue"),
    ],
    "All 1,609 records of the H200 and all 1,609 of the H100 are of one commit": [
        lambda: from_one_commit(RECORDS),
        lambda: from_one_commit(OF_H100),
    ],
    "163 of the H200 are of a second host": [on_the_second_host],
    "two H100s: one solves exact betweenness of Gowalla in 1.34 s in all, and both together in 0.75 s": [
        lambda: on_gpus(1),
        lambda: on_gpus(2),
    ],
}
"""What the README says, and what each of its numbers is."""
SAID_IN_ERRATA: dict[str, list[Callable[[], float]]] = {
    "SSSP takes 1,200 iterations, while BFS has 620 levels": [
        lambda: iterations("table-3.5", "NY", "sssp/bsp"),
        lambda: iterations("table-3.3", "NY", "bfs/bsp"),
    ],
    "`sssp/bsp` takes 1,200 iterations, with uniform ones 687, with weights of 1 620": [
        lambda: iterations("weights", "NY", "sssp/bsp"),
        lambda: iterations("weights", "NY-uniform", "sssp/bsp"),
        lambda: 1,
        lambda: iterations("weights", "NY-unit", "sssp/bsp"),
    ],
    "takes 96 to 137 ms, and the rest of the same search 0.27 to 0.52 ms": [
        lambda: min(time for one in small_ones() for time in one["setup"]),
        lambda: max(time for one in small_ones() for time in one["setup"]),
        lambda: min(map(median, small_ones())),
        lambda: max(map(median, small_ones())),
    ],
    "59 of 2²⁰ distances too large on random-20-5 and 85 of 2²² on random-22-5": [
        lambda: wrong_distances("random-20-5"),
        lambda: wrong_distances("random-22-5"),
    ],
    "`hubs`) it takes 308 ms on a core of the H200's host, and with a queue 409": [
        lambda: ms("hubs", MILLION, "sssp/mask-sequential"),
        lambda: ms("hubs", MILLION, "sssp/queue-sequential"),
    ],
}
"""The same of docs/errata.md."""
NOT_MEASURED = (
    "and 50 arcs per vertex, ",
    "docs/experiments, 1](docs/experiments/01-event-pairs.md)",
    "a social network of 196,591 vertices",
    "kernel for 32 searches at a time",
    "Benchmark Suite on 16 cores",
)
"""Numbers of the README that are part of a name, or of no record."""
VERDICTS = r"\| \[`[\w-]+`\]\(docs/results/.*"
"""What tests/test_documentation.py counts."""


def numbers(text: str) -> list[str]:
    """List the numbers of a text; those with superscripts or letters are names."""
    return re.findall(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\d²³¹⁴⁵⁶⁷⁸⁹⁰\w])", text)


@pytest.mark.parametrize(
    ("page", "text"),
    [(README, text) for text in SAID] + [(ERRATA, text) for text in SAID_IN_ERRATA],
    ids=[*SAID, *SAID_IN_ERRATA],
)
def test_a_number_is_that_of_the_records(page: str, text: str) -> None:
    assert text in page
    for said, value in zip(numbers(text), (SAID | SAID_IN_ERRATA)[text], strict=True):
        places = len(said.partition(".")[2])
        assert f"{value():,.{places}f}" == said


def test_no_other_number_is_said() -> None:
    rest = README
    for text in (*SAID, *NOT_MEASURED):
        assert rest.count(text) == 1, text
        rest = rest.replace(text, "")
    assert numbers(re.sub(VERDICTS, "", rest)) == []


def first_search(record: dict[str, Any]) -> float:
    """All that a first search pays in ms: page-locking, and the graph object of a library."""
    called = record["software"].get("peer")
    made = statistics.median(record["setup"]) if called else 0.0
    locks = [one.get("lock") or 0.0 for one in record["trials"]]
    if record["solver"] in ("betweenness/lane-queues", "betweenness/bitmap-queue", "sssp/pinned") and not any(
        locks
    ):
        locks = [record["observed"]["allocation_ms"]] * len(locks)
    return made + statistics.median(
        one["total"] + ms for one, ms in zip(record["trials"], locks, strict=True)
    )


def again(record: dict[str, Any]) -> bool:
    """Whether further searches were timed."""
    return all(one.get("again") is not None for one in record["trials"])


def resident(record: dict[str, Any]) -> float:
    """A further search in ms."""
    return statistics.median(one["again"] for one in record["trials"])


@pytest.mark.parametrize(
    "row", [line.strip("| ").split(" | ") for line in TODAY.splitlines()[4:] if line[:1] == "|"]
)
def test_a_row_of_today_is_that_of_the_records(row: list[str]) -> None:
    """Ours of each measure, found by its name, and what the fastest library takes of a first search."""
    problem, _, graph = row[0].partition(" on ")
    graph = re.split(r" \(|, ", graph)[0]
    found = [
        one
        for one in RECORDS
        if one["experiment"] == f"fast-{problem}" and one["graph"]["name"] == graph and one["verified"]
        if one["parameters"].get("pair", "far") == "far"
    ]
    (of_first, *_), (of_further, *_) = row[1].split(" `"), row[4].split(" `")
    by = {first_search: of_first, resident: of_further}
    for measure, cell in by.items():
        if cell == "\u2013":
            continue
        ours = [measure(one) for one in found if measure is first_search or again(one)]
        assert any(written(ms) == cell for ms in ours), row
    ours = min(
        first_search(one)
        for one in found
        if not one["software"].get("peer") and written(first_search(one)) == of_first
    )
    libraries = [first_search(one) for one in found if one["software"].get("peer")]
    if row[3] != "\u2013":
        assert float(row[3].rstrip("\u00d7").replace(",", "")) == pytest.approx(
            min(libraries) / ours, rel=6e-3
        )


def written(ms: float) -> str:
    """Write a time with three digits."""
    for factor, unit in ((1e-3, "s"), (1, "ms"), (1e3, "\u00b5s")):
        if float(f"{ms:.3g}") * factor >= 1:
            value = float(f"{ms * factor:.3g}")
            return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f} {unit}"
    raise ValueError(ms)
