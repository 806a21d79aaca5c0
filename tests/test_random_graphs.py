"""Both random-graph generators of tuwien-sssp: properties, limits, and the same graph everywhere."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from command_line import refused
from cuda_device.available_gpus import cuda_available
from cuda_device.cuda import CudaDevice
from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedDevice
from graphs import mixed
from retrace.check import generated
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs
from retrace.graphs.generators import with_hub
from retrace.graphs.graph_names import most_arcs, resolve_arcs
from retrace.graphs.random import RandomGraph
from retrace.solvers import GENERATORS, Query, make
from retrace.solvers.generate import Generator, RandomDegree, TreeFirst, generate
from solving import DEVICES, open_device

Words = NDArray[np.uint64]


def run(generator: Generator, wanted: RandomGraph) -> CSRGraph:
    generator.setup(wanted)
    generator.upload(Query())
    generator.solve(Query())
    return generator.download()


def tree_first(wanted: RandomGraph, threads: int = 2) -> CSRGraph:
    generator = make(f"generate/tree-first:threads={threads}")
    assert isinstance(generator, TreeFirst)
    return run(generator, wanted)


def random_degree(wanted: RandomGraph, **options: Any) -> CSRGraph:
    with EmulatedDevice(**options) as device:
        return run(RandomDegree(device), wanted)


MAKERS: dict[str, Callable[[RandomGraph], CSRGraph]]
MAKERS = {"tree-first": tree_first, "random-degree": random_degree}


@st.composite
def random_graphs(draw: st.DrawFn, connected: bool = False) -> RandomGraph:
    vertices = draw(st.integers(1, 60))
    least, most = vertices - 1 if connected else 0, most_arcs(vertices)
    sparse = st.integers(least, min(most, least + 5 * vertices))
    arcs = draw(st.one_of(sparse, st.integers(least, most), st.just(most)))
    low = draw(st.integers(0, 2**31 - 2))
    high = draw(st.one_of(st.just(low), st.integers(low, 2**31 - 2)))
    return RandomGraph(vertices, arcs, draw(st.integers(-(2**70), 2**70)), (low, high))


def check(graph: CSRGraph, wanted: RandomGraph) -> None:
    assert (graph.vertices, graph.arcs) == (wanted.vertices, wanted.arcs)
    assert graph.weights is not None
    assert graph.degrees().min() >= 0
    if wanted.arcs:
        assert wanted.weights[0] <= graph.weights.min()
        assert graph.weights.max() <= wanted.weights[1]
        assert graph.indices.min() >= 0
        assert graph.indices.max() < wanted.vertices
    tails = graph.tails().astype(np.int64)
    assert not (tails == graph.indices).any()
    assert len(np.unique(tails * wanted.vertices + graph.indices)) == wanted.arcs


def weak_components(graph: CSRGraph) -> int:
    matrix = csr_array((np.ones(graph.arcs), graph.indices, graph.indptr), shape=(graph.vertices,) * 2)
    return int(connected_components(matrix, connection="weak")[0])


@pytest.mark.parametrize("name", MAKERS)
@given(wanted=random_graphs(connected=True) | random_graphs(), arcs_at_a_time=st.integers(1, 100))
@example(wanted=RandomGraph(1, 0, 1), arcs_at_a_time=1)
@example(wanted=RandomGraph(2, 2, 1), arcs_at_a_time=1)
@settings(deadline=None)
def test_generators_keep_their_promises(name: str, wanted: RandomGraph, arcs_at_a_time: int) -> None:
    connected = name == "tree-first"
    assume(not connected or wanted.arcs >= wanted.vertices - 1)
    graph = MAKERS[name](wanted)
    check(graph, wanted)
    if connected:
        assert weak_components(graph) == 1
        assert all((np.diff(row) > 0).all() for row in np.split(graph.indices, graph.indptr[1:-1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csr, "ARCS_AT_A_TIME", arcs_at_a_time)
        verdict = generated.check_random_graph(graph, wanted, connected)
    assert verdict.verified, verdict.reason
    assert verdict.observed == {"components": weak_components(graph)}


def test_fewest_arcs_are_a_tree() -> None:
    graph = tree_first(RandomGraph(5000, 4999, seed=1))
    assert weak_components(graph) == 1
    upward = graph.tails() > graph.indices
    assert 2300 < np.count_nonzero(upward) < 2700  # of either direction


@pytest.mark.parametrize("threads", [1, 3, 16])
def test_threads_change_nothing(threads: int) -> None:
    wanted = RandomGraph(60_000, 300_000, seed=11)
    assert tree_first(wanted, threads).digest() == tree_first(wanted, 2).digest()


def test_reallocating_changes_nothing() -> None:
    for vertices, arcs in SIZES:
        wanted = RandomGraph(vertices, arcs, seed=11)
        found = generate("generate/tree-first-reallocating", wanted)
        assert found.digest() == tree_first(wanted).digest(), f"{vertices} vertices"


def test_a_hub_has_an_arc_to_every_other_vertex() -> None:
    wanted = RandomGraph(257, 4000, seed=3)
    without = tree_first(wanted)
    found = with_hub(without, wanted.weights, wanted.seed)
    begin, end = found.indptr[128:130]
    assert found.indices[begin:end].tolist() == [v for v in range(257) if v != 128]
    assert found.weights is not None
    assert (found.weights[begin:end].min(), found.weights[begin:end].max()) == (1, 100)
    both = [
        csr_array((one.weights, one.indices, one.indptr), shape=(257, 257)).toarray()
        for one in (without, found)
    ]
    assert np.array_equal(both[0][both[0] > 0], both[1][both[0] > 0])  # what was there
    assert np.flatnonzero((both[0] != both[1]).any(axis=1)).tolist() == [128]


def test_schedule_changes_nothing() -> None:
    wanted = RandomGraph(600, 3000, seed=11)
    for seed in range(3):
        assert random_degree(wanted, seed=seed).digest() == random_degree(wanted).digest()


@pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
def test_seeds_give_different_graphs(make: Any) -> None:
    digests = {make(RandomGraph(100, 500, seed)).digest() for seed in range(20)}
    assert len(digests) == 20
    assert make(RandomGraph(100, 500, 2**64 + 1)).digest() in digests  # 64 bits count


def test_a_seed_gives_the_same_graph_everywhere() -> None:
    """Records name these graphs by seed and sha256: a change here is a change of every such graph."""
    found = {name: make(RandomGraph(1000, 5000, seed=1)).digest()[:16] for name, make in MAKERS.items()}
    assert found == {"tree-first": "773d5977ccb10520", "random-degree": "e2759f9fec81b532"}


@pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
def test_arcs_and_weights_look_random(make: Any) -> None:
    """Degrees both ways spread as those of arcs drawn at random, and nothing prefers a vertex or a weight.

    But for the tree: a vertex can be the parent of later ones only, so that early ones have more children.
    """
    vertices = 40_000
    graph = make(RandomGraph(vertices, 10 * vertices, seed=5, weights=(1, 8)))
    assert graph.weights is not None
    for degrees in (graph.degrees(), np.bincount(graph.indices, minlength=vertices)):
        assert 0.95 < degrees.var() / degrees.mean() < 1.05  # Poisson: 1
        assert abs(np.corrcoef(np.arange(vertices), degrees)[0, 1]) < (0.2 if make is tree_first else 0.03)
        assert degrees.max() < 40
    if make is random_degree:
        apart = (graph.indices - graph.tails()) % vertices
        assert chi_squared(np.bincount(apart * 64 // vertices, minlength=64)) < 120  # 63 expected
    assert chi_squared(np.bincount(graph.weights - 1, minlength=8)) < 30
    tails, heads = graph.tails().astype(np.int64), graph.indices.astype(np.int64)
    both = np.intersect1d(tails * vertices + heads, heads * vertices + tails)
    assert 50 < len(both) < 170  # arcs with one back: 100 expected


def chi_squared(counts: NDArray[np.integer[Any]]) -> float:
    return float(((counts - counts.mean()) ** 2).sum() / counts.mean())


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [(lambda g: replace(g, weights=None), "no weights"),
     (lambda g: replace(g, weights=spoiled(g.weights, 3, 101)), "an arc with a weight outside 1 to 100"),
     (lambda g: replace(g, weights=spoiled(g.weights, 3, 0)), "an arc with a weight outside 1 to 100"),
     (lambda g: replace(g, indices=spoiled(g.indices, 3, 5)), "arc that leads out of the graph"),
     (lambda g: replace(g, indices=spoiled(g.indices, 3, -1)), "arc that leads out of the graph"),
     (lambda g: replace(g, indices=spoiled(g.indices, 3, g.tails()[3])), "has an arc to itself"),
     (lambda g: replace(g, indices=spoiled(g.indices, 1, g.indices[0])), "0 has two arcs to vertex 1"),
     (lambda g: replace(g, indices=spoiled(g.indices, 3, g.indices[0])), "0 has two arcs to vertex 1"),
     (lambda g: CSRGraph(np.minimum(g.indptr, 19), g.indices[:19], g.weights[:19]), "19 arcs instead"),
     (lambda g: replace(g, indptr=spoiled(g.indptr, 2, 1)), "vertex 1 has a negative number of arcs"),
     (lambda g: replace(g, indptr=spoiled(g.indptr, 1, 9)), "vertex 1 has a negative number of arcs"),
     (lambda g: CSRGraph(g.indptr[:-1], g.indices[:16], g.weights[:16]),
      "4 vertices and 16 arcs instead of 5 vertices and 20 arcs")],
)  # fmt: skip
def test_the_check_finds_what_is_wrong(spoil: Callable[[CSRGraph], CSRGraph], reason: str) -> None:
    wanted = RandomGraph(5, 20, seed=1)
    verdict = generated.check_random_graph(spoil(tree_first(wanted)), wanted, connected=True)
    assert not verdict.verified
    assert reason in str(verdict.reason)


@pytest.mark.parametrize("tail", [0, 1])
def test_an_arc_in_either_direction_connects(tail: int) -> None:
    arc = from_arcs(2, np.array([tail]), np.array([1 - tail]), np.ones(1, dtype=np.int32))
    wanted = RandomGraph(2, 1, seed=1, weights=(1, 1))
    assert generated.check_random_graph(arc, wanted, connected=True).verified


def test_another_graph_of_the_same_seed_is_wrong() -> None:
    wanted = RandomGraph(50, 200, seed=1)
    checker = generated.RandomGraphChecker(wanted)
    for seed in (1, 2, 1):
        answer = tree_first(replace(wanted, seed=seed))
        result = checker.check("generate/tree-first", Query(), answer)
        assert (result.verified, result.oracle) == (seed == 1, generated.CONNECTED_ORACLE)


def test_the_check_finds_a_graph_in_two_parts() -> None:
    wanted = RandomGraph(4, 4, seed=1, weights=(1, 1))
    ones = np.ones(4, dtype=np.int32)
    parts = from_arcs(4, np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2]), ones)
    fault = generated.find_fault(parts, wanted, connected=True)
    assert fault == "vertex 2 has no arc to or from an earlier vertex"
    assert generated.find_fault(parts, wanted, connected=False) is None
    checker = generated.RandomGraphChecker(wanted)  # what one generator promises is not what another does
    for solver, verified in (
        ("random-degree", True),
        ("tree-first", False),
        ("tree-first-one-core", False),
    ) * 2:
        assert checker.check(f"generate/{solver}", Query(), parts).verified is verified


def test_a_graph_is_inspected_once_whoever_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = RandomGraph(50, 200, seed=1)
    checker, graph, inspected = generated.RandomGraphChecker(wanted), tree_first(wanted), []
    inspect = generated.find_fault
    monkeypatch.setattr(
        generated, "find_fault", lambda *all_of_it: inspected.append(1) or inspect(*all_of_it)
    )
    for solver in ("tree-first", "tree-first-one-core", "tree-first", "tree-first-reallocating"):
        assert checker.check(f"generate/{solver}", Query(), graph).verified
    assert len(inspected) == 1


def spoiled(array: Int32Array, place: int, value: int) -> Int32Array:
    changed = array.copy()
    changed[place] = value
    return changed


# The same graphs in NumPy, from the kernels' words rather than their code.


def below(bound: Any, words: Words) -> Words:
    return (words >> np.uint64(32)) * np.asarray(bound, dtype=np.uint64) >> np.uint64(32)


def permuted(left: Words, right: Words, lefts: int, rights: int, key: Any) -> tuple[Words, Words]:
    for step in (0, 2, 4):
        left = (left + below(lefts, mixed(key ^ (right | np.uint64(step << 32))))) % np.uint64(lefts)
        right = (right + below(rights, mixed(key ^ (left | np.uint64((step + 1) << 32))))) % np.uint64(rights)
    return left, right


def reference_weights(wanted: RandomGraph, tails: Any, heads: Any, key: Any) -> Int32Array:
    low, high = wanted.weights
    words = mixed(key ^ (tails.astype(np.uint64) << np.uint64(32) | heads.astype(np.uint64)))
    return (low + below(high - low + 1, words).astype(np.int64)).astype(np.int32)


def reference_tree_first(wanted: RandomGraph, keys: Words) -> CSRGraph:
    n = wanted.vertices
    child = np.arange(1, n, dtype=np.uint64)
    parent = below(child, mixed(keys[0] ^ child))
    upward = mixed(keys[1] ^ child) >> np.uint64(63) == 1
    tree = np.where(upward, child * np.uint64(n) + parent, parent * np.uint64(n) + child)
    every = np.arange(most_arcs(n), dtype=np.uint64)
    tails, others = permuted(every % np.uint64(n), every // np.uint64(n), n, n - 1, keys[2])
    drawn = tails * np.uint64(n) + others + (others >= tails)
    extra = drawn[~np.isin(drawn, tree)][: wanted.arcs - (n - 1)]
    arcs = np.sort(np.concatenate((tree, extra)))
    tails, heads = arcs // np.uint64(n), arcs % np.uint64(n)
    indptr = np.searchsorted(tails, np.arange(n + 1)).astype(np.int32)
    return CSRGraph(indptr, heads.astype(np.int32), reference_weights(wanted, tails, heads, keys[4]))


def reference_random_degree(wanted: RandomGraph, keys: Words) -> CSRGraph:
    n = np.uint64(wanted.vertices)
    drawn = np.arange(wanted.arcs, dtype=np.uint64)
    tail_of, _ = permuted(drawn % n, drawn // n, wanted.vertices, wanted.vertices - 1, keys[2])
    degrees = np.bincount(tail_of.astype(np.int64), minlength=wanted.vertices)
    indptr = np.concatenate(([0], np.cumsum(degrees)))
    tails = np.repeat(np.arange(wanted.vertices, dtype=np.uint64), degrees)
    place = drawn - indptr[tails.astype(np.int64)].astype(np.uint64)
    side = int(np.ceil(np.sqrt(wanted.vertices - 1)))
    key, todo = mixed(keys[3] ^ tails), np.ones(wanted.arcs, dtype=bool)
    while todo.any():
        left, right = permuted(place // np.uint64(side), place % np.uint64(side), side, side, key)
        place = np.where(todo, left * np.uint64(side) + right, place)
        todo &= place >= n - np.uint64(1)
    heads = place + (place >= tails)
    weights = reference_weights(wanted, tails, heads, keys[4])
    return CSRGraph(indptr.astype(np.int32), heads.astype(np.int32), weights)


SIZES = [(2, 1), (5, 20), (16, 200), (17, 240), (257, 4000), (1000, 5000), (1200, 1300)]


@pytest.mark.parametrize("backend", ["host", *DEVICES])
def test_generators_agree_with_numpy(backend: str) -> None:
    on_host = backend == "host"
    make_expected = reference_tree_first if on_host else reference_random_degree
    for vertices, arcs in SIZES if on_host else [*SIZES, (70_000, 140_000)]:
        wanted = RandomGraph(vertices, arcs, seed=-4, weights=(0, 2**31 - 2))
        with open_device(backend) as device:
            generator = TreeFirst() if on_host else RandomDegree(device)
            found = run(generator, wanted)
        assert found.digest() == make_expected(wanted, generator.keys()).digest(), f"{vertices} vertices"


@pytest.mark.skipif(not cuda_available(), reason="no CUDA device")
@pytest.mark.gpu
def test_cuda_makes_2_to_the_23_vertices_within_a_second() -> None:
    wanted = RandomGraph(2**23, 5 * 2**23, seed=1)
    with CudaDevice() as device:
        generator = RandomDegree(device)
        run(generator, wanted)
        started = time.perf_counter()
        run(generator, wanted)
        assert time.perf_counter() - started < 1


def test_a_million_vertices_take_less_than_2_seconds() -> None:
    generator = TreeFirst()
    generator.setup(RandomGraph(2**20, 5 * 2**20, seed=1))
    started = time.process_time()
    generator.upload(Query())
    generator.solve(Query())
    assert time.process_time() - started < 4  # of two cores: 2 seconds
    graph = generator.download()
    assert weak_components(graph) == 1


def test_identity() -> None:
    info = tree_first(RandomGraph(100, 990, seed=7)).info
    told = {"name": "tree-first-100-990", "vertices": 100, "arcs": 990, "density": 0.1, "directed": True}
    told |= {"origin": "generated", "edition": "tree-first", "weights": "generated"}
    told |= {"least_weight": 1, "greatest_weight": 100, "seed": 7, "source": 0}
    assert told.items() <= info.items()


# How many arcs are asked for.


def test_one_number_said_in_three_ways() -> None:
    wanted: dict[str, Any] = {"density": 0.05, "per_vertex": 4.95, "arcs": 495}
    for key, value in wanted.items():
        assert resolve_arcs(100, **{key: value}) == 495
    assert resolve_arcs(100, **wanted) == 495
    assert resolve_arcs(2**22, per_vertex=50, connected=True) == 209_715_200
    assert resolve_arcs(2**22, density=50 / (2**22 - 1)) == 209_715_200
    assert resolve_arcs(1, density=1, connected=True) == 0
    assert resolve_arcs(5, density=1) == 20


@given(st.integers(1, 2**20), st.data())
def test_every_possible_number_of_arcs_is_its_density(vertices: int, data: st.DataObject) -> None:
    arcs = data.draw(st.integers(0, min(most_arcs(vertices), 2**31 - 2)))
    density = RandomGraph(vertices, arcs, seed=1).density
    assert resolve_arcs(vertices, density=density, arcs=arcs) == arcs


REFUSED = [
    (0, {"arcs": 0}, "0 vertices: expected from 1 to 2147483646"),
    (2**31, {"arcs": 0}, "2147483648 vertices: expected from 1"),
    (5, {}, "number of arcs is missing"),
    (5, {"density": 1.5}, "density 1.5: expected from 0 to 1, the share of all 20 arcs"),
    (5, {"density": -0.1}, "density -0.1: expected"),
    (5, {"density": float("nan")}, "density nan: expected"),
    (5, {"per_vertex": 4.5}, "4.5 arcs per vertex: expected from 0 to 4"),
    (5, {"per_vertex": float("inf")}, "inf arcs per vertex: expected"),
    (5, {"arcs": 21}, "21 arcs: expected from 0 to 20"),
    (5, {"arcs": -1}, "-1 arcs: expected from 0"),
    (1, {"arcs": 1}, "1 arcs: expected from 0 to 0"),
    (5, {"arcs": 3, "connected": True}, "3 arcs: expected at least 4"),
    (5, {"density": 0.1, "connected": True}, r"density 0.1 \(2 arcs\): expected at least 4"),
    (5, {"per_vertex": 0.5, "connected": True}, r"0.5 arcs per vertex \(2 arcs\): expected at least 4"),
    (5, {"density": 0.5, "arcs": 11}, r"contradicts itself \(density 0.5 means 10, 11 arcs means 11\)"),
    (5, {"per_vertex": 1, "arcs": 6}, "contradicts itself"),
]


@pytest.mark.parametrize(("vertices", "said", "message"), REFUSED)
def test_what_cannot_be_is_told_in_one_line(vertices: int, said: dict[str, Any], message: str) -> None:
    assert re.search(message, refused(resolve_arcs, vertices, **said))


def test_requests_are_checked() -> None:
    with pytest.raises(OneLineError, match="21 arcs: expected from 0 to 20"):
        RandomGraph(5, 21, seed=1)
    for weights in [(-1, 5), (6, 5), (0, 2**31 - 1)]:
        with pytest.raises(OneLineError, match=f"weights from {weights[0]} to {weights[1]}: "):
            RandomGraph(5, 5, seed=1, weights=weights)
    with pytest.raises(OneLineError, match="3 arcs: expected at least 4"):
        tree_first(RandomGraph(5, 3, seed=1))


def test_generators_by_name() -> None:
    variants = ("tree-first", "tree-first-one-core", "tree-first-reallocating", "random-degree")
    assert list(GENERATORS.solvers) == [f"generate/{name}" for name in variants]
    with EmulatedDevice() as device:
        for name in GENERATORS.solvers:
            assert generate(name, RandomGraph(5, 6, seed=1), device).arcs == 6
    with pytest.raises(OneLineError, match="no solver is called generate/grid; there are generate/random"):
        make("generate/grid")
    with pytest.raises(ValueError, match="needs a device"):
        make("generate/random-degree")
