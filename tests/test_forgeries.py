"""Forged records: what is put into files that were measured, and the line by which it is noticed.

`tests/measured` keeps some records of two machines as they were, so that the lines do not change.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import PROJECT, Patch
from fabricated import changed, drawn, record
from graphs import graph
from retrace.graphs.dataset_registry import load_registry
from retrace.graphs.generators import search_keys
from retrace.graphs.query import Draw
from retrace.records import relations
from retrace.records.record import Record, Trial, digest_of_all
from retrace_commands import doubtful_relations, examined_records
from retrace_commands.examined_records import examine

Line = dict[str, Any]
Forge = Callable[[list[Line]], object]
TIMES = ("upload", "solve", "download")
MACHINES = PROJECT / "tests/measured"
SEED = 20261121
REGISTRY = load_registry([PROJECT / "datasets.yaml"])
HEAP, BSP = "sssp/dijkstra-heap", "sssp/bsp"


def written(folder: Path) -> Path:
    """Copy the files of both machines; return the folder of the one that is forged."""
    shutil.copytree(MACHINES, folder / "machines")
    return folder / "machines/h100"


def forge(path: Path, change: Forge) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    for line in lines:
        for trial in line["trials"]:
            trial["total"] = round(sum(trial[phase] for phase in TIMES), 6)
        if any("digest" in trial for trial in line["trials"]):
            line["digest"] = digest_of_all(Trial(**trial) for trial in line["trials"])
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def notices(folder: Path) -> list[str]:
    """Return what is said of a machine, each line after its kind."""
    others = sorted(folder.parent.glob("h200/*/*.jsonl"))
    _, errors, doubts = examine(folder, others, REGISTRY, {}, SEED)
    lines = [*(f"error: {error}" for error in errors), *(f"doubtful: {doubt}" for doubt in doubts)]
    return [line.replace(f"{folder.parent}/", "") for line in lines]


def every(change: Callable[[Line], object], solver: str = "", pair: str | None = None) -> Forge:
    """Return what changes all records of a file, of one solver, or of a pair."""

    def forged(lines: list[Line]) -> None:
        chosen = [line for line in lines if line["solver"].startswith(solver) and line["trials"]]
        chosen = [line for line in chosen if pair in (None, line["parameters"].get("pair"))]
        assert chosen
        for line in chosen:
            change(line)

    return forged


def first(change: Callable[[Line], object], solver: str) -> Forge:
    """Return what changes the first record of a solver."""
    return lambda lines: change(next(line for line in lines if line["solver"] == solver))


def put(key: str, value: Any) -> Callable[[Line], object]:
    """Return what puts a value at a key of a record, of its parts or, after `trials.`, of its trials."""
    *parts, last = key.split(".")

    def change(line: Line) -> None:
        place: Any = line
        for part in parts:
            place = place[part]
        for one in place if isinstance(place, list) else [place]:
            one[last] = value

    return change


def scaled(factor: float, *phases: str) -> Callable[[Line], object]:
    """Return what multiplies the times of all trials."""

    def change(line: Line) -> None:
        for trial in line["trials"]:
            trial |= {key: round(trial[key] * factor, 6) for key in phases if key in trial}

    return change


ALL_TIMES = (*TIMES, "again", "kernel", "lock", "prepare")


def another_target(line: Line) -> None:
    line["parameters"]["target"] = 5
    line["digest"] = "5" * 64
    scaled(0.01, *ALL_TIMES)(line)


def only_best(line: Line) -> None:
    line["trials"] = [min(line["trials"], key=lambda trial: trial["solve"]) | {"round": 0}]


def without_flags(line: Line) -> None:
    for trial in line["trials"]:
        del trial["throttled"]


def as_an_emulators(line: Line) -> None:
    kept = (*TIMES, "total", "load", "others")
    line["trials"] = [{key: line["trials"][0][key] for key in kept}]


def without_the_last_round(line: Line) -> None:
    last = max(trial["round"] for trial in line["trials"])
    line["trials"] = [trial for trial in line["trials"] if trial["round"] < last]


def swap_sources(line: Line) -> None:
    one, other = line["trials"][:2]
    for key in ("source", "digest", "iterations"):
        if key in one:
            one[key], other[key] = other[key], one[key]


def first_trials(count: int) -> Callable[[Line], object]:
    """Return what keeps some trials, which say that they were of all rounds."""

    def change(line: Line) -> None:
        line["trials"] = [
            one for n in range(3) for one in [t for t in line["trials"] if t["round"] == n][: count // 3]
        ]

    return change


def again_of(other: str, solver: str) -> Forge:
    """Return what gives a solver the further solves of another one."""

    def forged(lines: list[Line]) -> None:
        one, two = (next(line for line in lines if line["solver"] == name) for name in (solver, other))
        for mine, theirs in zip(one["trials"], two["trials"], strict=True):
            mine["again"] = theirs["again"]

    return forged


def prepared_longer(line: Line) -> None:
    line["trials"][2]["prepare"] = line["trials"][2]["upload"] * 1.5


def stolen(steal: float, held_back: bool = False) -> Callable[[Line], object]:
    """Return what says that processors were stolen from a trial."""
    return lambda line: line["trials"][1].update(steal=steal, held_back=held_back)


FORGED: dict[str, tuple[str, Forge, str]] = {
    "the wrong target in all far records": (
        "table-3.4/NW", every(another_target, pair="far"),
        "error: h100/table-3.4/NW.jsonl:2: parameters.target: expected 0 to 1153010, as N others, such "
        "as h200/table-3.4/NW.jsonl:2, found 0 to 5; measure the wrong ones again",
    ),
    "another sha256 of generated weights": (
        "table-3.5/NW", every(put("graph.sha256", "8" * 64)),
        "error: h100/table-3.5/NW.jsonl:2: graph.sha256: expected 3c7564f1",
    ),
    "another seed with the same sha256": (
        "table-3.5/NW", every(put("graph.seed", 7)),
        "error: h100/table-3.5/NW.jsonl:2: graph.seed: expected 20261121, as N others, such as "
        "h100/table-3.4/NW.jsonl:1, found 7; measure the wrong ones again",
    ),
    "no upload": (
        "table-3.5/NW", every(put("trials.upload", 0.0), BSP),
        "error: h100/table-3.5/NW.jsonl:2: trials[0].upload: expected at least 0.001000 ms, as whatever "
        "runs or copies, found 0.0",
    ),
    "no download": (
        "table-3.5/NW", every(put("trials.download", 0.0), HEAP),
        "error: h100/table-3.5/NW.jsonl:3: trials[0].download: expected at least 0.000001 ms, as "
        "whatever runs or copies, found 0.0",
    ),
    "a download faster than its link": (
        "table-3.5/NW", every(put("trials.download", 0.0041), BSP),
        "error: h100/table-3.5/NW.jsonl:2: trials[0].download: expected at least 0.004832 ms, 1207945 "
        "answers at 1 TB/s, found 0.0041",
    ),
    "no setup": (
        "table-3.5/NW", every(put("setup", [0.0, 0.0]), "sssp/scipy"),
        "error: h100/table-3.5/NW.jsonl:4: setup: expected at least 0.000001 ms, found 0.0",
    ),
    "kernels of a nanosecond": (
        "table-3.5/NY", every(put("trials.kernel", 1e-6), BSP),
        "error: h100/table-3.5/NY.jsonl:2: trials[0].kernel: expected at least 0.060000 ms, 1200 "
        "iterations of 50 ns, found 1e-06",
    ),
    "further solves of a nanosecond": (
        "table-3.5/NY", every(put("trials.again", 1e-6), HEAP),
        "error: h100/table-3.5/NY.jsonl:3: trials[0].again: expected at least 0.000294 ms, 733846 arcs "
        "at 10 TB/s, found 1e-06",
    ),
    "kernels longer than further solves": (
        "table-3.5/NY", every(scaled(0.1, "again"), BSP),
        "doubtful: h100/table-3.5/NY.jsonl:2: trials.again: expected at least 0.5 times as long as "
        "their kernels, found 0.2",
    ),
    "no iterations": (
        "table-3.5/NY", every(put("iterations", None), BSP),
        "error: h100/table-3.5/NY.jsonl:2: iterations: expected a number, as N others, such as ",
    ),
    "a time in 1970": (
        "table-3.5/NY", every(put("started", "1970-01-01T00:00:00Z")),
        "error: h100/table-3.5/NY.jsonl:1: started: expected a time in the past, after 2025-01-01, "
        "found 1970-01-0",
    ),
    "a time in the year 1": (
        "table-3.5/NY", every(put("started", "0001-01-01T00:00:00Z")),
        "error: h100/table-3.5/NY.jsonl:1: started: expected a time in the past, after 2025-01-01, "
        "found 0001-01-0",
    ),
    "only the best trial": (
        "table-3.5/NY", every(only_best, "sssp/gapbs"),
        "doubtful: h100/table-3.5/NY.jsonl:7: trials: expected 9, found 1 of 0.00528 s in all, which no "
        "budget of time",
    ),
    "only the best trial, without rounds": (
        "brandes-variants/random-8-5",
        every(lambda line: line.update(trials=line["trials"][:1]), "betweenness/vert-virt"),
        "doubtful: h100/brandes-variants/random-8-5.jsonl:N: trials: expected 10, found 1 of ",
    ),
    "no throttle flags": (
        "table-3.5/NY", every(without_flags, BSP),
        "error: h100/table-3.5/NY.jsonl:2: trials[0].throttled: expected what the driver says, as in "
        "other records",
    ),
    "throttled, without a flag": (
        "table-3.5/NY", every(put("trials.sm_clock_mhz", 1200.0), BSP),
        "error: h100/table-3.5/NY.jsonl:2: trials: expected most on a GPU that is not throttled, found "
        "9 of 9 that",
    ),
    "an emulator's as a GPU's": (
        "table-3.5/NY", every(as_an_emulators, BSP),
        "error: h100/table-3.5/NY.jsonl:2: trials[0].throttled: expected what the driver says, as in "
        "other records",
    ),
    "the last round dropped": (
        "table-3.5/NY", every(without_the_last_round, BSP),
        "doubtful: h100/table-3.5/NY.jsonl:2: trials.round: expected trials of 3 rounds, as others "
        "have, found 2, and 3 trials in one; measure it again",
    ),
    "all rounds 0": (
        "table-3.5/NY", every(put("trials.round", 0), BSP),
        "doubtful: h100/table-3.5/NY.jsonl:2: trials.round: expected trials of 3 rounds, as others "
        "have, found 1, and 9 trials in one; measure it again",
    ),
    "all rounds of a file 0": (
        "table-3.5/NY", every(put("trials.round", 0)),
        "doubtful: h100/table-3.5/NY.jsonl:2: trials.round: expected trials of 3 rounds, as others "
        "have, found 1, and 9 trials in one; measure it again",
    ),
    "sources of a record swapped": (
        "fast-bfs/NY", first(swap_sources, "bfs/direction"),
        "error: h100/fast-bfs/NY.jsonl:4: trials.source: expected ",
    ),
    "sources swapped in all records": (
        "fast-bfs/NY", every(swap_sources), "error: h100/fast-bfs/NY.jsonl:1: trials.source: expected ",
    ),
    "another seed of sources": (
        "fast-bfs/NY", first(put("parameters.source_seed", 4), "bfs/direction"),
        "error: h100/fast-bfs/NY.jsonl:4: parameters.source_seed: expected 20261121, as N others, such "
        "as h100/fast-bfs/NY.jsonl:1, found 4; measure the wrong ones again",
    ),
    "64 sources claimed with 12 trials": (
        "fast-bfs/NY", first(first_trials(12), "bfs/direction"),
        "doubtful: h100/fast-bfs/NY.jsonl:4: trials: expected 64, found 12 of 0.0",
    ),
    "prepared for longer than it was sent": (
        "fast-bfs/NY", first(prepared_longer, "bfs/direction"),
        "error: h100/fast-bfs/NY.jsonl:4: trials[2].prepare: expected no more than upload = ",
    ),
    "stolen, and not held back": (
        "fast-bfs/NY", first(stolen(0.9), "bfs/direction"),
        "error: h100/fast-bfs/NY.jsonl:4: trials[1].held_back: expected true where 90% was stolen, "
        "found false",
    ),
    "more stolen than there is": (
        "fast-bfs/NY", first(stolen(3.0, True), "bfs/direction"),
        "error: h100/fast-bfs/NY.jsonl:4: trials[1].steal: expected a share, found 3.0",
    ),
    "further solves of another solver": (
        "fast-bfs/NY", again_of("bfs/one-block", "bfs/direction"),
        "error: h100/fast-bfs/NY.jsonl:4: trials.again: expected other times than those of "
        "h100/fast-bfs/NY.jsonl:3; measure it again",
    ),
    "further solves of a slower solver": (
        "table-3.5/NY", every(put("trials.again", 90.0), "sssp/gapbs"),
        "doubtful: h100/table-3.5/NY.jsonl:7: trials.again: expected 0.45 to 1.8 times as long as "
        "solves, found 1",
    ),
    "solves three times as long": (
        "table-3.5/NY", every(scaled(3.0, "solve"), HEAP),
        "doubtful: h100/table-3.5/NY.jsonl:3: trials.again: expected 0.45 to 1.8 times as long as "
        "solves, found 0.",
    ),
    "solves half as long": (
        "table-3.5/NY", every(scaled(0.55, "solve"), "sssp/igraph"),
        "doubtful: h100/table-3.5/NY.jsonl:5: trials.again: expected 0.45 to 1.8 times as long as "
        "solves, found ",
    ),
    "another source than all others": (
        "table-3.5/NY", first(put("source", 3), HEAP),
        "error: h100/table-3.5/NY.jsonl:3: source: expected 0, as N others, such as "
        "h100/table-3.5/NY.jsonl:1, found 3; measure the wrong ones again",
    ),
    "a slow baseline": (
        "table-3.5/NY", every(scaled(40.0, *ALL_TIMES), "sssp/igraph"),
        "error: h100/table-3.5/NY.jsonl:1: started: expected at most 10 s of trials until "
        "h100/table-3.5/NW.jsonl began, found 28 s; measure it again",
    ),
    "the best trial of a slow library": (
        "table-3.5/NW", every(only_best, "sssp/networkit"),
        "doubtful: h100/table-3.5/NW.jsonl:N: trials: expected 9, found 1 of 0.4",
    ),
    "not throttled at 90 % of the clock": (
        "table-3.5/NY", every(put("trials.sm_clock_mhz", 1782.0), BSP),
        "doubtful: h100/table-3.5/NY.jsonl:2: trials.throttled: expected true at 1782 MHz, where others "
        "have 1980, found false",
    ),
    "a GPU of another memory": (
        "table-3.5/NY", every(put("machine.gpu.memory_gib", 40.0), BSP),
        "doubtful: h100/table-3.5/NY.jsonl:2: machine.gpu.memory_gib: 40.0 in 1 of the records, 79.2 in ",
    ),
}  # fmt: skip


def other_sources(line: Line) -> None:
    """Draw sources with another seed, as others would have, and say the seed that was asked for."""
    for trial in line["trials"]:
        trial["source"] = (trial["source"] * 7 + 1) % line["graph"]["vertices"]


def ascending_sources(line: Line) -> None:
    """Choose sources that stand in the order of the seed, but are not the first ones."""
    count = max(trial["round"] for trial in line["trials"]) + 1
    keys = search_keys(SEED, np.arange(line["graph"]["vertices"]))
    chosen = np.argsort(keys)[:: len(keys) // 64]
    seen = [0] * count
    for trial in line["trials"]:
        trial["source"] = int(chosen[trial["round"] + count * seen[trial["round"]]])
        seen[trial["round"]] += 1


FORGED_EVERYWHERE: dict[str, tuple[str, Callable[[Line], object], str]] = {
    "sources": (
        "fast-bfs/NY", other_sources,
        "error: h100/fast-bfs/NY.jsonl:1: trials.source: expected those that source_seed 20261121 draws",
    ),
    "sources that are not the first ones": (
        "fast-bfs/NY", ascending_sources,
        "error: h100/fast-bfs/NY.jsonl:1: trials.source: expected those that source_seed 20261121 draws",
    ),
    "the order of sources": (
        "fast-bfs/NY", swap_sources,
        "error: h100/fast-bfs/NY.jsonl:1: trials.source: expected those that source_seed 20261121 draws",
    ),
    "the seed of sources": (
        "fast-bfs/NY", put("parameters.source_seed", 7),
        "doubtful: h100/fast-bfs/NY.jsonl:1: parameters.source_seed: expected 20261121, as config.yaml",
    ),
    "the seed of weights": (
        "table-3.5/NW", put("graph.seed", 7),
        "doubtful: h100/table-3.5/NW.jsonl:2: graph.seed: expected 20261121, as config.yaml",
    ),
    "the source": (
        "table-3.5/NY", put("source", 3),
        "error: h100/table-3.5/NY.jsonl:1: source: expected 0, as the registry says, found 3",
    ),
    "the far pair": (
        "table-3.4/NW", lambda line: line["parameters"].update(target=5),
        "error: h100/table-3.4/NW.jsonl:2: parameters.target: expected 0 to 1153010, as the registry says, "
        "found 0 to 5",
    ),
}  # fmt: skip
"""What is changed alike in all records of an experiment's graph, on all machines."""


@pytest.mark.parametrize("what", FORGED_EVERYWHERE)
def test_what_is_changed_alike_everywhere_is_noticed(what: str, sound: Path) -> None:
    name, change, expected = FORGED_EVERYWHERE[what]
    before = set(notices(sound))
    for path in sound.parent.glob(f"*/{name.partition('/')[0]}/*.jsonl"):
        forge(path, lambda lines: [change(line) for line in lines if line["trials"]])
    new = [line for line in notices(sound) if line not in before]
    assert any(line.startswith(expected) for line in new), "\n".join([expected, *new])


@pytest.mark.parametrize("of_pairs", [False, True])
@pytest.mark.parametrize("rounds", [1, 3])
def test_questions_are_those_of_the_seed(of_pairs: bool, rounds: int) -> None:
    """Of a graph with vertices without arcs; in another order, or with another target, they are not."""
    asked = Draw(30, 5, "stcon" if of_pairs else "bfs").queries(
        graph(90, [(u, u + 1, 1) for u in range(89) if u % 3])
    )
    dealt = [(number, query) for number in range(rounds) for query in asked[number::rounds]]
    solver = "stcon/bsp" if of_pairs else "bfs/bsp"
    fabricated = drawn(solver, "random-14-5", count=30)
    trials = [
        fabricated.trials[0].model_copy(
            update={"round": number, "source": query.source, "target": query.target}
        )
        for number, query in dealt
    ]
    parameters = fabricated.parameters | {"source_seed": 5}

    def complaints(trials: list[Trial]) -> list[str]:
        digest = digest_of_all(trials)
        one = {"a:1": changed(fabricated, trials=trials, parameters=parameters, digest=digest)}
        return list(relations.undrawn(one, one))

    assert not complaints(trials)
    assert complaints([trials[1], trials[0], *trials[2:]])
    if of_pairs:
        for at, without_arcs in product(range(6), range(0, 90, 3)):
            forged = trials[at].model_copy(update={"target": without_arcs})
            assert complaints([*trials[:at], forged, *trials[at + 1 :]])


@pytest.mark.parametrize(("ms", "is_doubtful"), [(130.0, True), (140.0, False)])
def test_trials_end_early_after_a_second(ms: float, is_doubtful: bool) -> None:
    """Of which they must have taken a good part, of what is recorded of them."""
    records = record("sssp/gapbs", "NY", [ms] * 10), record("sssp/igraph", "NY", [ms, ms + 1, ms - 1])
    placed = {f"h100/a/NY.jsonl:{line}": one for line, one in enumerate(records, 1)}
    assert bool(list(doubtful_relations.incomplete(placed))) == is_doubtful


def pattern_of(expected: str) -> str:
    """Return a pattern in which N is any number."""
    return (
        re.sub(r"\bN\b", r"\\d+", re.escape(expected))
        if " N " in expected or ":N:" in expected
        else re.escape(expected)
    )


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    return written(tmp_path)


def test_what_was_measured_is_not_refused(sound: Path) -> None:
    assert [line for line in notices(sound) if line.startswith("error")] == []


@pytest.mark.parametrize("way", FORGED)
def test_a_forgery_is_noticed(way: str, sound: Path) -> None:
    name, change, expected = FORGED[way]
    before = set(notices(sound))
    forge(sound / f"{name}.jsonl", change)
    new = [line for line in notices(sound) if line not in before]
    assert any(re.match(pattern_of(expected), line) for line in new), "\n".join([expected, *new])


@pytest.mark.parametrize(
    ("key", "value"),
    [("software.git_commit", "f" * 39), ("software.git_commit", "f" * 41),
     ("software.python", "99.99"), ("software.numpy", "newest"),
     ("software.pycuda", "1.0"), ("software.cuda", "9000"), ("software.compiler", "none"),
     ("software.peer", "a library"), ("machine.gpu.driver", "1"),
     ("machine.gpu.compute_capability", "ninety"), ("machine.gpu.compiled_for", "sm_90")],
)  # fmt: skip
def test_what_is_no_version_is_refused(key: str, value: str, sound: Path) -> None:
    forge(sound / "table-3.5/NY.jsonl", every(put(key, value), BSP))
    told = f"error: h100/table-3.5/NY.jsonl:2: {key}: expected such as "
    assert any(line.startswith(told) and line.endswith(f", found {value}") for line in notices(sound))


LATER = "2026-11-30T01:00:00Z"


@pytest.mark.parametrize(
    ("way", "started"),
    [("as they are", LATER), ("reversed", LATER), ("a tenth longer", LATER), ("each trial longer", None)],
)
def test_records_of_another_machine_are_known_again(way: str, started: str | None, sound: Path) -> None:
    """An H200's as an H100's: begun another day, or at the same second with other times."""
    lines = [json.loads(line) for line in (MACHINES / "h200/table-3.5/NY.jsonl").read_text().splitlines()]
    card = json.loads((MACHINES / "h100/table-3.5/NY.jsonl").read_text().splitlines()[1])["machine"]
    lines = [line for line in lines if len(line["trials"]) >= 5]
    for line in lines:
        line["machine"] = {**card, "host": "c" * 12}
        line["started"] = started or line["started"]
        if way == "reversed":
            line["trials"].reverse()
        if way == "a tenth longer":
            scaled(1.1, *ALL_TIMES)(line)
        if way == "each trial longer":
            for number, trial in enumerate(line["trials"]):
                trial |= {phase: trial[phase] * (1.1 + number / 9) for phase in ALL_TIMES if phase in trial}
    path = sound / "table-3.5/NY.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    forge(path, lambda lines: None)
    key = "started" if started is None else "trials"
    told = rf"error: h100/table-3.5/NY.jsonl:\d: {key}: expected a run of h100, found that of h200 in"
    assert [line for line in notices(sound) if re.match(told, line)]


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: Patch) -> str:
    """Make a repository of a commit from before the records, that has some of their solvers; return it."""
    (tmp_path / "scripts").mkdir()
    solvers = ("bfs", "sssp", "stcon", "betweenness")
    paths = (MACHINES / "h100").glob("*/*.jsonl")
    names = {json.loads(line)["solver"] for path in paths for line in path.read_text().splitlines()}
    assert {name.partition("/")[0] for name in names} == set(solvers)
    (tmp_path / "scripts/solvers.py").write_text(
        "\n".join(f'name = "{name}"' for name in names - {"bfs/scipy"})
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "scripts")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-11-28T03:45:00Z")  # clocks may be an hour apart
    git(tmp_path, "commit", "-qm", "Solvers")
    monkeypatch.setattr(examined_records, "ROOT", tmp_path)
    return git(tmp_path, "rev-parse", "HEAD")


def of_commit(commit: str, paths: Iterable[Path]) -> None:
    for path in paths:
        forge(path, lambda lines: [put("software.git_commit", commit)(line) for line in lines])


@pytest.mark.parametrize(
    ("commit", "file", "complaints"),
    [("f" * 40, "table-3.5/NW", ["software.git_commit: expected a commit of the repository, found fff"]),
     ("", "fast-sssp/NY", []),
     ("", "fast-bfs/NY", ["software.git_commit: expected a commit that has bfs/scipy, found "]),
     ("", "table-3.5/NW", ["started: expected a time after its commit's, 2026-11-28T03:45:00"])],
)  # fmt: skip
def test_a_commit_exists_and_has_the_solver_that_was_measured(
    commit: str, file: str, complaints: Sequence[str], sound: Path, repository: str
) -> None:
    of_commit(commit or repository, [sound / f"{file}.jsonl"])
    told = [line for line in notices(sound) if line.startswith(f"doubtful: h100/{file}.jsonl:")]
    told = [line for line in told if "software.git_commit: expected" in line or "commit's" in line]
    assert bool(told) == bool(complaints)
    for complaint in complaints:
        assert any(complaint in line for line in told), told


def test_without_a_repository_no_commit_is_asked_for(sound: Path) -> None:
    of_commit("f" * 40, [sound / "table-3.5/NW.jsonl"])
    assert not [line for line in notices(sound) if "of the repository" in line]


@pytest.mark.parametrize(("lock", "is_doubtful"), [(0.0, True), (300.0, False)])
def test_locking_pages_is_part_of_the_time_that_ends_trials(lock: float, is_doubtful: bool) -> None:
    """It is beside the total: a short search in locked memory may have fewer trials than a long one."""
    short = record("bellman-ford/pinned", "NY", [7.0] * 4, backend="cuda")
    short = changed(short, trials=[t.model_copy(update={"lock": lock or None}) for t in short.trials])
    long = record("bellman-ford/dense", "NY", [42.0] * 10, backend="cuda")
    placed = {"h100/a/NY.jsonl:1": long, "h100/a/NY.jsonl:2": short}
    assert bool(list(doubtful_relations.incomplete(placed))) == is_doubtful


OF_ROUNDS = "expected at most 4.0 times as many milliseconds in a round as in another"


def locked(*ms: float | None, graph: str = "NY") -> Record:
    """Return a record of three rounds whose trials took so many ms to lock pages."""
    pinned = record("sssp/pinned", graph, [7.0] * len(ms), backend="cuda")
    rounds = zip(pinned.trials, ms, range(len(ms)), strict=True)
    trials = [trial.model_copy(update={"lock": each, "round": number}) for trial, each, number in rounds]
    return changed(pinned, trials=trials)


@pytest.mark.parametrize(
    ("altered", "told"),
    [
        (locked(3.0, 2.0, 4.5), None),
        (locked(0.02, 0.2, 0.9), None),  # of a ms nothing can be told
        (locked(3.0, 30.0, 4.5), f"{OF_ROUNDS}, found 3"),
        (locked(3.0, 0.0, 0.1), "expected the time of page-locking, found none"),
        (locked(0.0, 0.0, 0.0), "expected the time of page-locking, found none"),
        (locked(None, None, None), "expected the time of page-locking, found none"),
    ],
)  # fmt: skip
def test_page_locking_lasts_as_in_other_rounds(altered: Record, told: str | None) -> None:
    placed = {"h100/a/NY.jsonl:1": altered, "h100/a/NW.jsonl:1": locked(9.0, 9.0, 8.0, graph="NW")}
    doubts = list(doubtful_relations.unlike_locks(placed))
    assert len(doubts) == (told is not None)
    if told is not None:
        assert doubts[0].startswith(f"h100/a/NY.jsonl:1: trials.lock: {told}")


def test_a_solver_that_locks_no_page_is_asked_for_no_time() -> None:
    alone = {"h100/a/NY.jsonl:1": locked(None, None, None)}
    assert not list(doubtful_relations.unlike_locks(alone))
    other_choice = changed(locked(3.0, 3.0, 3.0), observed={"chose_vert": 1})
    assert not list(doubtful_relations.unlike_locks({**alone, "h100/a/NW.jsonl:1": other_choice}))
