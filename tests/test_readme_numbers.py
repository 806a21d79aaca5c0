"""The numbers that README's made parts show, and the measured ones of docs/errata.md, computed again.

The committed records are read as plain JSON, and medians are Python's own: nothing is shared with what makes
tables.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

PROJECT = Path(__file__).parents[1]
README = (PROJECT / "README.md").read_text()

ERRATA = " ".join((PROJECT / "docs/errata.md").read_text().split())


def records_of(machine: str) -> list[dict[str, Any]]:
    """Read all records of a machine."""
    paths = sorted((PROJECT / "results/machines" / machine).glob("*/*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


OF_H200, OF_H100 = records_of("h200"), records_of("h100")
SHOWN = records_of(re.findall(r"<sub>Measured on ([\w-]+):", README)[0])
"""Those of the machine that README shows."""


def records(
    experiment: str,
    graph: str = "",
    solver: str = "",
    *,
    of: Sequence[dict[str, Any]] = OF_H200,
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


def iterations(experiment: str, graph: str, solver: str) -> int:
    (one,) = records(experiment, graph, solver)
    return int(one["iterations"])


def small_ones() -> list[dict[str, Any]]:
    """List the H200's records of the small graphs, whose printed times seem to be setup."""
    tables = ("table-3.3", "table-3.4", "table-3.5")
    found = [one for table in tables for graph in ("small-6", "small-9") for one in records(table, graph)]
    return [one for one in found if one["backend"] == "cuda"]


def wrong_distances(graph: str) -> int:
    """Count the distances that the printed kernel of tuwien-sssp leaves too large on an H100."""
    (told,) = (
        one["reason"]
        for one in OF_H100
        if (one["experiment"], one["solver"]) == ("mask-ablations", "sssp/standard-published")
        and one["graph"]["name"] == graph
    )
    (found,) = re.findall(r"; (\d+) of \d+ differ", told)
    return int(found)


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
    "takes 95 to 123 ms, and the rest of the same search 0.42 to 0.61 ms": [
        lambda: min(time for one in small_ones() for time in one["setup"]),
        lambda: max(time for one in small_ones() for time in one["setup"]),
        lambda: min(map(median, small_ones())),
        lambda: max(map(median, small_ones())),
    ],
    "168 of 2²⁰ distances too large on random-20-5 and 226 of 2²² on random-22-5": [
        lambda: wrong_distances("random-20-5"),
        lambda: wrong_distances("random-22-5"),
    ],
    "`hubs`) it takes 404 ms on a core of the H200's host, and with a queue 368": [
        lambda: ms("hubs", "random-20-5", "sssp/mask-sequential"),
        lambda: ms("hubs", "random-20-5", "sssp/queue-sequential"),
    ],
}
"""What docs/errata.md says, and what each of its numbers is."""


def numbers(text: str) -> list[str]:
    """List the numbers of a text; those with superscripts or letters are names."""
    return re.findall(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\d²³¹⁴⁵⁶⁷⁸⁹⁰\w])", text)


@pytest.mark.parametrize("text", SAID_IN_ERRATA)
def test_a_number_of_the_errata_is_that_of_the_records(text: str) -> None:
    assert text in ERRATA
    for said, value in zip(numbers(text), SAID_IN_ERRATA[text], strict=True):
        places = len(said.partition(".")[2])
        assert f"{value():,.{places}f}" == said


# ----- README, whose numbers are made


def part(what: str) -> list[str]:
    """Return the lines of a part that is made, without its mark."""
    begin = f"<!-- made by `make pages` from {what} -->"
    return README.partition(begin)[2].partition("<!-- end -->")[0].strip().splitlines()


def cells_of(what: str) -> list[list[str]]:
    """Return the rows of the table in a part, without its head."""
    lines = (line.replace("\N{NO-BREAK SPACE}", " ") for line in part(what))
    return [line.strip("|").split("|") for line in lines if line.startswith("|")][2:]


def test_the_answer_counts_every_claim_of_every_report() -> None:
    timed, others, _ = part("all verdicts")
    sentences = [re.sub(r" on an [^,]*| \(.*", "", line) for line in (timed, others)]
    (every, *counts), (rest, *more) = ([*map(int, re.findall(r"\d+", line))] for line in sentences)
    assert (every, rest) == (sum(counts), sum(more))
    of_reports = {
        path.stem: len(read["claims"])
        for path in (PROJECT / "results/published").glob("*.yaml")
        for read in [yaml.safe_load(path.read_text())]
        if "claims" in read
    }
    assert every + rest == sum(of_reports.values())
    rows = {
        re.findall(r"\[([\w-]+)\]", row[0])[0]: [*map(int, row[1:5])]
        for row in cells_of("the verdicts of each report")
    }
    assert {report: sum(row) for report, row in rows.items()} == of_reports
    summed = [*map(sum, zip(*rows.values(), strict=True))]
    assert summed == [*map(sum, zip(counts, more, strict=True))]


SPEEDS = {
    "BFS, roads of New York": ("table-3.3", "NY", "bfs/queue", "bfs/bsp"),
    "BFS, roads of the Northwest": ("table-3.3", "NW", "bfs/queue", "bfs/bsp"),
    "ST-connectivity, roads of the Northwest": ("table-3.4", "NW", "stcon/two-queues", "stcon/bsp"),
    "SSSP, roads of New York": ("table-3.5", "NY", "sssp/dijkstra-linear", "sssp/bsp"),
    "SSSP, random, 2\u00b2\u00b3 vertices \u00d7 5 arcs": (
        "table-2",
        "random-23-5",
        "sssp/mask-sequential",
        "sssp/standard",
    ),
}
"""Rows of README's figure, each with its table, graph, program on one core and kernel."""


@pytest.mark.parametrize("title", SPEEDS)
def test_a_speed_in_the_figure_is_that_of_the_records_and_of_print(title: str) -> None:
    experiment, graph, *solvers = SPEEDS[title]
    pair = {"pair": "far"} if experiment == "table-3.4" else {}
    core, kernel = (ms(experiment, graph, solver, of=SHOWN, **pair) for solver in solvers)
    drawing = ElementTree.parse(PROJECT / "docs/results/overview.svg").getroot()
    texts = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert title in texts
    assert f"{two_digits(core / kernel)}\u00d7" in texts


def two_digits(value: float) -> str:
    return f"{float(f'{value:.2g}'):.{max(0, 1 - math.floor(math.log10(value)))}f}"


def first_search(record: dict[str, Any]) -> float:
    """All that a first search pays in ms: page-locking, and the graph object of a library."""
    called = record["software"].get("peer")
    made = statistics.median(record["setup"]) if called else 0.0
    locks = [one.get("lock") or 0.0 for one in record["trials"]]
    if record["solver"] == "sssp/pinned" and not any(locks):
        locks = [record["observed"]["allocation_ms"]] * len(locks)
    return made + statistics.median(
        one["total"] + ms for one, ms in zip(record["trials"], locks, strict=True)
    )


def again(record: dict[str, Any]) -> bool:
    """Whether further searches were timed."""
    return any(one.get("again") is not None for one in record["trials"])


def resident(record: dict[str, Any]) -> float:
    """A further search in ms."""
    return statistics.median(one["again"] for one in record["trials"] if one.get("again") is not None)


def least(times: list[tuple[float, int]]) -> float:
    """The least time in ms; of one or two trials, what has three or more and is less than 1.5 times it."""
    time, trials = min(times)
    near = [other for other, others in times if others >= 3 and other < 1.5 * time]
    return time if trials >= 3 or time >= 1000 else min(near, default=time)


GRAPHS = {
    "roads of New York": "NY",
    "roads of New York, 1,056 sources": "NY-1056",
    "social network Gowalla": "Gowalla",
    "random, 2\u00b2\u2070 vertices \u00d7 5 arcs": "random-20-5",
}
PROBLEMS = {"BFS": "bfs", "ST-connectivity": "stcon", "SSSP": "sssp", "Betweenness": "betweenness"}


@pytest.mark.parametrize("row", cells_of("the records of today"), ids=lambda row: row[0])
def test_a_row_of_today_is_that_of_the_records(row: list[str]) -> None:
    """The least of the published kernels, of libraries and of ours, each by its first search."""
    problem, _, graph = row[0].partition(", ")
    found = [
        one
        for one in SHOWN
        if one["experiment"] == f"fast-{PROBLEMS[problem]}" and one["graph"]["name"] == GRAPHS[graph]
        if one["verified"] and one["parameters"].get("pair", "far") == "far"
        if one["parameters"].get("precision") != "float"
    ]
    report = yaml.safe_load((PROJECT / "scripts/retrace_today/today.yaml").read_text())
    published = report["tables"][f"fast-{PROBLEMS[problem]}"]["groups"]["published"]
    times: dict[str, list[tuple[float, int]]] = {"library": [], "published": [], "ours": []}
    for one in found:
        called = one["software"].get("peer") and "library"
        whose = called or ("published" if one["solver"] in published else "ours")
        times[whose].append((first_search(one), len(one["trials"])))
    names = [re.split(r" \?| \(|<br>", cell.strip("*"))[0] for cell in row]
    _, ours, core, kernel, library, further = names
    assert ours == written(least(times["ours"])), row
    if library != "\u2013":
        assert library == written(least(times["library"])), row
    if problem != "Betweenness":  # older records have its page-locking elsewhere
        assert {core, kernel} <= {*(written(time) for time, _ in times["published"]), "\u2013"}, row
    if further != "\u2013":
        repeated = [resident(one) for one in found if again(one) and not one["software"].get("peer")]
        assert any(further in (written(ms * (1 - 1e-9)), written(ms * (1 + 1e-9))) for ms in repeated), row


def written(ms: float) -> str:
    """Write a time with three digits."""
    for factor, unit in ((1e-3, "s"), (1, "ms"), (1e3, "\u00b5s")):
        if float(f"{ms:.3g}") * factor >= 1:
            value = float(f"{ms * factor:.3g}")
            return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f} {unit}"
    raise ValueError(ms)
