"""Graphs of more arcs than 32-bit offsets count. Most tests lower that number, so that small ones are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from command_line import Call, Patch, refused
from cuda_device import memory
from cuda_device.errors import TooLargeError
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, identified
from retrace.check import oracles
from retrace.check.certificates import certify, certify_tree
from retrace.check.oracles import Oracle, search_bytes
from retrace.devices.host import c_graph, function_of, pointer
from retrace.graphs import csr, identity
from retrace.graphs.csr import CSRGraph
from retrace.graphs.generators import with_hub
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.random import RandomGraph, named
from retrace.measure.trials import Effort
from retrace.solvers import GENERATORS, REGISTRY, Query, find
from retrace.solvers.bfs import TRACE_BACK
from retrace.solvers.generate import generate
from solving import measure
from test_stored_graphs import written

LIMIT = 40
WIDE = [name for name, kind in REGISTRY.solvers.items() if kind.wide]
"""The solvers that take such graphs, if their package is there."""
LARGE = named("random-27-24", seed=1)


@pytest.fixture
def lowered(monkeypatch: Patch) -> None:
    monkeypatch.setattr(csr, "MOST_ARCS", LIMIT)


@contextmanager
def widened(found: CSRGraph) -> Iterator[CSRGraph]:
    """Give a graph 64-bit offsets, as long as the limit is lower than its arcs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csr, "MOST_ARCS", -1)
        yield replace(found, indptr=found.indptr.astype(np.int64))


@pytest.fixture
def stored(tmp_path: Path, script: Call, lowered: None) -> Path:
    """Generate a graph as the workflow does."""
    return generate_random(tmp_path / "random", script)


def generate_random(folder: Path, script: Call) -> Path:
    """Generate a graph of 1500 arcs by the program of the workflow."""
    asked = ("--vertices", 300, "--arcs-per-vertex", 5, "--seed", 3)
    assert script("generate-graph", "--name", "random", *asked, "--output", folder).status == 0
    return folder


# The graph: made, stored, loaded.


def test_it_is_the_graph_of_32_bit_offsets(stored: Path, monkeypatch: Patch) -> None:
    wide = csr.load(stored, wide=True)
    assert wide.indptr.dtype == np.int64
    assert wide.is_wide
    monkeypatch.undo()
    narrow = generate("generate/tree-first", RandomGraph(300, 1500, seed=3))
    assert narrow.indptr.dtype == np.int32
    for name in csr.ARRAYS:
        assert_array_equal(getattr(wide, name), getattr(narrow, name))
    assert wide.digest() != narrow.digest()
    assert wide.memory_bytes == narrow.memory_bytes + 4 * 301


@pytest.mark.parametrize(
    ("arcs", "width"), [(2**31 - 1, np.int32), (2**31, np.int64), (LARGE.arcs, np.int64)]
)
def test_the_limit_is_what_32_bits_hold(arcs: int, width: type) -> None:
    assert csr.offset_type(arcs) is width


def test_offsets_have_as_many_bits_as_the_arcs_need(lowered: None) -> None:
    ring = graph(LIMIT, [(u, (u + 1) % LIMIT, 1) for u in range(LIMIT)])
    assert not ring.is_wide
    longer = graph(LIMIT, [(u, (u + 1) % LIMIT, 1) for u in range(LIMIT)] + [(0, 2, 1)])
    assert longer.is_wide
    assert longer.reversed().is_wide
    assert with_hub(generate("generate/tree-first", RandomGraph(30, 30, seed=1)), (1, 9), 1).is_wide
    for found, width, expected in ((ring, np.int64, "int32"), (longer, np.int32, "int64")):
        with pytest.raises(TypeError, match=f"indptr must be a one-dimensional {expected} array"):
            replace(found, indptr=found.indptr.astype(width))


def test_arcs_in_blocks(lowered: None, monkeypatch: Patch) -> None:
    wide = generate("generate/tree-first", RandomGraph(300, 1500, seed=3))
    monkeypatch.setattr(csr, "ARCS_AT_A_TIME", 7)
    assert_array_equal(np.concatenate([tails for tails, _ in wide.blocks()]), wide.tails())


@pytest.mark.parametrize(
    ("change", "complaint"),
    [(lambda indptr: indptr + (np.arange(301) == 7) * 2**40, "indptr falls, expected rising numbers"),
     (lambda indptr: indptr - (np.arange(301) == 7) * 2**32, "indptr falls"),
     (lambda indptr: indptr + (np.arange(301) == 300) * 2**32, "indptr must start at 0 and end at "),
     (lambda indptr: indptr[:-2], "indptr must start at 0 and end at the number of arcs"),
     (lambda indptr: indptr.astype(np.int32), "indptr must be a one-dimensional int64 array, not int32"),
     (lambda indptr: indptr.astype(np.uint64), "indptr must be a one-dimensional int64 array, not uint64")],
)  # fmt: skip
def test_corrupt_offsets_are_refused(change, complaint: str, stored: Path) -> None:  # type: ignore[no-untyped-def]
    """The digests are forged as well."""
    whole = csr.load(stored, wide=True)
    changed, sha = change(whole.indptr), hashlib.sha256()
    for name, array in (("indptr", changed), ("indices", whole.indices), ("weights", whole.weights)):
        assert array is not None
        sha.update(f"{name} {len(array)}\n".encode() + array.tobytes())
    np.save(stored / "indptr.npy", changed)
    written(stored, sha256=sha.hexdigest())
    told = refused(csr.load, stored, wide=True)
    assert told.startswith(f"{stored}: not a stored graph ({complaint}")
    assert told.endswith("; delete it and write it again, by `retrace stage get-graph` or `retrace convert`")


def test_one_flipped_bit_is_found(stored: Path) -> None:
    content = bytearray((stored / "indptr.npy").read_bytes())
    content[-8 * 100] ^= 1
    (stored / "indptr.npy").write_bytes(content)
    assert "not a stored graph (" in refused(csr.load, stored, wide=True)


def test_a_limit_that_was_lowered_when_it_was_stored(stored: Path, monkeypatch: Patch) -> None:
    monkeypatch.undo()
    assert "indptr must be a one-dimensional int32 array, not int64" in refused(csr.load, stored)


# Who takes it.


def test_every_other_solver_declines(lowered: None) -> None:
    pairs = {"near": [0, 1], "far": [0, 2]}
    wide = identified(
        generate("generate/tree-first", RandomGraph(90, 300, seed=3)), "r", source=0, pairs=pairs
    )
    assert [name for name, kind in REGISTRY.solvers.items() if kind.exceeded_by(wide) is None] == WIDE
    takes = [name for name, kind in GENERATORS.solvers.items() if kind.exceeded_by(wide) is None]
    assert takes == ["generate/tree-first", "generate/tree-first-one-core"]
    for problem in {kind.problem for kind in REGISTRY.solvers.values()}:
        names = [name for name in REGISTRY.solvers if find(name).problem == problem and name not in WIDE]
        cases = measure("mine", wide, names, Effort(trials=1, budget_s=60), ("emulator", EmulatedDevice))
        assert {case.status for case in cases} == {"skipped"}
        takers = [name for name in WIDE if find(name).problem == problem]
        use = f"use {' or '.join(takers)}" if takers else f"no solver of {problem} takes more"
        assert {case.reason for case in cases} == {
            f"the graph has 300 arcs, expected at most {LIMIT} (32-bit offsets); {use}"
        }


def test_other_generators_decline() -> None:
    for name in ("generate/random-degree", "generate/tree-first-reallocating"):
        assert refused(generate, name, LARGE) == (
            "the graph has 3221225472 arcs, expected at most 2147483647 (32-bit offsets); "
            "use generate/tree-first or generate/tree-first-one-core"
        )


def test_a_generated_graph_is_checked(lowered: None) -> None:
    wanted = RandomGraph(300, 1500, seed=3)
    cases = measure(
        "mine",
        wanted,
        ["generate/tree-first", "generate/random-degree"],
        Effort(trials=1, budget_s=60),
        ("emulator", EmulatedDevice),
    )
    made, declined = cases
    assert made.result is not None
    assert made.result.verified, made.result.reason
    assert declined.status == "skipped"


def test_no_function_takes_offsets_of_another_width() -> None:
    told = "takes 32-bit offsets is called with 64-bit ones"
    with widened(NAMED["grid"]) as wide, pytest.raises(TypeError, match=told):
        c_graph(wide)


def test_other_commands_refuse_it(stored: Path, call: Call) -> None:
    told = (
        f"{stored}: the graph has 1500 arcs, expected at most {LIMIT} (32-bit offsets); bfs/auto, sssp/auto"
    )
    others = [("solve", "bfs/queue", stored, "--source", 0), ("convert", stored, stored.parent / "g.he")]
    others += [("solve", "betweenness/vert", stored)]
    for arguments in others:
        assert told in call(*arguments).refusal(1)


# Checks without SciPy.


def test_no_answer_of_scipy_is_asked_for_or_stored(monkeypatch: Patch) -> None:
    monkeypatch.setattr(oracles, "WORTH_KEEPING", 1)
    narrow = NAMED["grid"]
    assert Oracle(narrow).file_of(0, "bfs") is not None
    with widened(narrow) as wide:
        assert Oracle(wide).file_of(0, "bfs") is None
        assert search_bytes(wide) < search_bytes(narrow)


# Beyond the real limit.

BEYOND = 2**31 + 5


def beyond(found: CSRGraph, zeros: NDArray[np.int32]) -> CSRGraph:
    """Put a vertex before a graph, not reached, whose untouched arcs fill 32-bit offsets."""
    zeros[BEYOND:] = found.indices + 1
    indptr = np.concatenate(([0], found.indptr.astype(np.int64) + BEYOND))
    return CSRGraph(indptr, zeros, None, found.info)


def test_offsets_of_64_bits_in_checks_and_predecessors() -> None:
    found = NAMED["grid"]
    try:
        large = beyond(found, np.zeros(BEYOND + found.arcs, np.int32))
    except MemoryError:
        pytest.skip("the system promises no memory that it lacks")
    levels = Oracle(found).expected("bfs", Query(0))
    answer = np.concatenate(([np.int32(UNREACHABLE)], levels))
    predecessor = np.empty_like(answer)
    function_of(large, TRACE_BACK, "trace_back")(pointer(answer), pointer(predecessor))
    expected = np.empty_like(levels)
    function_of(found, TRACE_BACK, "trace_back")(pointer(levels), pointer(expected))
    assert_array_equal(predecessor[1:], np.where(expected < 0, -1, expected + 1))
    assert certify(large, None, 1, answer) is None
    assert certify_tree(large, 1, answer, predecessor) is None
    answer[-1] += 1
    assert f"vertex {len(levels)} has {answer[-1]}, but" in str(certify(large, None, 1, answer))


def test_memory_is_compared_before_anything_is_made(monkeypatch: Patch, tmp_path: Path, script: Call) -> None:
    """The graph of 2^27 vertices takes 25.0 GiB; its arcs, page-locked, 12.0 for BFS."""
    assert LARGE.memory_bytes == 8 * (2**27 + 1) + 8 * LARGE.arcs
    monkeypatch.setattr(memory, "available", lambda: 20 * 2**30)
    with pytest.raises(TooLargeError, match=r"needs 25\.0 GiB of memory, 20\.0 GiB are free"):
        generate("generate/tree-first", LARGE)
    asked = ("--vertices", 2**27, "--arcs-per-vertex", 24, "--output", tmp_path / "large")
    done = script("generate-graph", "--name", "random-27-24", *asked)
    assert done.err == "warning: random-27-24 is not made: needs 25.0 GiB of memory, 20.0 GiB are free\n"
    assert identity.stored_info(tmp_path / "large")["arcs"] == 3_221_225_472
    assert "the graph was not made: needs 25.0 GiB of memory" in refused(csr.load, tmp_path / "large")
