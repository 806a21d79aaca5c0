from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

from command_line import PROJECT, refused
from cuda_device.errors import OneLineError
from fabricated import WRONG, changed, drawn, frame, graph_info, record, trial, without_answer
from retrace.records.record import Record, make_record, read_records, update_records, write_records
from retrace.records.statistics import Summary
from retrace.reports.frame import Entry, build


def test_what_is_written_is_read(tmp_path: Path) -> None:
    skipped = without_answer("bfs/bsp", "NY", "skipped", "no GPU", backend="cuda")
    records = [record("bfs/queue", "NY"), skipped]
    write_records(tmp_path / "h200" / "NY.jsonl", records)
    assert read_records([tmp_path / "h200" / "NY.jsonl"]) == records
    assert [path.name for path in (tmp_path / "h200").iterdir()] == ["NY.jsonl"]


@pytest.mark.parametrize(
    ("called", "release"),
    [("g++-real (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0", "g++ 13.3.0"),
     ("aarch64-linux-gnu-g++-12 (Debian 12.2.0-14) 12.2.0", "g++ 12.2.0"),
     ("c++ (GCC) 14.1.1 20240607 (Red Hat 14.1.1-5)", "g++ 14.1.1"),
     ("Debian clang version 14.0.6", "Debian clang version 14.0.6"), (None, None)],
)  # fmt: skip
def test_a_compiler_has_its_own_name(called: str | None, release: str | None) -> None:
    software = record("bfs/queue", "NY").software.model_copy(update={"compiler": called})
    assert software.compiler_release == release


def test_the_search_for_garbage_passes_over_what_was_read(tmp_path: Path) -> None:
    """To look through all committed records, again and again, takes a fifth of the time of planning a run."""
    write_records(tmp_path / "NY.jsonl", [record("bfs/queue", "NY")])
    gc.unfreeze()
    kept = read_records([tmp_path / "NY.jsonl"])
    assert gc.isenabled()
    assert not any(kept[0] is one for one in gc.get_objects())


def test_what_is_zero_or_false_is_written_and_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    known = {"round": 0, "throttled": False, "load": 0.0}
    one = record("bfs/queue", "NY", trials=[trial(1.0).model_copy(update=known)])
    write_records(tmp_path / "NY.jsonl", [one])
    line = json.loads((tmp_path / "NY.jsonl").read_text())
    assert {key: line["trials"][0][key] for key in known} == known
    assert "held_back" not in line["trials"][0]
    assert "peer" not in line["software"]
    assert (line["reason"], "energy" in line) == (None, False)


def test_lines_are_compact_and_stable(tmp_path: Path) -> None:
    one = record("bfs/queue", "NY", trials=[trial(1.23456789)])
    turned = {key: one.model_dump()[key] for key in reversed(list(one.model_dump()))}
    other = make_record("turned", **turned)
    write_records(tmp_path / "a.jsonl", [one])
    write_records(tmp_path / "b.jsonl", [other])
    text = (tmp_path / "a.jsonl").read_text()
    assert text == (tmp_path / "b.jsonl").read_text()
    assert text.startswith('{"schema_version":2,"experiment":"table-3.3",')
    assert '"total":1.234568' in text


BREAKS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda r: r.pop("graph"), "graph: required, but missing"),
    (lambda r: r.update(colour="red"), "colour: unknown key"),
    (lambda r: r.update(backend="abacus"), "backend: "),
    (lambda r: r["graph"].update(arcs=-1), r"graph\.arcs: "),
    (lambda r: r["trials"][0].update(total=-1), r"trials\[0\]\.total: "),
    (lambda r: r["graph"].update(arcs="9"), r"graph\.arcs: expected an integer, found '9'"),
    (lambda r: r["trials"][0].update(total=5), r"trials\[0\]\.total: expected upload"),
    (lambda r: r["trials"][0].update(total=float("nan")), r"trials\[0\]\.total: "),
    (lambda r: r.update(trials=[]), "trials: "),
    (lambda r: r.update(verified=None), "verified: "),
    (lambda r: r.update(oracle=None), "oracle: "),
    (lambda r: r.update(digest=None), "digest: "),
    (lambda r: r.update(verified=False), "reason: "),
    (lambda r: r.update(status="failed", verified=None), "reason: "),
    (lambda r: r.update(status="skipped", reason="no GPU"), "verified: "),
    (lambda r: r.update(solver="sssp/bsp"), "solver: "),
    (lambda r: r.update(solver="bfs/best"), "solver: no solver is called bfs/best"),
    (lambda r: r.update(backend="cuda"), "backend: bfs/queue runs on host, not on cuda"),
    (
        lambda r: r.update(solver="bfs/bsp", backend="cuda", machine={**r["machine"], "gpu": None}),
        r"machine\.gpu: expected the GPU that ran it, found null",
    ),
    (lambda r: r.update(digest="0" * 64), "digest: expected a sha256, found zeros"),
    (lambda r: r.update(source=264_346), "source: expected a vertex below 264346, found 264346"),
    (lambda r: r["graph"].update(arcs=10**400), r"graph\.arcs: "),
    (lambda r: r["graph"].update(seed=10**400), r"graph\.seed: "),
    (lambda r: r["graph"].update(name="x" * 5000), r"graph\.name: "),
    (lambda r: r["parameters"].update(parts=10**400), r"parameters\.parts"),
    (lambda r: r["machine"].update(memory_gib=float("inf")), r"machine\.memory_gib: "),
    (lambda r: r["machine"].update(memory_gib=-1.0), r"machine\.memory_gib: expected at least 0"),
    (lambda r: r["machine"].update(cores=10**400), r"machine\.cores: expected less than 2147483648, found"),
    (lambda r: r["trials"][0].update(solve=1e300), r"trials\[0\]\.solve: expected at most 1000000000000"),
    (
        lambda r: r.update(problem="limits", solver="limits/launch", backend="cuda"),
        "iterations: expected at least 1 where the status is ok",
    ),
    (lambda r: r.update(oracle=""), "oracle: expected at least 1 character"),
    (lambda r: r["parameters"].update(foo=1), "parameters: foo: bfs/queue has no such parameter; there are"),
    (lambda r: r["parameters"].update(parts=float("inf")), r"parameters\.parts"),
    (lambda r: r.update(observed={"x": float("inf")}), r"observed\.x"),
    (lambda r: r.update(started="yesterday"), "started: "),
    (lambda r: r.update(started="2026-01-31T12:00:00"), "started: expected a time zone"),
]


@pytest.mark.parametrize(("change", "told"), BREAKS)
def test_a_bad_line_is_named(tmp_path: Path, change: Callable[[dict[str, Any]], object], told: str) -> None:
    path = tmp_path / "NY.jsonl"
    write_records(path, [record("bfs/queue", "NY")])
    value = json.loads(path.read_text())
    change(value)
    path.write_text(path.read_text() + json.dumps(value) + "\n")
    assert re.search(rf"NY\.jsonl:2: {told}", refused(read_records, [path]))


@pytest.mark.parametrize(
    ("solver", "parameters", "told"),
    [("betweenness/networkit", {"threads": "abc"}, "threads: 'abc' is not an integer"),
     ("betweenness/networkit", {"threads": 2.5}, "threads: 2.5 is not an integer"),
     ("betweenness/networkit", {"threads": 10**18}, "threads is 1000000000000000000, expected from 0 to"),
     ("bfs/bsp", {"block_size": -7}, "block_size is -7, expected from 1 to 1024"),
     ("sssp/cluster", {"contracted": 1}, "contracted is 1, expected no or yes"),
     ("sssp/cluster", {"contracted": "x" * 999}, "contracted is xxxx"),
     ("bfs/bsp", {"pair": "near"}, "pair: bfs/bsp has no such parameter; there are block_size"),
     ("bfs/bsp", {"padded": "yes"}, "padded: bfs/bsp has no such parameter"),
     ("bfs/scipy", {"block_size": 64}, "block_size: bfs/scipy has no such parameter; there are sources"),
     ("stcon/two-queues", {"pair": 10**18}, "pair is 1000000000000000000, expected near or far or unreac"),
     ("stcon/two-queues", {"target": 264_346}, "target is 264346, expected at most 264345, for 264346"),
     ("stcon/two-queues", {"target": -1}, "target is -1, expected from 0"),
     ("betweenness/igraph", {"sources": 264_347}, "sources is 264347, expected at most 264346, for"),
     ("generate/tree-first", {"weight_low": "1"}, "weight_low: '1' is not an integer")],
)  # fmt: skip
def test_parameters_are_those_of_the_solver_and_the_query(
    tmp_path: Path, solver: str, parameters: dict[str, Any], told: str
) -> None:
    backend = "cuda" if solver.endswith(("bsp", "cluster")) else "host"
    one = record(solver, "NY", backend=backend, parameters=parameters)
    refusal = refused(write_records, tmp_path / "NY.jsonl", [one])
    assert f"NY.jsonl:1: parameters: {told}" in refusal
    assert len(refusal) < 500


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [('"backend":"host"', '"backend":"cuda","backend":"host"', "backend: given twice in an object"),
     ('"backend":"host"', '"backend" :"cuda","backend":"host"', "backend: given twice"),
     ('"backend":"host"', '"back\\u0065nd":"cuda","backend":"host"', "backend: given twice"),
     ('"gpu":{', '"gpu":{"driver":"1",', "driver: given twice"),
     ("Some CPU", "Some\\u001b[31m CPU", r"cpu: expected no control characters, found 'Some\x1b[31m CPU'"),
     ("Some CPU", "Some\x9b31m CPU", r"cpu: expected no control characters, found 'Some\x9b31m CPU'"),
     ('"memory_gib":8.0', '"memory_gib":1e999', "machine.memory_gib: "),
     ('"memory_gib":8.0', f'"memory_gib":{"1" * 5000}', "not JSON (number out of range"),
     ('"parameters":{}', '"parameters":' + "[" * 10**5 + "]" * 10**5, "not JSON (recursion limit")],
)  # fmt: skip
def test_a_line_that_can_be_read_in_two_ways_is_refused(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    path = tmp_path / "NY.jsonl"
    write_records(path, [record("bfs/queue", "NY")])
    text = path.read_text()
    path.write_text(text.replace(old, new))
    assert f"NY.jsonl:1: {told}" in refused(read_records, [path])
    # spaces, escapes and line separators inside a text are no reason to refuse
    for kept in (json.dumps(json.loads(text), indent=None), text.replace("Some CPU", '\\"a\\" : \u2028')):
        path.write_text(kept)
        assert len(read_records([path])) == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"machine": "local"}, "machine.name: expected h200, as the path says, found local"),
     ({"experiment": "mine"}, "experiment: expected table-3.3, as the path says, found mine"),
     ({"graph": "NW"}, "graph.name: expected NY, as the path says, found NW"),
     ({"times": (1.0,)}, "solver: a second record of bfs/queue; keep one")],
)  # fmt: skip
def test_a_record_is_of_what_its_path_names(tmp_path: Path, wrong: dict[str, Any], told: str) -> None:
    path = tmp_path / "machines/h200/table-3.3/NY.jsonl"
    one, other = record("bfs/queue", "NY"), record("bfs/queue", **{"graph": "NY"} | wrong)
    write_records(path, [one, other])
    assert refused(read_records, [path]) == f"{path}:2: {told}"
    write_records(tmp_path / "both.jsonl", [one, other])
    assert ("times" in wrong) == (told in str(read_or_refuse(tmp_path / "both.jsonl")))


def read_or_refuse(path: Path) -> list[Record] | OneLineError:
    try:
        return read_records([path])
    except OneLineError as error:
        return error


def test_records_that_contradict_others_are_named(tmp_path: Path) -> None:
    """Altered in any of the files, whatever the oracle is said to have found."""
    solvers = ("sssp/scipy", "sssp/igraph", "sssp/networkit")
    paths = [tmp_path / f"{solver[5:]}.jsonl" for solver in solvers]
    for altered, path in enumerate(paths):
        for change, key in (
            ({"digest": "2" * 64}, "digest"),
            ({"graph": graph_info("NY", arcs=733_845)}, "graph.arcs"),
        ):
            for number, (solver, file) in enumerate(zip(solvers, paths, strict=True)):
                write_records(
                    file, [record(solver, **{"graph": "NY"} | (change if number == altered else {}))]
                )
            likely = paths[0 if altered else 1]
            told = f"not that of 2 others, such as {likely}:1; delete the wrong file and measure it again"
            assert refused(read_records, paths) == f"{path}:1: {key}: {told}"
    others = [{"source": 1}, WRONG, {"graph": "NW"}]
    write_records(paths[0], [record("sssp/scipy", **{"graph": "NY", "digest": f"{number:064d}"} | other)
                             for number, other in enumerate(others, 1)])  # fmt: skip
    targets = [record("stcon/igraph", "NY", parameters={"target": n}, digest=f"{n}" * 64) for n in (1, 2)]
    write_records(tmp_path / "stcon.jsonl", targets)
    scores = [record("betweenness/igraph", "NY", digest=f"{n}" * 64, source=None) for n in (1, 2)]
    write_records(paths[1], scores[:1])
    write_records(paths[2], scores[1:])
    assert len(read_records([*paths, tmp_path / "stcon.jsonl"])) == 7


def test_the_committed_records_are_sound() -> None:
    paths = sorted((PROJECT / "results/machines/h200").glob("*/*.jsonl"))
    lines = [line for path in paths for line in path.read_text().splitlines()]
    assert len(read_records(paths)) == len(lines) >= 1665


def test_many_records_are_read_in_a_time_that_grows_with_their_number(tmp_path: Path) -> None:
    """60,000 took 102 s; they take 4 s on an idle machine."""
    seconds, line = [], record("bfs/queue", "NY").model_dump_json()
    for count in (250, 4_000):
        path = tmp_path / f"{count}.jsonl"
        lines = (line.replace('"source":0', f'"source":{number}') for number in range(count))
        path.write_text("\n".join(lines))
        begun = process_time()
        found = read_records([path])
        update_records(path, found)
        build(found)
        seconds.append(process_time() - begun)
    assert seconds[1] < 32 * seconds[0]  # 16, or 256 if each is compared with all


@pytest.mark.parametrize("content", [b"\n", b"{\n", b"[]\n", b"1\n", b'"text"\n', b"\xff\xfe\x00", None])
def test_what_is_no_record_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "NY.jsonl"
    if content is not None:
        path.write_bytes(content)
    place = "NY.jsonl:1: " if content and b"\n" in content else "NY.jsonl"
    assert place in refused(read_records, [path])


def test_a_bad_record_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "NY.jsonl"
    write_records(path, [record("bfs/queue", "NY")])
    before = path.read_text()
    with pytest.raises(OneLineError, match="trials"):
        write_records(path, [record("bfs/queue", "NY").model_copy(update={"trials": []})])
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_update_replaces_what_is_of_the_same_subject(tmp_path: Path) -> None:
    path = tmp_path / "NY.jsonl"
    near, far = (record("stcon/two-queues", "NY", parameters={"pair": pair}) for pair in ("near", "far"))
    update_records(path, [near, far])
    assert read_records([path]) == [near, far]
    again = changed(near, trials=[trial(1)], parameters={"pair": "near"})
    added = record("stcon/igraph", "NY", parameters={"pair": "near"})
    update_records(path, [again, added])
    assert read_records([path]) == [again, far, added]
    for other, what in (
        (record("bfs/queue", "NY"), "experiment table-3.4, not table-3.3"),
        (record("stcon/igraph", graph_info("NY", sha256="5" * 64)), "graph 000"),
        (record("stcon/igraph", "NY", machine="local"), "machine h200, not local"),
    ):
        with pytest.raises(OneLineError, match=rf"NY\.jsonl: holds records of {what}"):
            update_records(path, [other])
    assert read_records([path]) == [again, far, added]


def test_labels_never_call_a_substitute_by_the_name_alone() -> None:
    generated = graph_info("NW", weights="generated")
    assert record("sssp/bsp", "NY").label == "NY"
    assert record("sssp/bsp", generated).label == "NW (weights generated)"
    assert record("sssp/bsp", "random-14-5").label == "random-14-5"
    assert record("bfs/bsp", generated).label == record("stcon/bsp", generated).label == "NW"
    stand_in = graph_info("NY", origin="stand-in")
    assert record("sssp/bsp", stand_in).label == "NY (stand-in)"
    assert drawn("bfs/queue", "NY").label == "NY, 64 sources"
    assert drawn("bfs/queue", stand_in).label == "NY, 64 sources (stand-in)"
    assert drawn("stcon/bsp", "NY").label == "NY, 64 pairs"


def entry(one: Record) -> Entry:
    found, _ = frame([one], "hong-bfs")
    return found.entries[0]


summary = partial(Summary, trials=())


def test_phases_are_summarised() -> None:
    times = entry(record("bfs/queue", "NY", times=[4, 1, 2, 3, 5], setup=7)).times
    assert times["total"] == summary(5, 3, 2, 4, 1)
    assert times["setup"] == summary(3, 7, 7, 7, 7)
    assert "kernel" not in times
    assert entry(record("bfs/bsp", "NY", backend="cuda")).times["kernel"] == summary(3, 5, 4.75, 5.25, 4.5)
    shares = entry(record("bfs/queue", "NY", trials=[trial(1.0, upload=2.0, download=1.0)])).times
    assert shares["transfer"].median == 0.75


def test_no_verified_answer_no_time() -> None:
    assert not entry(record("bfs/queue", "NY", **WRONG)).times
    assert not entry(record("bfs/bsp", "NY", backend="emulator")).times
    assert not entry(without_answer("bfs/bsp", "NY", "failed", "out of memory")).times


def test_quartiles_are_those_of_numpy() -> None:
    drawn = np.random.default_rng(1)
    for count in range(1, 13):
        for times in drawn.lognormal(0, 9, (50, count)):
            one = Summary.of(times.tolist())
            assert [one.q1, one.median, one.q3] == np.percentile(times, [25, 50, 75]).tolist()


def test_a_summary_in_other_units() -> None:
    assert Summary.of([2, 4], [8, 9, 40]).over(2) == summary(5, 4, 2, 4.5, 1)
    assert Summary.of([2, 4], [8, 9, 40]).over(2).trials == ((1, 2), (4, 4.5, 20))
    assert Summary.of([2, 2]).enough is False
    assert Summary.of([2, 2, 2]).enough
    assert Summary.of([1000.0, 3000.0]).enough
    assert not Summary.of([999.0, 3000.0]).enough
    assert not Summary.of([0, 0, 0]).enough
