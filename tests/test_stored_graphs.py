"""Stored graphs that were altered, damaged or made up: none is measured, searched or waited for."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Call, refused
from graphs import graph
from retrace.graphs import csr, dense
from retrace.graphs.csr import ARRAYS, CSRGraph
from retrace.graphs.identity import SEAL
from retrace.records.record import read_records

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
    """The one line with which measure.py refuses a graph; it leaves no records."""
    asked = ("--experiment", "table-3.5", "--backend", "emulator", "--trials", 1, "--solvers", solver)
    told = script("measure.py", *asked, "--graphs", folder, "--output", folder).refusal(1)
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
    assert told.endswith("; delete it and write it again, by get_graph.py or `retrace convert`\n")


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
    assert refused(csr.stored_info, folder).startswith(
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
    with pytest.raises(ValueError, match=r"graph.json: source: expected ids below 4, found 9"):
        csr.save(square(source=9), tmp_path / "square")
    assert not list(tmp_path.iterdir())


def test_a_record_says_what_was_trusted_on_first_use(tmp_path: Path, script: Call) -> None:
    asked = ("--experiment", "table-3.5", "--backend", "emulator", "--trials", 1, "--solvers", "bfs/queue")
    for trusted in ({}, {"trusted_sha256": "7" * 64}):
        csr.save(square(**trusted), tmp_path / "square")
        paths = ("--graphs", tmp_path / "square", "--output", tmp_path)
        assert script("measure.py", *asked, *paths).status == 0
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
