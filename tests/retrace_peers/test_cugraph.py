"""cuGraph as a peer: what it is handed, what its answers become, and what is said without it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import cugraph_stand_in
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from command_line import Call, Patch
from cuda_device.errors import OneLineError, TooLargeError
from cuda_device.installed_driver import InstalledDriver, InstalledGpu
from cuda_on_cpu.device import EmulatedDevice
from driver_stand_in import make_driver
from exact_betweenness import exact_scores
from graphs import NAMED, graph, grid, identified, mixed_graph, random_graphs
from retrace.check.checkers import checker_of
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.measure.experiment import as_record
from retrace.measure.trials import Effort
from retrace.publish import tables
from retrace.records.record import Record
from retrace.reports import frame as frames
from retrace.solvers import REGISTRY, make, peer
from retrace_peers import cugraph
from retrace_peers.scores import sums_of_sample
from schedules import examples
from solving import measure, solved

PROBLEMS = ("bfs", "sssp", "betweenness")
WAYS = [
    ("bfs", "predecessors=no"),
    ("bfs", "predecessors=yes"),
    ("bfs", "direction_optimizing=yes"),
    ("sssp", "weight_type=double"),
    ("betweenness", "precision=float"),
]
GRID = identified(grid(9, 7), "grid", source=0, pairs={"far": [0, 50]})


@pytest.fixture
def there(monkeypatch: Patch) -> None:
    """A machine with a GPU and cuGraph, or so it seems."""
    cugraph_stand_in.stand_in(monkeypatch)


def verify(spec: str, found: CSRGraph, query: Query) -> Any:
    solver = solved(spec, found, query)
    result = checker_of(spec.partition("/")[0], found).check(
        spec, query, solver.download(), solver.predecessors()
    )
    assert result.verified, f"{spec} from {query}: {result.reason}"
    assert result.oracle.endswith("of the tree") == (solver.predecessors() is not None)
    return solver


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(("problem", "setting"), WAYS)
def test_its_answers_are_those_of_the_oracle(problem: str, setting: str) -> None:
    for found in (*NAMED.values(), mixed_graph(90)):
        sources = (0,) if found.vertices == 1 else (found.vertices - 1, 0)
        query = Query(sources[0], sources=sources if problem == "betweenness" else None)
        verify(f"{problem}/cugraph:{setting}", found, query)


@pytest.mark.parametrize(("problem", "setting"), WAYS)
@given(found=random_graphs(30), data=st.data())
@settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_its_answers_on_any_graph(
    problem: str, setting: str, found: CSRGraph, data: st.DataObject, there: None
) -> None:
    vertex = st.integers(0, found.vertices - 1)
    sources = tuple(data.draw(st.sets(vertex, min_size=1))) if problem == "betweenness" else None
    verify(f"{problem}/cugraph:{setting}", found, Query(data.draw(vertex), sources=sources))


@pytest.mark.usefixtures("there")
def test_a_second_search_finds_its_source_again() -> None:
    """What cuGraph is handed, some versions renumber in place."""
    for spec in ("bfs/cugraph", "betweenness/cugraph"):
        query = Query(3, sources=(3, 5) if spec.startswith("betw") else None)
        solver = solved(spec, GRID, query)
        first = solver.download()
        solver.solve(query)
        assert_allclose(solver.download(), first, rtol=1e-6 if solver.name.startswith("betw") else 0)


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("directed", [True, False])
def test_scores_of_a_sample_are_not_scaled(directed: bool) -> None:
    some = np.random.default_rng(3).integers(0, 40, (70, 2))
    whole = graph(40, [(int(u), int(v), 1) for u, v in some], directed)
    for sources in [(5,), (0, 39, 7), tuple(range(39)), None]:
        found = solved("betweenness/cugraph", whole, Query(sources=sources)).download()
        assert_allclose(found, exact_scores(whole, sources), rtol=1e-5, atol=1e-5)


def test_many_sources_are_predicted_from_some(there: None, monkeypatch: Patch) -> None:
    asked: list[int] = []
    search = cugraph_stand_in.betweenness_centrality

    def noted(handle: Any, graph: Any, k: Any, **options: Any) -> Any:
        asked.append(len(set(k.get().tolist())))
        return search(handle, graph, k, **options)

    monkeypatch.setattr(sys.modules["pylibcugraph"], "betweenness_centrality", noted)
    path = graph(260, [(u, u + 1, 1) for u in range(259)], directed=False)
    solver = make("betweenness/cugraph")
    solver.setup(path)
    assert solver.predict_seconds(Query(sources=tuple(range(256)))) is None
    predicted = solver.predict_seconds(Query())
    assert predicted is not None
    assert predicted > 0
    assert asked == [256, 256]


def test_a_score_that_overflows_is_refused() -> None:
    scores = np.array([0.0, np.inf, np.nan])
    with pytest.raises(OneLineError, match=r"the score of vertex 1 .* is not a number"):
        sums_of_sample(scores, np.array([2], dtype=np.int32), "betweenness/cugraph")
    assert (
        sums_of_sample(scores[[0, 0, 2]], np.array([2], np.int32), "betweenness/cugraph").tolist() == [0] * 3
    )


@pytest.mark.usefixtures("there")
def test_single_precision_is_refused_where_it_is_not_exact() -> None:
    in_float = "sssp/cugraph:weight_type=float"
    largest = 2**24 - 1
    verify(in_float, graph(3, [(0, 1, 2**23), (1, 2, 2**23 - 1)]), Query(0))
    with pytest.raises(TooLargeError, match="the largest weight is 16777216, expected below 16777216"):
        solved(in_float, graph(2, [(0, 1, largest + 1)]), Query(0))
    too_far = graph(3, [(0, 1, largest), (1, 2, 1)])
    with pytest.raises(TooLargeError, match=r"the largest distance is 16777216, .* set weight_type=double"):
        solved(in_float, too_far, Query(0)).download()
    verify("sssp/cugraph", too_far, Query(0))
    solver = make("betweenness/cugraph:precision=double")
    assert solver.declines(Query()) == "cuGraph's scores are in single precision"


@pytest.mark.usefixtures("there")
def test_memory_comes_from_one_pool() -> None:
    pool = 8 << 30
    assert solved("bfs/cugraph", GRID, Query(0)).observed() == {"rmm_pool_bytes": pool}
    memory = sys.modules["rmm"].mr
    first = memory.current
    assert solved("sssp/cugraph", GRID, Query(0)).observed() == {"rmm_pool_bytes": pool}
    assert memory.current is first


def test_a_pool_leaves_half_of_little_memory(there: None, monkeypatch: Patch) -> None:
    monkeypatch.setattr(sys.modules["cupy"].cuda.runtime, "memGetInfo", lambda: (3000, 3000))
    assert solved("bfs/cugraph", GRID, Query(0)).observed() == {"rmm_pool_bytes": 1280}


def measured(solver: str, provenance: dict[str, Any]) -> Record:
    effort = Effort(trials=3, budget_s=60, setups=3)
    (case,) = measure("mine", GRID, [solver], effort, ("emulator", EmulatedDevice))
    return as_record("mine", GRID.info, case, provenance)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_record_has_its_setup_and_the_pool(problem: str, there: None, provenance: dict[str, Any]) -> None:
    record = measured(f"{problem}/cugraph", provenance)
    assert record.agreed
    assert str(record.software.peer).startswith("cuGraph")
    assert len(record.setup) == 3
    assert record.observed["rmm_pool_bytes"] == 8 << 30
    assert record.trials[0].again is not None


class Opened(EmulatedDevice):
    """A device that says it is a GPU."""

    backend = "cuda"

    def describe(self) -> dict[str, Any]:
        return {"name": "GPU", "compute_capability": "9.0", "memory_gib": 80.0, "driver": None}


@pytest.mark.parametrize("setups", [0, 2])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_on_a_gpu_its_setup_is_timed_on_the_device_of_all(
    problem: str, setups: int, there: None, provenance: dict[str, Any]
) -> None:
    (case,) = measure(
        "mine", GRID, [f"{problem}/cugraph"], Effort(trials=3, budget_s=60, setups=setups), ("cuda", Opened)
    )
    assert (case.status, case.request.backend) == ("ok", "cuda"), case.reason
    assert len(case.setups) == max(1, setups)
    assert case.gpu == Opened().describe()
    on_gpu = {**provenance, "machine": {**provenance["machine"], "gpu": case.gpu}}
    record = as_record("mine", GRID.info, case, on_gpu)
    assert (record.timed, record.cores, record.trials[0].kernel) == (True, None, None)
    page = tables.page(frames.build([record]), "mine", None)
    assert "cores" not in re.sub(r"\d+ cores?, \d+ GiB", "", " ".join(page.remarks))  # but for the host's


@pytest.mark.parametrize("problem", PROBLEMS)
def test_without_it_its_solvers_are_skipped(
    problem: str, provenance: dict[str, Any], monkeypatch: Patch
) -> None:
    monkeypatch.setattr(cugraph, "cuda_status", lambda: None)
    monkeypatch.setitem(sys.modules, "pylibcugraph", None)
    reason = "pylibcugraph is not installed; make peers installs it"
    monkeypatch.setattr(peer, "find_spec", lambda name: None)
    assert REGISTRY.find(f"{problem}/cugraph").unavailable() == reason
    monkeypatch.setattr(cugraph, "cuda_status", lambda: "no driver")
    assert REGISTRY.find(f"{problem}/cugraph").unavailable() == "cuGraph needs a GPU: no driver"
    record = measured(f"{problem}/cugraph", provenance)
    assert (record.status, record.reason, record.setup) == ("skipped", "cuGraph needs a GPU: no driver", [])
    assert (record.software.peer, record.cores) == ("cuGraph", None)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_table_says_that_it_is_skipped(
    problem: str, provenance: dict[str, Any], monkeypatch: Patch
) -> None:
    monkeypatch.setattr(cugraph, "cuda_status", lambda: "no driver")
    other = {"bfs": "bfs/queue", "sssp": "sssp/dijkstra-heap", "betweenness": "betweenness/seq-array"}[
        problem
    ]
    solver = f"{problem}/cugraph"
    page = tables.page(frames.build([measured(each, provenance) for each in (other, solver)]), "mine", None)
    told = " ".join(map(str, (*page.remarks, *page.notes)))
    assert f"{solver} (cuGraph needs a GPU: no driver)" in told or "cuGraph needs a GPU: no driver" in told


def test_the_command_line_says_why_it_cannot(tiny: Any, call: Call, monkeypatch: Patch) -> None:
    monkeypatch.setattr(cugraph, "cuda_status", lambda: "no driver")
    done = call("solve", "bfs/cugraph", tiny, "--source", 1)
    assert done.refusal(1) == "error: bfs/cugraph: cuGraph needs a GPU: no driver\n"


@pytest.mark.parametrize(
    ("cuda", "capability", "told"),
    [((12, 4), (8, 6), "cuGraph is for CUDA 13, which needs a driver from 580 on; here is the driver 550"),
     ((13, 0), (7, 0), "cuGraph needs compute capability 7.5 or newer; here is the Tesla V100 (7.0)"),
     ((13, 0), (7, 5), None)],
)  # fmt: skip
def test_an_old_driver_or_gpu_is_told_before_cugraph_is_got(
    cuda: tuple[int, int],
    capability: tuple[int, int],
    told: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpu = InstalledGpu("Tesla V100" if capability == (7, 0) else "A GPU", capability)
    driver = InstalledDriver(make_driver(tmp_path, cuda, [gpu]))
    monkeypatch.setattr(cugraph, "installed_driver", lambda: driver)
    monkeypatch.setattr(cugraph, "first_gpu", lambda: driver.gpus()[0])
    found = cugraph.why_no_cugraph()
    assert found is None if told is None else str(found).startswith(told)
