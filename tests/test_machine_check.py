"""Which records of a machine may enter a table: ways to be bad, each refused by name; and doubts."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from command_line import PROJECT, Call
from cuda_device.errors import OneLineError
from fabricated import changed, graph_info, record, software, with_sources, without_answer
from retrace.planning import plan
from retrace.planning.configuration import load_configuration, project_keys
from retrace.records.machine_check import find_errors
from retrace.records.record import Record
from retrace.reports.wording import plural
from retrace_commands import machine_records
from retrace_commands.examined_records import Listed, _other_seeds, examine

Line = dict[str, Any]
Change = Callable[[list[Line]], object]
COPY = 0.01
"""Milliseconds."""
GRAPH = graph_info("random-14-5", edition="generated", seed=20261121)


@pytest.fixture
def committed() -> Path:
    """Return the folder of the committed machines, with which a test compares its own records."""
    return machine_records.MACHINES


@pytest.fixture(autouse=True)
def no_others(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the other tests the thousands of committed records, which take longer than all else."""
    if "committed" not in request.fixturenames:
        monkeypatch.setattr(machine_records, "MACHINES", tmp_path / "none")


def one(
    solver: str, machine: str = "rtx", times: Sequence[float] = (9.0, 10.0, 11.0), **changes: Any
) -> Record:
    backend = "host" if solver in ("bfs/queue", "generate/tree-first") else "cuda"
    told: dict[str, Any] = {"graph": GRAPH, "experiment": "mine", "machine": machine, "backend": backend}
    return record(solver, times=times, setup=1.0, copies=COPY, **told | changes)


def machine(folder: Path, change: Change = lambda lines: None, name: str = "rtx") -> Path:
    """Write the records of a machine, altered as JSON, beside those of another that agrees."""
    for owner in (name, "other"):
        lines = [json.loads(one(solver, owner).model_dump_json()) for solver in ("bfs/bsp", "bfs/queue")]
        for line in lines:
            if gpu := line["machine"]["gpu"]:
                gpu["name"], line["software"]["cuda"] = f"GPU of {owner}", "13.0"
        if owner == name:
            change(lines)
        else:
            slow_down(lines)
            another_day(lines)
        path = folder / "machines" / owner / "mine/random-14-5.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line if isinstance(line, str) else f"{json.dumps(line)}\n" for line in lines))
    return folder / "machines" / name


def another_day(lines: list[Line]) -> None:
    for line in lines:
        line["started"] = "2026-02-01T12:00:00Z"


def slow_down(lines: list[Line]) -> None:
    """Let all trials take longer, as on another machine."""
    for trial in (trial for line in lines for trial in line["trials"]):
        trial |= {key: trial[key] + 1.0 for key in ("solve", "total")}


def small(**changes: Any) -> Line:
    """Fabricate a record of a graph of the registry, with its own digest."""
    known = "5d34c7a7e99491d4897e87ccd868501aabde1bbbbda9a74139b981cae828f209"
    graph = graph_info("small-6", **{"edition": "retrace", "sha256": known} | changes)
    found = one("bfs/bsp", graph=graph)
    line: Line = json.loads(found.model_dump_json())
    line["software"]["cuda"] = "13.0"
    return line


def called(name: str, vertices: int, arcs: int = 20) -> Line:
    """Fabricate a record of a graph with a name and a size of its own."""
    line = small(sha256="8" * 64)
    line["graph"] |= {"name": name, "vertices": vertices, "arcs": arcs}
    return line


def put(*path: str, value: Any, which: int = 0) -> Change:
    """Return what puts a value at a key of the first record, or of another."""

    def change(lines: list[Line]) -> None:
        part: Any = lines[which]
        for key in path[:-1]:
            part = part[int(key) if key.isdigit() else key]
        part[path[-1]] = value

    return change


def second_of(host: str) -> Change:
    """Return what mixes the record of another host into a file."""
    return each(put("machine", "host", value="a" * 12), put("machine", "host", value=host, which=1))


def hot(lines: list[Line]) -> None:
    for trial in lines[0]["trials"][:2]:
        trial["throttled"] = True


def draw_power(lines: list[Line], clock: float = 1860.0) -> None:
    """Throttle two of three trials to so many of 1980 MHz."""
    for trial, own in zip(lines[0]["trials"], (1980.0, clock, clock + 9), strict=True):
        trial |= {"sm_clock_mhz": own, "throttled": own < 1980}


def outlast(lines: list[Line], times: float = 1.001) -> None:
    """Make the kernels of a trial longer than its solve."""
    lines[0]["trials"][1]["kernel"] = times * lines[0]["trials"][1]["solve"]


def lose(*rounds: int) -> Change:
    """Return what gives the trials of the first record rounds, of which some are lost."""

    def change(lines: list[Line]) -> None:
        for trial, number in zip(lines[0]["trials"], rounds, strict=True):
            trial["round"] = number

    return change


def fall(lines: list[Line]) -> None:
    """Divide all times, so that they still add up."""
    lines[0] |= {"iterations": 2000}
    for trial in lines[0]["trials"]:
        trial |= {phase: trial[phase] / 1000 for phase in ("upload", "solve", "download", "total", "kernel")}


def each(*changes: Change) -> Change:
    return lambda lines: [change(lines) for change in changes]


CARD = {"name": "NVIDIA RTX", "memory_gib": 8.0, "driver": "580.1"}
WRONG = each(put("verified", value=False), put("reason", value="vertex 3: 4, expected 5"))
BAD: dict[str, tuple[Change, str]] = {
    "another schema": (put("verifed", value=True), "1: verifed: unknown key"),
    "cut off": (lambda lines: lines.append('{"experiment": "mi'), "3: not JSON"),
    "another machine's": (put("machine", "name", value="other"), "1: machine.name: expected rtx, as the"),
    "another experiment's": (put("experiment", value="table-3.3"), "1: experiment: expected mine, as the"),
    "twice": (lambda lines: lines.append(lines[0]), "3: solver: a second record of bfs/bsp"),
    "another answer": (put("digest", value="2" * 64), "1: digest: not that of 3 others, such as "),
    "another size": (put("graph", "arcs", value=81_921), "1: graph.arcs: not that of 3 others"),
    "a wrong answer": (WRONG, "1: verified: expected true, found false (vertex 3: 4, expected 5)"),
    "not checked": (put("verified", value=None), "1: verified: expected a value where the status is ok"),
    "an emulator's": (put("backend", value="emulator"), "1: backend: expected cuda or host, found emulator"),
    "an emulator's, relabelled": (put("machine", "gpu", value=None), "1: machine.gpu: expected the GPU"),
    "an emulator's, with a GPU": (put("software", "cuda", value=None), "1: software.cuda: expected the"),
    "a GPU's as another": (
        put("machine", "gpu", "compiled_for", value="8.6"),
        "1: machine.gpu.compiled_for: expected 9.0, its own, found 8.6: it was used as if it were another",
    ),
    "two kinds of GPU": (
        each(*(
            put("machine", "gpu", value=CARD | {"compute_capability": text}, which=line)
            for line, text in enumerate(("8.6", "9.0"))
        )),
        "2: machine.gpu.compute_capability: 9.0 in 1 of the records, 8.6 in 1",
    ),
    "an unknown tree": (put("software", "dirty", value=True), "1: software.dirty: expected false"),
    "an unknown commit": (put("software", "git_commit", value=None), "1: software.git_commit: expected the"),
    "a kernel beyond its search": (put("trials", "1", "kernel", value=99.0), "1: trials[1].kernel: expected"),
    "a kernel beyond another clock": (outlast, "1: trials[1].kernel: expected"),
    "an edited total": (put("trials", "2", "total", value=1.0), "1: trials[2].total: expected upload +"),
    "an unknown solver": (put("solver", value="bfs/best"), "1: solver: no solver is called bfs/best"),
    "a solver elsewhere": (put("backend", value="host"), "1: backend: bfs/bsp runs on"),
    "no answer": (put("digest", value="0" * 64), "1: digest: expected a sha256, found zeros"),
    "from the future": (put("started", value="2999-01-01T00:00:00Z"), "1: started: expected a time in"),
    "no graph": (put("graph", "sha256", value=None), "1: graph.sha256: expected a sha256 where the status"),
    "no trial": (put("trials", value=[]), "1: trials: expected at least one where the status is ok"),
    "faster than memory": (
        put("trials", value=[{"upload": 0.0, "solve": 3e-5, "download": 0.0, "total": 3e-5}]),
        "1: trials[0].solve: expected at least 0.001000 ms, as whatever runs or copies, found 3e-05",
    ),
    "faster than a step": (
        fall,
        "1: trials[0].solve: expected at least 0.100000 ms, 2000 iterations of 50 ns, found 0.009",
    ),
    "a lost round": (lose(0, 2, 2), "1: trials[1].round: expected trials of round 1 before, found round 2"),
    "a lost first round": (lose(1, 1, 2), "1: trials[0].round: expected trials of round 0 before, found"),
    "mixed rounds": (lose(0, 1, 0), "1: trials[2].round: expected rounds in order, found 0 after 1"),
    "throttled": (hot, "1: trials: expected most on a GPU that is not throttled, found 2 of 3 that were"),
    "throttled far": (
        lambda lines: draw_power(lines, 1770.0),
        "1: trials: expected most on a GPU that is not throttled, found 2 of 3 that were",
    ),
    "throttled throughout": (
        lambda lines: [trial.update(sm_clock_mhz=1200.0, throttled=True) for trial in lines[0]["trials"]],
        "1: trials: expected most on a GPU that is not throttled, found 3 of 3 that were",
    ),
    "another host's": (
        second_of("b" * 12),
        "2: machine.host: expected aaaaaaaaaaaa, as in line 1, found bbbbbbbbbbbb; measure the whole file",
    ),
    "another processor's": (
        put("machine", "cpu", value="Another CPU", which=1),
        "2: machine.cpu: Another CPU in 1 of the records, Some CPU in 1",
    ),
    "another size of machine": (put("machine", "cores", value=64, which=1), "2: machine.cores: 64 in 1"),
    "an unknown graph": (put("graph", "name", value="Mars"), "1: graph.name: expected random-14-5, as the"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "vertices", "arcs", "complaint"),
    [("Mars", 6, 20, "graph.name: expected a data set or a graph such as random-14-5, found neither"),
     ("random-20-5", 2**14, 20, "graph.vertices: expected 1048576, as the name says, found 16384"),
     ("random-20-5", 2**20, 20, "graph.arcs: expected 5242880, as the name says, found 20"),
     ("random-3-5-4", 8, 41, "graph.arcs: expected 40, as the name says, found 41"),
     ("hub-3-5", 9, 47, "graph.vertices: expected 8, as the name says, found 9"),
     ("hub-3-5", 8, 39, "graph.arcs: expected from 40 to 47, as the name says, found 39"),
     ("hub-3-5", 8, 48, "graph.arcs: expected from 40 to 47, as the name says, found 48"),
     ("dense-7", 8, 42, "graph.vertices: expected 7, as the name says, found 8"),
     ("dense-7", 7, 41, "graph.arcs: expected 42, as the name says, found 41"),
     ("none", 0, 1, "graph.arcs: expected 0, as the name says, found 1"),
     ("random-99-5", 9, 45, "graph.vertices: expected 18446744073709551616, as the name says, found 9"),
     ("dense-" + 90 * "9", 9, 9, "graph.name: expected a data set or a graph such as random-14-5, found ")],
)  # fmt: skip
def test_a_graph_is_known_by_its_name(
    name: str, vertices: int, arcs: int, complaint: str, tmp_path: Path, call: Call
) -> None:
    path = tmp_path / f"machines/rtx/mine/{name}.jsonl"
    path.parent.mkdir(parents=True)
    line = called(name, vertices, arcs)
    path.write_text(json.dumps(line | ({} if vertices else {"source": None})) + "\n")
    done = call("check-machine", tmp_path / "machines/rtx")
    assert (done.status, f"error: {path}:1: {complaint}" in done.out) == (1, True), done.out


@pytest.mark.parametrize("way", BAD)
def test_a_bad_record_is_refused_by_name(way: str, tmp_path: Path, call: Call) -> None:
    change, complaint = BAD[way]
    folder = machine(tmp_path, change)
    done = call("check-machine", folder)
    assert done.status == 1
    told = [line for line in done.out.splitlines() if line.startswith("error: ")]
    assert f"error: {folder}/mine/random-14-5.jsonl:{complaint}" in told[0]
    assert len(set(told)) == len(told)
    faults = plural(len(told), "fault")
    assert done.err == f"error: {folder}: {faults}; no table has it; mend what is listed\n"


def test_a_fault_of_many_lines_of_a_file_is_one_line(tmp_path: Path, call: Call) -> None:
    changes = (put("software", "dirty", value=True, which=line) for line in (0, 1))
    folder = machine(tmp_path, each(*changes))
    done = call("check-machine", folder)
    (told,) = [line for line in done.out.splitlines() if "software.dirty" in line]
    assert told.startswith(f"error: {folder}/mine/random-14-5.jsonl:1: software.dirty: expected false")
    assert told.endswith(" (and in 1 more line)")
    assert done.err.startswith(f"error: {folder}: 2 faults; ")


def test_a_good_machine_is_accepted(tmp_path: Path, call: Call) -> None:
    folder = machine(tmp_path)
    done = call("check-machine", folder)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{folder}: records: 2, errors: 0, doubtful: 0\n"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [({"sha256": "7" * 64}, "graph.sha256: expected 5d34c7a7"), ({"arcs": 18}, "graph.arcs: expected 20"),
     ({"vertices": 7}, "graph.vertices: expected 6"), ({"edition": "mine"}, "graph.edition: expected retr")],
)  # fmt: skip
def test_a_graph_of_the_registry_is_that_one(
    changes: dict[str, Any], complaint: str, tmp_path: Path, call: Call
) -> None:
    path = tmp_path / "machines/rtx/mine/small-6.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(small()) + "\n")
    assert call("check-machine", tmp_path / "machines/rtx").status == 0
    path.write_text(json.dumps(small(**{"sha256": "8" * 64} | changes)) + "\n")
    done = call("check-machine", tmp_path / "machines/rtx")
    assert done.status == 1
    assert f"error: {path}:1: {complaint}" in done.out
    path.write_text(json.dumps(small(origin="stand-in", sha256="8" * 64)) + "\n")
    assert call("check-machine", tmp_path / "machines/rtx").status == 0


def test_a_graph_of_a_file_without_a_known_digest_says_what_was_trusted(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "machines/rtx/mine/NW.jsonl"
    path.parent.mkdir(parents=True)
    graph = {"name": "NW", "vertices": 1_207_945, "arcs": 2_840_208, "edition": "dimacs"}
    line = small(sha256="8" * 64)
    line["graph"] |= graph
    path.write_text(json.dumps(line) + "\n")
    told = f"error: {path}:1: graph.trusted_sha256: expected that of the file that was trusted, found null\n"
    assert told in call("check-machine", tmp_path / "machines/rtx").out
    line["graph"] |= {"trusted_sha256": "7" * 64}
    path.write_text(json.dumps(line) + "\n")
    assert call("check-machine", tmp_path / "machines/rtx").status == 0


def test_the_registry_is_the_configurations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    """What a run accepts, `check-machine` accepts: a data set may be in a registry of one's own."""
    registry = yaml.safe_load((PROJECT / "datasets.yaml").read_text())
    (tmp_path / "my-datasets.yaml").write_text(
        yaml.safe_dump({"mine": registry["small-6"] | {"origin": "own"}})
    )
    folder = machine(tmp_path, lambda lines: lines.__setitem__(slice(None), [called("mine", 6)]))
    config = project_keys() | {"datasets": ["datasets.yaml", str(tmp_path / "my-datasets.yaml")]}
    monkeypatch.setattr(machine_records, "project_configuration", lambda: load_configuration(config))
    told = call("check-machine", folder)
    assert "found neither" not in told.out
    assert "graph.sha256: expected " in told.out  # of the entry


def test_all_faults_are_listed(tmp_path: Path, call: Call) -> None:
    folder = machine(tmp_path, each(put("software", "dirty", value=True), put("solver", value="no", which=1)))
    (folder / "notes.txt").write_text("measured on a Sunday\n")
    printed = call("check-machine", folder).out
    for complaint in (
        "notes.txt: expected only records",
        "random-14-5.jsonl:1: software.dirty",
        ":2: solver",
    ):
        assert complaint in printed


def test_one_machine_has_one_gpu(tmp_path: Path, call: Call) -> None:
    more = [json.loads(one("bfs/bsp", source=source).model_dump_json()) for source in (1, 2)]
    printed = call("check-machine", machine(tmp_path, lambda lines: lines.extend(more))).out
    assert ":1: machine.gpu.name: GPU of rtx in 1 of the records, NVIDIA H200 in 2\n" in printed


def test_each_machine_has_a_gpu_of_its_own() -> None:
    found = [
        one("bfs/bsp", name, times, software=software("bfs/bsp").model_copy(update={"cuda": "13.0"}))
        for name, times in (("a", (9.0, 10.0, 11.0)), ("b", (8.0, 9.0, 10.0)))
    ]
    card = found[1].machine.gpu
    assert card is not None
    other = found[1].machine.model_copy(update={"gpu": card.model_copy(update={"name": "another"})})
    changes = {"machine": other, "started": "2026-02-01T12:00:00Z"}
    assert find_errors({"a:1": found[0], "b:1": found[1].model_copy(update=changes)}, {}) == []


def throttle(lines: list[Line]) -> None:
    lines[0]["trials"][1]["throttled"] = True


def load(value: float, which: int, others: float | None = None) -> Change:
    return lambda lines: [trial.update(load=value, others=others) for trial in lines[which]["trials"]]


def alike(lines: list[Line]) -> None:
    lines[1]["trials"] = [lines[1]["trials"][0]] * 3


def fail(lines: list[Line]) -> None:
    told = json.loads(
        without_answer("bfs/bsp", GRAPH, "failed", "no memory", machine="rtx").model_dump_json()
    )
    lines[0] |= {key: told[key] for key in ("status", "reason", "verified", "oracle", "digest", "trials")}


PUBLISHED = put("solver", value="bfs/block-queue-published")
LIBRARY = each(put("solver", value="bfs/cugraph"), put("parameters", value={}))
DOUBTFUL: dict[str, tuple[Change, str]] = {
    "several commits": (
        put("software", "git_commit", value="f" * 40, which=1),
        "2: software.git_commit: ffff",
    ),
    "throttled": (throttle, "1: trials: the GPU was throttled in 1 of 3"),
    "throttled a little": (draw_power, "1: trials: the GPU was throttled in 2 of 3, to 1860 MHz"),
    "busy": (load(2.1, 1), "2: trials: load 2.1, expected at most 2.0 on a quiet host"),
    "busy beside a GPU": (load(2.1, 0), "1: trials: load 2.1, expected at most 2.0 on a quiet host"),
    "busy now": (load(0, 0, 1.1), "1: trials: other processes on 1.1 cores, expected at most 1.0 on"),
    "all alike": (alike, "2: trials: all 3 took exactly 9.02 ms"),
    "a stand-in": (put("graph", "origin", value="stand-in"), "1: graph.origin: a stand-in"),
    "printed and wrong": (each(PUBLISHED, WRONG), "1: verified: the printed kernel gives a wrong answer"),
    "a library's and wrong": (each(LIBRARY, WRONG), "1: verified: the library gives a wrong answer"),
    "failed": (fail, "1: status: failed (no memory)"),
}  # fmt: skip


@pytest.mark.parametrize("way", DOUBTFUL)
def test_what_is_doubtful_is_said(way: str, tmp_path: Path, call: Call) -> None:
    change, complaint = DOUBTFUL[way]
    folder = machine(tmp_path, change)
    done = call("check-machine", folder)
    told, last = done.out.splitlines()
    assert told.startswith(f"doubtful: {folder}/mine/random-14-5.jsonl:{complaint}")
    assert (done.status, last) == (0, f"{folder}: records: 2, errors: 0, doubtful: 1")


def test_several_hosts_are_doubtful(tmp_path: Path, call: Call) -> None:
    """A machine may be measured on several computers of a kind, each file on one of them."""
    folder = machine(tmp_path, second_of("a" * 12))
    text = (folder / "mine/random-14-5.jsonl").read_text()
    (folder / "yours").mkdir()
    moved = text.replace("a" * 12, "b" * 12).replace('"mine"', '"yours"')
    (folder / "yours/random-14-5.jsonl").write_text(moved)
    done = call("check-machine", folder)
    assert done.status == 0
    assert (
        "yours/random-14-5.jsonl:1: machine.host: bbbbbbbbbbbb in 2 of the records, aaaaaaaaaaaa in 2\n"
        in done.out
    )


def relabel(folder: Path, change: Change) -> Path:
    """Write a committed file of the H200 as another machine's, altered."""
    committed = PROJECT / "results/machines/h200/table-3.4/small-9.jsonl"
    lines = [json.loads(line) for line in committed.read_text().splitlines()]
    change(lines)
    path = folder / "machines/rtx/table-3.4/small-9.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    found = (line | {"machine": line["machine"] | {"name": "rtx"}} for line in lines)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in found))
    return path


def another_run(lines: list[Line]) -> None:
    for number, line in enumerate(lines):
        line["started"] = f"2026-01-31T12:00:{number:02d}Z"


def another_host(lines: list[Line]) -> None:
    for line in lines:
        line["machine"]["host"] = "c" * 12


@pytest.mark.parametrize(
    ("change", "key"),
    [(lambda lines: None, "trials"), (each(another_host, another_run), "trials"), (slow_down, "started")],
)
def test_a_copy_of_another_machine_s_records_is_refused(
    change: Change, key: str, committed: Path, tmp_path: Path, call: Call
) -> None:
    path = relabel(tmp_path, change)
    done = call("check-machine", tmp_path / "machines/rtx")
    (told,) = [line for line in done.out.splitlines() if line.startswith("error: ")]
    assert told.startswith(
        f"error: {path}:1: {key}: expected a run of rtx, found that of h200 in {committed}/"
    )
    # several records may have the same start
    same = r"small-9.jsonl:1" if key == "trials" else r"[\w-]+.jsonl:\d+"
    assert re.search(rf"h200/table-3.4/{same}; measure it on rtx, or remove one of the two$", told)
    assert done.status == 1


@pytest.mark.usefixtures("committed")
def test_a_host_of_two_machines_is_doubtful(tmp_path: Path, call: Call) -> None:
    """Two configurations of a GPU have a name each (docs/adding-a-gpu.md)."""
    path = relabel(tmp_path, each(slow_down, another_run))
    done = call("check-machine", tmp_path / "machines/rtx")
    assert done.status == 0, done.out
    assert re.search(rf"doubtful: {path}:1: machine.host: \w{{12}} is the host of h200, too\n", done.out)
    relabel(tmp_path, each(slow_down, another_run, another_host))
    assert "machine.host" not in call("check-machine", tmp_path / "machines/rtx").out


def test_copies_enter_no_table(tmp_path: Path) -> None:
    """A run refuses them, too."""
    placed = {name: one("bfs/bsp", name) for name in "ab"}
    told = find_errors({f"{name}:1": record for name, record in placed.items()}, {})
    assert [line for line in told if "expected a run of" in line] == [
        "a:1: trials: expected a run of a, found that of b in b:1; measure it on a, or remove one of the two",
        "b:1: trials: expected a run of b, found that of a in a:1; measure it on b, or remove one of the two",
    ]


def test_a_deleted_record_is_missed(tmp_path: Path, call: Call) -> None:
    """What experiments.yaml lists should be in the file; it may also be newer than the record."""
    path = relabel(tmp_path, each(slow_down, another_run))
    lines = [json.loads(line) for line in path.read_text().splitlines()]

    def told(kept: list[Line]) -> str:
        path.write_text("".join(f"{json.dumps(line)}\n" for line in kept))
        done = call("check-machine", tmp_path / "machines/rtx")
        assert done.status == 0
        return "".join(line for line in done.out.splitlines() if ": solver: " in line)

    whole = told(lines)
    assert "stcon/bsp" not in whole
    first = next(line for line in lines if line["solver"] == "stcon/bsp")
    for kept in (
        [line for line in lines if line is not first],
        [line for line in lines if line["solver"] != "stcon/bsp"],
    ):
        missed = told(kept)
        assert missed.startswith(f"doubtful: {path}: solver: expected records of ")
        assert "stcon/bsp" in missed
        assert missed.endswith(", as experiments.yaml lists, found none; measure the file again")


def test_a_deleted_file_is_missed_and_a_graph_that_is_not_listed_is_doubtful(
    tmp_path: Path, call: Call
) -> None:
    folder = tmp_path / "machines/h200"
    shutil.copytree(PROJECT / "results/machines/h200/table-3.4", folder / "table-3.4")

    def told() -> list[str]:
        done = call("check-machine", folder)
        return [line for line in done.out.splitlines() if ": graph.name: " in line]

    assert told() == []
    (folder / "table-3.4/NY.jsonl").unlink()
    assert told() == [
        f"doubtful: {folder}/table-3.4: graph.name: expected files of NY, as experiments.yaml lists, "
        "found none; measure table-3.4 again"
    ]
    moved = [json.loads(line) for line in (folder / "table-3.4/small-9.jsonl").read_text().splitlines()]
    for line in moved:
        line["graph"] |= {"name": "random-14-5", "vertices": 2**14, "arcs": 5 * 2**14, "sha256": "8" * 64}
    (folder / "table-3.4/random-14-5.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in moved))
    assert told()[0] == (
        f"doubtful: {folder}/table-3.4/random-14-5.jsonl: graph.name: expected a graph that experiments.yaml "
        "lists for table-3.4, found random-14-5; list it or delete the file"
    )


def test_larger_graphs_are_missed_only_beside_others(tmp_path: Path) -> None:
    """They are measured with `scale: paper` alone."""
    listed = {"mine": Listed(["bfs/bsp"], ["random-3-5"], ["random-14-5", "random-15-5"])}
    for name, missing in {"random-3-5": "", "random-14-5": "random-3-5, random-15-5"}.items():
        path = tmp_path / f"machines/rtx/mine/{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(one("bfs/bsp", graph=graph_info(name)).model_dump_json() + "\n")
        _, _, doubts = examine(tmp_path / "machines/rtx", [], {}, listed)
        told = [line for line in doubts if "graph.name" in line]
        expected = f"expected files of {missing}, as experiments.yaml lists"
        assert [expected in line for line in told] == [True] * bool(missing)
        path.unlink()


def pair_alike(lines: list[Line]) -> None:
    lines[0]["trials"] = lines[0]["trials"][:2]
    lines[1]["trials"] = [lines[1]["trials"][0]] * 2


def last_as_long_by_another_clock(lines: list[Line]) -> None:
    outlast(lines, 1.00005)


@pytest.mark.parametrize(
    "change", [load(2.0, 1), load(9.0, 0, 1.0), pair_alike, last_as_long_by_another_clock]
)
def test_what_is_usual_is_not_doubtful(change: Change, tmp_path: Path, call: Call) -> None:
    assert "doubtful: 0" in call("check-machine", machine(tmp_path, change)).out


def test_solvers_that_may_end_early_are_not_too_fast(tmp_path: Path, call: Call) -> None:
    quick = {"upload": 1e-3, "solve": 1e-3, "download": 1e-3, "total": 3e-3}
    early = json.loads(one("stcon/bsp", parameters={"pair": "near", "target": 3}).model_dump_json())
    early["machine"]["gpu"]["name"], early["software"]["cuda"] = "GPU of rtx", "13.0"
    early["trials"] = [quick, quick | {"solve": 2e-3, "total": 4e-3}] * 20
    assert call("check-machine", machine(tmp_path, lambda lines: lines.append(early))).status == 0


@pytest.mark.parametrize(("solver", "too_fast"), [("bfs/bsp", True), ("stcon/bsp", False)])
def test_what_may_end_early_need_not_read_all_arcs(solver: str, too_fast: bool) -> None:
    quick = record(solver, "NW", (1.1e-3, 1.2e-3), backend="cuda", setup=1.0, copies=1.0)
    told = find_errors({"x:1": quick}, {})
    assert any("solve: expected at least 0.001136 ms, 2840208 arcs" in line for line in told) == too_fast


def test_what_is_no_folder_of_a_machine_is_refused(tmp_path: Path, call: Call) -> None:
    told = call("check-machine", tmp_path).refusal(1)
    assert told == f"error: {tmp_path}: expected a folder results/machines/<machine>\n"
    (tmp_path / "machines").mkdir()
    told = call("check-machine", tmp_path / "machines/none").refusal(1)
    assert "none: expected records, <experiment>/<graph>.jsonl, found none" in told


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize(
    "folder", sorted((PROJECT / "results/machines").glob("*")), ids=lambda path: path.name
)
def test_the_committed_machines_have_no_errors(folder: Path, call: Call) -> None:
    if folder.name != "local":
        done = call("check-machine", folder)
        assert done.status == 0, done.out


def test_what_fails_enters_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run refuses a record of another machine; its own may be of a tree with changes."""
    folder = machine(tmp_path, put("software", "dirty", value=True))
    config = {"machines": {"rtx": {"records": str(folder)}}, "backend": "emulator"}
    experiments = {"mine": {"solvers": ["bfs/bsp", "bfs/queue"], "graphs": ["random-14-5"]}}
    config |= {"machine": "mine", "experiments": experiments, "datasets": str(PROJECT / "datasets.yaml")}
    whole = project_keys() | config
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OneLineError, match=r"random-14-5.jsonl:1: software.dirty: expected false"):
        plan.make_plan(whole)
    machine(tmp_path)
    assert plan.make_plan(whole).records("mine")[0] == str(folder / "mine/random-14-5.jsonl")


def test_a_further_solve_is_no_faster_than_any_machine() -> None:
    """What pages show as resident has the bounds of a first solve."""
    one = record("bfs/gapbs", "NY")
    forged = [trial.model_copy(update={"again": 1e-5}) for trial in one.trials]
    errors = find_errors({"x:1": changed(one, trials=forged)}, {})
    assert any("trials[0].again: expected at least" in error for error in errors)
    sound = [trial.model_copy(update={"again": 1.0}) for trial in one.trials]
    assert not any(
        "again: expected" in error for error in find_errors({"x:1": changed(one, trials=sound)}, {})
    )


def test_a_benchmark_picks_its_sources_by_a_seed_of_its_own() -> None:
    named = {name: GRAPH.model_copy(update={"name": name}) for name in ("random-14-5", "kron-14", "kron-7x")}
    found = {name: with_sources(one("bfs/bsp", graph=graph)) for name, graph in named.items()}
    doubtful = [line.partition(":")[0] for line in _other_seeds(found, 20261121)]
    assert doubtful == ["random-14-5", "kron-7x"]
