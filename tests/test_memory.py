"""What does not fit is skipped, with what it needs and what there is as the reason."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike

from command_line import Call, Patch
from cuda_device import memory
from cuda_device.errors import OneLineError
from cuda_device.interface import Buffer
from cuda_on_cpu.device import EmulatedDevice
from fabricated import frame
from graphs import NAMED, graph
from retrace.graphs import csr, identity
from retrace.graphs.csr import CSRGraph
from retrace.planning import plan
from retrace.publish import tables, verification
from retrace.publish.page import render
from retrace.records.record import Record, read_records
from retrace.solvers import REGISTRY, DeviceSolver, Query

GIB = 2**30


def test_words_for_a_lack() -> None:
    assert memory.shortage(5, 5, "memory") is None
    told = memory.shortage(5 * GIB // 2, 19 * GIB // 10, "device memory")
    assert told == "needs 2.5 GiB of device memory, 1.9 GiB are free"
    assert memory.shortage(6 * 2**20, 2**20, "disk") == "needs 6.0 MiB of disk, 1.0 MiB are free"


def test_a_control_group_has_less_than_the_system(tmp_path: Path, monkeypatch: Patch) -> None:
    assert memory.available() > 2**20
    proc, group = tmp_path / "proc", tmp_path / "groups/job"
    for folder in (proc / "self", group):
        folder.mkdir(parents=True)
    (proc / "meminfo").write_text("MemTotal: 9999999 kB\nMemFree: 10 kB\nMemAvailable:    8000000 kB\n")
    monkeypatch.setattr(memory, "PROC", proc)
    monkeypatch.setattr(memory, "CGROUPS", tmp_path / "groups")
    assert memory.available() == 8_000_000 * 1024
    (proc / "self/cgroup").write_text("0::/job\n")
    (group / "memory.current").write_text("700\n")
    (group / "memory.stat").write_text("anon 300\ninactive_file 200\n")
    for limit, left in (("max", 8_000_000 * 1024), ("1000", 500), ("400", 0)):
        (group / "memory.max").write_text(f"{limit}\n")
        assert memory.available() == left


class CountingDevice(EmulatedDevice):
    """Counts the bytes that are allocated: in all, now, and at most at a time."""

    allocated = now = most = 0

    def empty(self, size: int, dtype: DTypeLike) -> Buffer:
        buffer, taken = super().empty(size, dtype), size * np.dtype(dtype).itemsize
        self.allocated += taken
        self.now += taken
        self.most = max(self.most, self.now)
        weakref.finalize(buffer, self.release, taken)
        return buffer

    def release(self, taken: int) -> None:
        self.now -= taken


PREDICTED = [
    name
    for name, solver in REGISTRY.solvers.items()
    if issubclass(solver, DeviceSolver)
    and name != "sssp/thrust"  # which allocates by itself
    and not name.startswith("betweenness/")  # which take what is free
]


@pytest.mark.parametrize("name", PREDICTED)
@pytest.mark.parametrize("found", [NAMED["grid"], graph(150, [(u, u + 1, 1) for u in range(149)])])
def test_predicted_memory_is_what_is_allocated(name: str, found: CSRGraph) -> None:
    with CountingDevice() as device:
        solver: Any = REGISTRY.solvers[name](device)
        predicted = solver.memory_bytes(found)
        solver.setup(found)
        query = Query(0, 3)
        solver.upload(query)
        solver.solve(query)
        solver.download()
        assert predicted in range(device.allocated - 64, device.allocated + 1)  # flags and the like left out


BETWEENNESS = [kind.name for kind in REGISTRY.of_problem("betweenness") if issubclass(kind, DeviceSolver)]


@pytest.mark.parametrize("name", BETWEENNESS)
def test_a_second_pass_takes_no_more_memory(name: str) -> None:
    with CountingDevice() as device:
        solver: Any = REGISTRY.solvers[name](device)
        solver.setup(NAMED["grid"])
        solver.upload(Query(0, 3))
        once = device.most
        solver.upload(Query(0, 3))
        assert device.most == once


PATH = Path("resources/graphs/random-10-5")


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: Patch, script: Call) -> Callable[[], str]:
    """Have random-10-5 made in an empty folder; returns what is said of it."""
    monkeypatch.chdir(tmp_path)
    asked = ("--name", PATH.name, "--vertices", 1024, "--arcs-per-vertex", 5, "--output", PATH)
    return lambda: script("generate-graph", *asked).err


def measured(script: Call, *asked: object) -> list[Record]:
    solvers = ("--backend", "emulator", "--solvers", "sssp/mask-sequential", "sssp/standard")
    files = ("--graphs", PATH, "--output", ".")
    done = script("measure-experiment", "--experiment", "table-2", "--trials", 1, *asked, *files, *solvers)
    assert done.status == 0, done.err
    return read_records([Path(f"{PATH.name}.jsonl")])


def test_a_graph_too_large_is_skipped(generated: Callable[[], str], script: Call, monkeypatch: Patch) -> None:
    reason = "needs 44.0 KiB of memory, 1.0 KiB are free"
    with monkeypatch.context() as patch:
        patch.setattr(memory, "available", lambda: 1024)
        assert f"warning: random-10-5 is not made: {reason}" in generated()
    with pytest.raises(OneLineError, match=f"random-10-5: the graph was not made: {reason}"):
        csr.load(PATH)
    records = measured(script)
    assert [(record.status, record.reason) for record in records] == [("skipped", reason)] * 2
    assert records[0].graph.sha256 is None
    assert records[0].graph.arcs == 5120
    found, report = frame(records, "tuwien-sssp")
    assert f"skipped, {reason}" in render(tables.page(found, "table-2", report), "md")
    assert f"skipped: {reason}" in render(verification.page(found), "md")
    assert "missing" in plan.info_if_stored("random-10-5")
    assert "warning" not in generated()  # in the place of the other
    assert [record.status for record in measured(script)] == ["ok", "ok"]


def test_a_graph_too_large_for_the_disk(generated: Callable[[], str], monkeypatch: Patch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100))
    assert "of disk" in generated()
    assert "of disk" in identity.stored_info(PATH)["missing"]


@pytest.mark.parametrize("where", ["memory", "device"])
def test_a_solver_that_does_not_fit_is_skipped_before_anything_is_loaded(
    where: str, generated: Callable[[], str], script: Call, monkeypatch: Patch
) -> None:
    generated()
    monkeypatch.setattr(EmulatedDevice, "load", lambda *_: pytest.fail("a kernel was loaded"))
    if where == "device":
        asked = ["--memory-gib", str(5000 / GIB)]
        reasons = [None, "needs 61.0 KiB of memory, 4.9 KiB are free"]
    else:
        asked = []
        monkeypatch.setattr(memory, "available", lambda: 10000)
        reasons = ["needs 0.2 MiB of memory, 9.8 KiB are free"] * 2
    records = measured(script, *asked)
    assert [record.reason for record in records] == reasons
    assert [record.status for record in records] == ["skipped" if why else "ok" for why in reasons]
