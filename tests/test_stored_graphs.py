"""Stored graphs that were altered, damaged or made up: none is measured, searched or waited for."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from command_line import Call, program_of, refused
from graphs import graph
from retrace.graphs import csr, dense, identity
from retrace.graphs.csr import ARRAYS, CSRGraph
from retrace.graphs.dataset_registry import load_registry
from retrace.graphs.generators import ROAD_WEIGHTS, random_weights
from retrace.graphs.identity import SEAL
from retrace.graphs.registered import require_registered
from retrace.records.record import read_records
from retrace.stages.get_graph import obtain

INFO: dict[str, Any] = {
    "name": "square", "origin": "generated", "edition": "test", "weights": "file", "seed": 7, "source": 0,
    "density": 2 / 3, "pairs": {"near": [0, 1], "far": [0, 3]}, "sources": {"count": 3, "seed": 7},
}  # fmt: skip


def square(**info: Any) -> CSRGraph:
    found = graph(4, [(0, 1, 5), (1, 2, 3), (2, 3, 9), (3, 0, 1)], directed=False)
    return replace(found, info={**found.info, **INFO, **info})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    csr.save(square(), tmp_path / "square")
    return tmp_path / "square"


@pytest.mark.parametrize("beside", [True, False])
def test_a_folder_of_something_else_is_never_replaced(beside: bool, folder: Path) -> None:
    """Not even beside a stored graph."""
    (folder / "letters").write_text("dear")
    if not beside:
        (folder / "graph.json").unlink()
    assert "is a folder with other content" in refused(csr.save, square(), folder)
    assert (folder / "letters").exists()
    command = [sys.executable, *program_of("get-graph"), "--graph", "small-6", "--output", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert (folder / "letters").exists()


@pytest.mark.parametrize("name", [".", ".."])
def test_a_graph_is_not_written_over_the_working_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert "expected the name of a folder" in refused(csr.save, square(), Path(name))


def written(folder: Path, **changes: Any) -> None:
    """Change `graph.json`; a new digest over it hides the change."""
    info = json.loads((folder / "graph.json").read_text()) | changes
    del info[SEAL]
    info[SEAL] = hashlib.sha256(json.dumps(info, sort_keys=True).encode()).hexdigest()
    (folder / "graph.json").write_text(json.dumps(info))


def made_up(folder: Path, **arrays: list[int]) -> None:
    """Replace arrays, and hide it: write the digest of the new ones."""
    whole = {name: np.load(folder / f"{name}.npy") for name in ARRAYS}
    sha = hashlib.sha256()
    for name, array in (
        whole | {name: np.array(values, np.int32) for name, values in arrays.items()}
    ).items():
        np.save(folder / f"{name}.npy", array)
        sha.update(f"{name} {len(array)}\n".encode() + array.tobytes())
    written(folder, sha256=sha.hexdigest())


def measured(script: Call, folder: Path, solver: str = "sssp/dijkstra-heap") -> str:
    """The one line with which measuring refuses a graph; it leaves no records."""
    asked = ("--experiment", "table-3.5", "--backend", "emulator", "--trials", 1, "--solvers", solver)
    told = script("measure-experiment", *asked, "--graphs", folder, "--output", folder).refusal(1)
    assert not list(folder.glob("*.jsonl"))
    return told


@pytest.mark.parametrize("array", ARRAYS)
def test_a_flipped_bit_is_not_measured(array: str, folder: Path, script: Call, call: Call) -> None:
    path = folder / f"{array}.npy"
    content = bytearray(path.read_bytes())
    content[-8] ^= 1
    path.write_bytes(content)
    assert f"{folder}: not a stored graph (" in measured(script, folder)
    assert "not a stored graph" in call("solve", "sssp/dijkstra-heap", folder, "--source", 0).refusal(1)


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [({"indices": [1, 3, 0, 2**30, 1, 3, 2, 0]}, "a head is outside the graph, expected ids from 0 to 3"),
     ({"indices": [1, 3, 0, -5, 1, 3, 2, 0]}, "a head is outside the graph"),
     ({"indptr": [0, 6, 2, 6, 8]}, "indptr falls"),
     ({"indptr": [0, 2**31 - 1, -(2**31), 6, 8]}, "indptr falls"),
     ({"indptr": [0, 2, 4, 8]}, "(vertices, arcs): expected (4, 8), as graph.json says, found (3, 8)"),
     ({"indptr": [0, 2, 4, 6, 9]}, "indptr must start at 0 and end at the number of arcs"),
     ({"weights": [5, 1, 5]}, "weights must have one entry per arc"),
     ({"weights": [5, 1, 5, -7, 3, 9, 9, 1]}, "a weight is negative, which only bellman-ford takes")],
)  # fmt: skip
def test_arrays_made_up_with_their_digest(
    arrays: dict[str, list[int]], complaint: str, folder: Path, script: Call
) -> None:
    made_up(folder, **arrays)
    assert complaint in measured(script, folder)


def test_bellman_ford_takes_negative_weights(folder: Path, call: Call) -> None:
    made_up(folder, indices=[1, 3, 2, 3, 3, 3, 3, 3], weights=[5, 1, 5, -7, 3, 9, 9, 1])
    assert call("solve", "bellman-ford/sequential", folder, "--source", 0).status == 0


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [({"source": 4}, "source: expected ids below 4, found 4"), ({"source": -1}, "expected at least 0"),
     ({"source": "0"}, "source: expected an integer, found '0'"), ({"source": 1e999}, "found inf"),
     ({"pairs": None}, "pairs: expected a value, found null"),
     ({"pairs": {"near": [0, 1], "far": [0, 9]}}, "pairs.far: expected ids below 4, found 9"),
     ({"pairs": {"near": [0, 1]}}, "pairs.far: required, but missing"),
     ({"sources": {"count": 5, "seed": 1}}, "sources.count: expected at most 4, found 5"),
     ({"vertices": 5}, "expected (5, 8), as graph.json says, found (4, 8)"), ({"arcs": 7}, "(4, 7)"),
     ({"name": "x" * 5000}, "name: expected"), ({"directed": 0}, "directed: expected true or false"),
     ({"sha256": None}, "either the digest of arrays, or null and why they are missing"),
     ({"sha256": "0" * 64}, f"expected {'0' * 64}"), ({"vertexes": 4}, "vertexes: unknown key")],
)  # fmt: skip
def test_an_identity_made_up(changes: dict[str, Any], complaint: str, folder: Path, script: Call) -> None:
    written(folder, **changes)
    told = measured(script, folder)
    assert complaint in told
    assert told.endswith(
        "; delete it and write it again, by `retrace stage get-graph` or `retrace convert`\n"
    )


@pytest.mark.parametrize("key", [*INFO, "directed", "vertices", "sha256"])
def test_an_altered_identity_is_found(key: str, folder: Path) -> None:
    old = json.loads((folder / "graph.json").read_text())
    other = {
        "sha256": "0" * 64,
        "origin": "snap",
        "pairs": {"near": [0, 2], "far": [0, 3]},
        "weights": "none",
    }
    kinds: dict[type, Callable[[Any], Any]] = {
        bool: lambda value: not value, int: lambda value: value + 1, str: lambda value: value + "x",
        float: lambda value: np.nextafter(value, 1), dict: lambda value: value | {"seed": 8},
    }  # fmt: skip
    new = other.get(key, kinds[type(old[key])](old[key]))
    (folder / "graph.json").write_text(json.dumps(old | {key: new}))
    assert refused(identity.stored_info, folder).startswith(
        f"{folder}: not a stored graph (graph.json was altered"
    )


def test_an_altered_complete_graph_is_found(tmp_path: Path) -> None:
    dense.save(dense.DenseGraph(9, 3), tmp_path / "d")
    before = (tmp_path / "d/graph.json").read_text()
    for key, value in (("arcs", 71), ("name", "other"), ("seed", 4), ("greatest_weight", 99)):
        (tmp_path / "d/graph.json").write_text(before)
        written(tmp_path / "d", **{key: value})
        assert "its seed and range of weights do not give its other values" in refused(
            dense.load, tmp_path / "d"
        )
    written(tmp_path / "d", edition="dense", weights="file", vertices=0)
    assert "expected" in refused(dense.load, tmp_path / "d")


def test_a_graph_stored_before_identities_had_digests(folder: Path) -> None:
    info = json.loads((folder / "graph.json").read_text())
    del info[SEAL]
    (folder / "graph.json").write_text(json.dumps(info))
    told = refused(csr.load, folder)
    assert "(graph.json: identity_sha256: required, but missing); delete it and write it again" in told


ODD_FILES: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: path.write_bytes(b""),
    "noise": lambda path: path.write_bytes(bytes(range(256))),
    "nested": lambda path: path.write_text("[" * 100_000),
    "deep header": lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\xff\x1f" + b"(" * 0x1FFF),
    "zip": lambda path: path.write_bytes(b"PK\x03\x04" + bytes(60)),
    "objects": lambda path: np.save(path, np.array([None, 1]), allow_pickle=True),
    "doubles": lambda path: np.save(path, np.zeros(8)),
    "big-endian": lambda path: np.save(path, np.zeros(8, ">i4")),
    "matrix": lambda path: np.save(path, np.zeros((2, 4), np.int32)),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "link": lambda path: (path.rename(path.with_name("moved")), path.symlink_to(path.with_name("moved"))),
    "folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("name", ["graph.json", "indptr.npy", "indices.npy", "weights.npy"])
@pytest.mark.parametrize("kind", ODD_FILES)
def test_odd_files_in_the_place_of_one(name: str, kind: str, folder: Path) -> None:
    place = folder / name
    saved = place.with_suffix(".npy") if kind in ("objects", "doubles", "big-endian", "matrix") else place
    ODD_FILES[kind](saved)
    if saved != place:
        saved.replace(place)
    assert refused(csr.load, folder).startswith(f"{folder}: not a stored graph (")


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    told = refused(csr.save, square(source=9), tmp_path / "square")
    why_not = "graph.json: source: expected ids below 4, found 9"
    assert told == f"{tmp_path}/square: no such graph can be stored ({why_not})"
    assert not list(tmp_path.iterdir())


def test_a_record_says_what_was_trusted_on_first_use(tmp_path: Path, script: Call) -> None:
    asked = ("--experiment", "table-3.5", "--backend", "emulator", "--trials", 1, "--solvers", "bfs/queue")
    for trusted in ({}, {"trusted_sha256": "7" * 64}):
        csr.save(square(**trusted), tmp_path / "square")
        paths = ("--graphs", tmp_path / "square", "--output", tmp_path)
        assert script("measure-experiment", *asked, *paths).status == 0
        (record,) = read_records([tmp_path / "square.jsonl"])
        assert record.graph.trusted_sha256 == trusted.get("trusted_sha256")
        assert ("trusted" in (tmp_path / "square.jsonl").read_text()) == bool(trusted)


def test_a_graph_as_large_as_new_york_is_checked_at_once(tmp_path: Path) -> None:
    random, vertices, arcs = np.random.default_rng(1), 264_346, 733_846
    tails, heads, weights = (random.integers(0, vertices, arcs) for _ in range(3))
    csr.save(csr.from_arcs(vertices, tails, heads, weights), tmp_path / "g")
    times = []
    for _ in range(5):
        began = time.perf_counter()
        csr.load(tmp_path / "g")
        times.append(time.perf_counter() - began)
    assert min(times) < 0.1


CONTENT = "5" * 64


def edition(**more: Any) -> dict[str, Any]:
    return {"name": "test", "format": "he", "file": "square.he", "sha256": CONTENT} | more


def registry(folder: Path, **more: Any) -> Path:
    """Write a registry in which `square` is the graph that `square()` makes."""
    rows = replace(square(), weights=None).digest()
    known = edition(arrays_sha256=square().digest(), unweighted_sha256=rows)
    entry = {
        "vertices": 4, "arcs": 8, "directed": False, "origin": "report", "licence": "MIT", "source": 0,
        "pairs": INFO["pairs"], "sources": 3, "editions": [known],
    }  # fmt: skip
    path = folder.parent / "registry.yaml"
    path.write_text(yaml.safe_dump({"square": entry | more}))
    return path


def test_a_graph_of_the_registry_is_measured(folder: Path, script: Call) -> None:
    written(folder, origin="report")
    known = registry(folder)
    asked = ("--experiment", "table-3.5", "--backend", "emulator", "--trials", 1, "--datasets", known)
    solvers = ("--solvers", "sssp/dijkstra-heap")
    assert script("measure-experiment", *asked, "--graphs", folder, "--output", folder, *solvers).status == 0
    folder.rename(folder.with_name("another"))  # of no data set's name, but the graph says it is one
    written(folder.with_name("another"), source=1)
    told = script(
        "measure-experiment", *asked, "--graphs", folder.with_name("another"), "--output", folder, *solvers
    )
    assert "not square of the registry (source: expected 0, found 1)" in told.refusal(1)


UNIFORM = {"weights": "uniform"}


@pytest.mark.parametrize(
    ("arrays", "changes", "entry", "complaint"),
    [({"weights": [5, 1, 5, 3, 3, 9, 9, 2]}, {}, {}, "sha256 of its arrays: expected "),
     ({"indices": [1, 3, 0, 2, 1, 3, 2, 1]}, {}, {}, "sha256 of its arrays: expected "),
     ({}, {"name": "circle"}, {}, "name: expected square, found circle"),
     ({}, {"origin": "generated"}, {}, "origin: expected report, found generated"),
     ({}, {"origin": "stand-in"}, {}, "origin: expected report, found stand-in"),
     ({}, {"edition": "mine"}, {}, "edition: expected test, found mine"),
     ({}, {"directed": True}, {}, "directed: expected False, found True"),
     ({}, {"source": 1}, {}, "source: expected 0, found 1"),
     ({}, {"pairs": {"near": [0, 1], "far": [0, 2]}}, {}, "pairs: expected "),
     ({}, {"sources": {"count": 2, "seed": 7}}, {}, "sources.count: expected 3, found 2"),
     ({}, {}, {"arcs": 6}, "arcs: expected 6, found 8"),
     ({}, {}, {"vertices": 5}, "vertices: expected 5, found 4"),
     ({}, {"weights": "unit"}, {}, "sha256 of its arrays: expected "),
     ({}, {"weights": "unit"}, {"weights": "unit"}, "weights: expected those that are unit for seed 7"),
     ({}, {}, UNIFORM, "weights: expected generated, found file"),
     ({}, {"weights": "generated"}, UNIFORM, "weights: expected those that are generated for seed 7"),
     ({}, {"weights": "generated", "seed": None}, UNIFORM, "weights: expected those of the file, or "),
     ({"indices": [1, 3, 0, 2, 1, 3, 2, 1]}, {"weights": "generated"}, UNIFORM, "sha256 of its arrays")],
)  # fmt: skip
def test_a_forged_graph_of_the_registry_is_not_measured(
    arrays: dict[str, Any], changes: dict[str, Any], entry: dict[str, Any], complaint: str, folder: Path
) -> None:
    """All digests beside the arrays are forged as well."""
    made_up(folder, **arrays)
    written(folder, **{"origin": "report"} | changes)
    known = load_registry([registry(folder, **entry)])
    told = refused(require_registered, csr.load(folder), folder, known, folder)
    assert told.startswith(f"{folder}: not square of the registry ({complaint}")
    assert "; delete it and write it again, by `retrace stage get-graph`" in told


def test_a_stand_in_of_the_registry_is_known_by_its_origin(folder: Path) -> None:
    made_up(folder, weights=[1] * 8)
    written(folder, origin="stand-in")
    known = registry(folder, stand_in="road")
    require_registered(csr.load(folder), folder, load_registry([known]), folder)


@pytest.mark.parametrize("kind", ["file", "unit"])
@pytest.mark.parametrize(
    ("arrays", "changes", "pin", "complaint"),
    [({}, {}, True, ""),
     ({"indices": [1, 3, 0, 2, 1, 3, 2, 1]}, {}, True, "sha256 of its arrays: expected "),
     ({}, {"trusted_sha256": "6" * 64}, True, f"trusted_sha256: expected {CONTENT}, found {'6' * 64}"),
     ({}, {"trusted_sha256": None}, True, f"trusted_sha256: expected {CONTENT}, found None"),
     ({}, {}, False, "trusted_sha256: expected three digests in {pin}, found "),
     ({}, {}, None, "trusted_sha256: expected three digests in {pin}, found ")],
)  # fmt: skip
def test_a_graph_of_a_file_that_was_trusted_is_compared_with_its_pin(
    arrays: dict[str, Any], changes: dict[str, Any], pin: bool | None, complaint: str, kind: str, folder: Path
) -> None:
    """The pin may be missing, or be one of those that had only the digest of the file."""
    more = {"weights": "unit"} if kind == "unit" else {}
    known = load_registry([registry(folder, editions=[edition(sha256=None)], **more)])
    path, whole = folder.parent / "square.he.pin", replace(square(), weights=None).digest()
    if pin is not None:
        path.write_text("\n".join([CONTENT, *([square().digest(), whole] if pin else [])]) + "\n")
    made_up(folder, **({"weights": [1] * 8} if kind == "unit" else {}) | arrays)
    told = {"origin": "report", "weights": kind, "trusted_sha256": CONTENT} | changes
    written(folder, **{key: value for key, value in told.items() if value is not None})
    if not complaint:
        require_registered(csr.load(folder), folder, known, folder.parent)
        return
    refusal = refused(require_registered, csr.load(folder), folder, known, folder.parent)
    assert refusal.startswith(f"{folder}: not square of the registry ({complaint.format(pin=path)}")


@pytest.mark.parametrize("kind", ["uniform", "unit"])
def test_weights_in_place_of_the_files_are_made_again(kind: str, folder: Path) -> None:
    found = square()
    weights = np.ones(8, np.int32)
    if kind == "uniform":
        weights = random_weights(found.tails(), found.indices, *ROAD_WEIGHTS, 7)
    told = {"origin": "report", "weights": "unit" if kind == "unit" else "generated"}
    csr.save(replace(square(**told), weights=weights), folder)
    require_registered(csr.load(folder), folder, load_registry([registry(folder, weights=kind)]), folder)


def test_the_project_graphs_are_those_of_the_registry(tmp_path: Path) -> None:
    known = load_registry(["datasets.yaml"])
    for name in ("small-6", "small-9"):
        csr.save(obtain(known[name], tmp_path, None, "fail", 1), tmp_path / name)
        require_registered(csr.load(tmp_path / name), tmp_path / name, known, tmp_path)
        made_up(tmp_path / name, weights=[2] * known[name].arcs)
        assert "sha256 of its arrays" in refused(
            require_registered, csr.load(tmp_path / name), tmp_path / name, known, tmp_path
        )
