"""Betweenness on a device: each variant against exact fractions, by any schedule and in both precisions."""

from __future__ import annotations

import weakref
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from cuda_device.compiled_files import build_host
from cuda_device.errors import OneLineError, TooLargeError
from cuda_device.interface import MAX_THREADS, Device
from cuda_on_cpu.device import EmulatedDevice
from exact_betweenness import exact_scores
from graphs import NAMED, diamonds, graph, grid, identified, random_graphs
from retrace.check.checkers import checker_of
from retrace.devices import host
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.measure.experiment import as_record
from retrace.measure.trials import Effort
from retrace.records.record import read_records, write_records
from retrace.solvers import REGISTRY, DeviceSolver, Query, make
from retrace.solvers.betweenness import block_per_source
from retrace.solvers.betweenness.block_per_source import Brandes, Round
from retrace.system.project import KERNELS
from schedules import examples
from solving import DEVICES, cases, measure, open_device, solved

pytestmark = pytest.mark.usefixtures("kept_context")

VARIANTS = [kind for kind in REGISTRY.of_problem("betweenness") if issubclass(kind, DeviceSolver)]
CASES = cases(kind.name for kind in VARIANTS)
SEED = 1
"""A schedule like any other; with seeds throughout, each kernel is compiled once."""
OVERFLOWING = [
    case
    for case in CASES
    if str(case.values[0]).endswith(("/vert", "/edge", "queue", "levels", "lanes", "queues"))
]
"""A variant for each way in which path counts are added up, and reported."""
TOLERANCE = {"double": 1e-12, "float": 1e-4}

GRAPHS = {
    "empty": graph(0, []),
    "two vertices": graph(2, [(0, 1, 1)], directed=False),
    "path": graph(9, [(u, u + 1, 1) for u in range(8)], directed=False),
    "hub": graph(
        80, [(0, leaf, 1) for leaf in range(1, 70)] + [(u, u + 1, 1) for u in range(30, 79)], directed=False),
    "triangles": graph(  # a strip of them with a tail: side vertices, and trees that hang on what is left
        9, [(0, 1, 1), (0, 2, 1), (1, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1), (2, 4, 1), (4, 5, 1), (5, 6, 1),
            (5, 7, 1), (6, 7, 1), (7, 8, 1)], directed=False),
    **{name: NAMED[name] for name in ("one-way path", "complete", "two components", "self-loops",
                                      "parallel arcs", "one vertex", "no arcs")},
}  # fmt: skip


def with_settings(name: str, **chosen: int | str) -> str:
    """Write a solver's name with those of some settings that it has; the emulator likes few threads."""
    chosen = {"block_size": 32, "blocks": 2, "mdeg": 2, "take": "vert-comp-virt", **chosen}
    there = REGISTRY.find(name).defaults
    given = [f"{key}={value}" for key, value in chosen.items() if key in there]
    return f"{name}{',' if ':' in name else ':'}" + ",".join(given)


def solve(spec: str, device: Device, whole: CSRGraph, query: Query) -> np.ndarray:
    with device:
        return solved(spec, whole, query, device).download()


@cache
def exact(which: str) -> np.ndarray:
    return exact_scores(GRAPHS[which])


@pytest.mark.long
@pytest.mark.parametrize(("name", "backend"), CASES)
@pytest.mark.parametrize("precision", ["double", "float"])
def test_scores_of_small_graphs(name: str, backend: str, precision: str) -> None:
    for which, whole in GRAPHS.items():
        spec = with_settings(name, precision=precision, blocks=2 * (precision == "double"))
        found = solve(spec, open_device(backend, SEED), whole, Query())
        assert found.dtype == np.float64
        assert_allclose(found, exact(which), rtol=TOLERANCE[precision], err_msg=which)


@pytest.mark.parametrize(("name", "backend"), CASES)
@given(whole=random_graphs(most_vertices=12), data=st.data(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(15), deadline=None)
def test_scores_of_samples(name: str, backend: str, whole: CSRGraph, data: st.DataObject, seed: int) -> None:
    vertex = st.integers(0, whole.vertices - 1)
    query = Query(sources=data.draw(st.none() | st.lists(vertex, unique=True).map(tuple)))
    lanes, registers = data.draw(st.sampled_from([(32, 32), (32, 64), (64, 32), (64, 64), (128, 64)]))
    spec = with_settings(
        name,
        precision=data.draw(st.sampled_from(["double", "float"])),
        blocks=data.draw(st.integers(0, 3)),
        batch=data.draw(st.integers(0, 3)),
        streams=data.draw(st.integers(0, 2)),
        mdeg=data.draw(st.integers(1, 5)),
        take=data.draw(st.sampled_from(["vert-comp-virt", "bitmap-queue", "cluster", "lane-queues"])),
        lanes=lanes,
        registers=registers,
        filter_kib=data.draw(st.sampled_from(["0", "1", "32"])),
        few=data.draw(st.sampled_from([0, 2, 1000])),
        hubs=data.draw(st.integers(1, 3)),
        bitmap_kib=data.draw(st.integers(0, 1)),
        sweep=data.draw(st.sampled_from([0, 3, 999999999])),
        sparse=data.draw(st.sampled_from([0, 3, 1000])),
        hub=data.draw(st.sampled_from([0, 1, 5, 4096])),
        cluster=data.draw(st.sampled_from([0, 1, 3, 16])),
        compacted=data.draw(st.sampled_from(["no", "yes"])),
        renumbered=data.draw(st.sampled_from(["no", "yes"])),
        block_size=data.draw(
            st.sampled_from(
                [32, 64]
                if "/lane" in name or name.endswith(("auto", "gpu", "arcs", "frontier", "cluster"))
                else [1, 7, 40]
            )
        ),
    )
    found = solve(spec, open_device(backend, seed), whole, query)
    tolerance = TOLERANCE["float" if "precision=float" in spec else "double"]
    assert_allclose(found, exact_scores(whole, query.sources), rtol=tolerance, atol=1e-12)


@pytest.mark.parametrize(("name", "backend"), OVERFLOWING)
def test_too_many_paths_are_reported(name: str, backend: str) -> None:
    query = Query(sources=(200, 0))
    just_fits, too_long = diamonds(126), diamonds(127)
    found = solve(with_settings(name, precision="float"), open_device(backend), just_fits, query)
    assert_allclose(found, exact_scores(just_fits, query.sources), rtol=1e-4)
    with pytest.raises(OneLineError, match=r"vertex 0 .*a float and its inverse hold"):
        solve(with_settings(name, precision="float"), open_device(backend), too_long, query)
    found = solve(with_settings(name, precision="double"), open_device(backend), too_long, query)
    assert_allclose(found, exact_scores(too_long, query.sources), rtol=1e-12)


def test_too_many_paths_from_a_vertex_that_was_taken_away() -> None:
    chain = diamonds(127)
    leaf = chain.vertices
    tails, heads = np.append(chain.tails(), (leaf, 0)), np.append(chain.indices, (0, leaf))
    whole = from_arcs(leaf + 1, tails, heads, None, chain.info)
    spec, query = with_settings("betweenness/vert-comp", precision="float"), Query(sources=(leaf,))
    told = r"from vertex 0 \(ids from 0\), or one that hangs on it, .*; use precision=double, "
    with pytest.raises(OneLineError, match=told):
        solve(spec, open_device("emulator"), whole, query)


def test_more_arcs_than_are_counted_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert block_per_source.ARC_LIMIT + MAX_THREADS < 2**31  # what a thread adds to its index once too often
    monkeypatch.setattr(block_per_source, "ARC_LIMIT", 15)
    with EmulatedDevice() as device:
        make("betweenness/edge", device).setup(graph(9, [(u, u + 1, 1) for u in range(8)]))
        with pytest.raises(TooLargeError, match="betweenness/edge: 16 arcs, expected 15 at most"):
            make("betweenness/edge", device).setup(GRAPHS["path"])


@pytest.mark.parametrize("backend", DEVICES)
def test_too_many_paths_for_a_double(backend: str) -> None:
    spec, query = with_settings("betweenness/vert-queue"), Query(sources=(0,))
    with pytest.raises(OneLineError, match=r"vertex 0 .*a double and its inverse hold"):
        solve(spec, open_device(backend), diamonds(1023), query)


def test_blocks_follow_from_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    with EmulatedDevice() as device:
        monkeypatch.setattr(device, "resident_blocks", lambda block_size: 1000)
        solver = make("betweenness/vert", device)
        assert isinstance(solver, Brandes)
        solver.setup(NAMED["grid"])
        solver.upload(Query())
        assert solver.blocks == 391  # a block for each source is enough
        each = solver.block_bytes()
        assert each >= 391 * (8 + 8 + 4)
        monkeypatch.setattr(device, "free_memory", lambda: 20 * each)
        solver.upload(Query())
        assert solver.blocks == 19
        solver.parameters = {**solver.parameters, "blocks": 20}
        with pytest.raises(TooLargeError, match=r"blocks=20 needs .* GiB more .*; ask for blocks=19"):
            solver.upload(Query())
        monkeypatch.setattr(device, "free_memory", lambda: each // 2)
        solver.parameters = {**solver.parameters, "blocks": 0}
        with pytest.raises(TooLargeError, match=r"blocks=1 needs .*betweenness/levels"):
            solver.upload(Query())


def test_a_launch_for_each_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    for batch, launches in ((4, [(0, 4), (4, 8), (8, 9)]), (9, [(0, 9)]), (0, [(0, 9)])):
        with EmulatedDevice() as device:
            solver = make(f"betweenness/vert:batch={batch},block_size=32", device)
            assert isinstance(solver, Brandes)
            solver.setup(GRAPHS["path"])
            solver.upload(Query())
            launch, seen = solver.launch, list[tuple[int, int]]()

            def watched(part: Round, first: int, last: int, launch: Any = launch, seen: Any = seen) -> None:
                seen.append((first, last))
                launch(part, first, last)

            monkeypatch.setattr(solver, "launch", watched)
            assert solver.solve(Query()) == 9
            assert seen == launches
            assert_array_equal(solver.download(), exact("path"))


@pytest.mark.parametrize(
    ("kind", "settings"),
    [(kind, {}) for kind in VARIANTS]
    + [(kind, {"sums": "fixed"}) for kind in VARIANTS if "sums" in kind.settings],
)
def test_setup_loads_the_files_that_are_declared(
    kind: type[DeviceSolver], settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling is no part of what is timed, and a file that changes is measured again."""
    loaded: set[str] = set()

    def watched(source: Path) -> Path:
        loaded.add(str(source.relative_to(KERNELS)))
        return build_host(source)

    monkeypatch.setattr(host, "build_host", watched)
    host.loaded_library.cache_clear()
    with EmulatedDevice() as device:
        load, kernels = device.load, set[str]()
        monkeypatch.setattr(
            device, "load", lambda source, *macros: kernels.add(source) or load(source, *macros)
        )
        solver = make(with_settings(kind.name, **settings), device)
        solver.setup(GRAPHS["triangles"])
        assert kernels <= {kind.source, *kind.more_sources}
        assert loaded == {
            file
            for file in (kind.source, *kind.more_sources)
            if file.startswith(("host/", "retrace_today/host/"))
        }
        loaded.clear()
        solver.upload(Query())
        solver.solve(Query())
        solver.download()
    assert not loaded


def test_reductions_search_less() -> None:
    searched = {}
    with EmulatedDevice() as device:
        for name in ("vert", "vert-comp", "vert-comp2-virt-stride", "vert-side-virt-stride", "vert-prefix"):
            solver = solved(with_settings(f"betweenness/{name}"), GRAPHS["triangles"], Query(), device)
            searched[name] = solver.observed()
    sizes = [(found["searches"], found["searched_vertices"]) for found in searched.values()]
    assert sizes[:4] == [(9, 9), (8, 8), (7, 4), (9, 7)]
    assert {"prefix_device_ms", "prefix_host_ms"} <= set(searched["vert-prefix"])


@pytest.mark.parametrize(("precision", "bytes_each"), [("float", 12), ("double", 20)])
def test_the_memory_of_searches_follows_from_their_number(precision: str, bytes_each: int) -> None:
    found = {}
    with EmulatedDevice() as device:
        for name, blocks in (("levels", 1), ("vert", 2), ("vert", 6)):
            spec = with_settings(f"betweenness/{name}", blocks=blocks, precision=precision)
            solver = solved(spec, GRAPHS["hub"], Query(), device)
            found[name, blocks] = solver.observed()["workspace_bytes"]
    assert found["levels", 1] == 80 * bytes_each
    assert 80 * bytes_each <= found["vert", 2] / 2 < 80 * bytes_each + 256
    assert found["vert", 6] == 3 * found["vert", 2]


def test_records_hold_settings_and_what_was_observed(tmp_path: Path, provenance: dict[str, Any]) -> None:
    whole = replace(NAMED["complete"], weights=None)
    whole = identified(whole, "complete", sources={"count": 5, "seed": 1})
    spec = "betweenness/vert-comp-virt:blocks=2,block_size=32,precision=float"
    (case,) = measure("test", whole, [spec], Effort(trials=1, budget_s=60), ("emulator", EmulatedDevice))
    write_records(tmp_path / "complete.jsonl", [as_record("test", whole.info, case, provenance)])
    (record,) = read_records([tmp_path / "complete.jsonl"])
    assert (record.status, record.verified, record.reason) == ("ok", True, None)
    assert record.parameters["precision"] == "float"
    assert (record.parameters["mdeg"], record.parameters["sources"]) == (4, 5)
    assert (record.observed["blocks"], record.observed["searches"]) == (2, 5)
    assert record.observed["max_relative_error"] < 1e-4


def test_pinned_memory_is_freed_after_each_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the kernel reads, and the sources, also where a query sends less."""
    with EmulatedDevice() as device:
        allocated: list[weakref.ref[Any]] = []
        allocate = device.pinned

        def pinned(size: int, dtype: Any) -> Any:
            memory = allocate(size, dtype)
            allocated.append(weakref.ref(memory))
            return memory

        monkeypatch.setattr(device, "pinned", pinned)
        solver = make("betweenness/vert-comp:streams=2", device)
        solver.setup(small := grid(9, 7))
        checker = checker_of("betweenness", small)
        for number, query in enumerate((Query(), Query(sources=(0, 7)), Query()), 1):
            solver.upload(query)
            assert len(allocated) == 5 * number
            assert not any(memory() is not None for memory in allocated)
            solver.solve(query)
            assert checker.check(solver.name, query, solver.download()).verified
