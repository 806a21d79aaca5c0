"""One altered number in any solver's answer is found and named, and its times are shown nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Patch
from cuda_on_cpu.device import EmulatedDevice
from graphs import grid, identified
from retrace.measure.experiment import as_record
from retrace.measure.trials import Effort
from retrace.records.record import write_records
from retrace.reports.frame import read_frame
from retrace.solvers import REGISTRY
from solving import measure

GRID = identified(grid(6, 5), "grid", source=0, pairs={"far": [0, 29]})
LIBRARIES = ("scipy", "igraph", "networkit")
DISTANCES_ALONE = (
    "sssp/dijkstra-linear", "sssp/dijkstra-heap", "sssp/bsp", "sssp/gapbs", "sssp/workfront-sweep",
    "sssp/edge-classes", "sssp/delta-stepping",
)  # fmt: skip
TREES = [
    f"{name}:predecessors=yes" if "predecessors" in REGISTRY.find(name).settings else name
    for name in REGISTRY.solvers
    if "predecessors" in REGISTRY.find(name).settings
    or (
        name.startswith(("bfs/", "sssp/"))
        and name.split("/")[1] not in LIBRARIES
        and name not in DISTANCES_ALONE
    )
]


def altered(answer: Any, vertex: int) -> Any:
    """Change the number of a vertex; an ST-connectivity search answers with one."""
    changed = np.array(answer)
    changed[min(vertex, len(changed) - 1)] += 1
    return changed


def fault(name: str, folder: Path, provenance: dict[str, Any]) -> str:
    """Measure a solver, whose answer is wrong; return what is said of it."""
    (case,) = measure("mine", GRID, [name], Effort(trials=2, budget_s=60), ("emulator", EmulatedDevice))
    record = as_record("mine", GRID.info, case, provenance)
    assert (record.status, record.verified, len(record.trials)) == ("ok", False, 1)
    write_records(folder / "r.jsonl", [record])
    _, frame = read_frame(None, [folder / "r.jsonl"])
    assert [entry.times for entry in frame.measured] == [{}]
    return str(case.reason)


@pytest.mark.parametrize("name", REGISTRY.solvers)
def test_an_altered_answer_is_found(
    name: str, monkeypatch: Patch, tmp_path: Path, provenance: dict[str, Any]
) -> None:
    kind = REGISTRY.find(name)
    whole = kind.download
    monkeypatch.setattr(kind, "apart", False)  # another process would have the class as it was
    monkeypatch.setattr(kind, "download", lambda solver: altered(whole(solver), 7))
    said = fault(name, tmp_path, provenance)
    assert said.startswith("trial 1: vertex 7" if "stcon" not in name else "trial 1: ")


@pytest.mark.parametrize("name", TREES)
def test_an_altered_predecessor_is_found(
    name: str, monkeypatch: Patch, tmp_path: Path, provenance: dict[str, Any]
) -> None:
    kind = REGISTRY.find(name)
    whole = kind.predecessors
    monkeypatch.setattr(kind, "apart", False)
    monkeypatch.setattr(kind, "predecessors", lambda solver: altered(whole(solver), 20))
    assert "vertex 20" in fault(name, tmp_path, provenance)
