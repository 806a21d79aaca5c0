"""Each slip of `docs/errata.md`: the printed text, transcribed, fails on a small graph; our solver does not.

Transcriptions in Python run a kernel's threads one after the other: one of the orders that a GPU may choose.
Those in CUDA, in `tests/kernels/`, run on the emulator.
"""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path

import numpy as np
import pytest

from command_line import PROJECT
from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedDevice
from graphs import graph, read_graph, two_level_star
from retrace.check.certificates import certify_tree
from retrace.check.oracles import Oracle
from retrace.devices.matrices import host_matrix
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.generators import ROAD_WEIGHTS, random_weights
from retrace.graphs.graph_names import UNREACHABLE
from retrace.planning.configuration import committed_records
from retrace.reports.finding import Verdict
from retrace.reports.frame import read_frames
from retrace.reports.judge import judge
from retrace.reports.report import load_reports, report_paths
from retrace.solvers import DeviceSolver, Query, make
from test_races import detours
from test_solvers import answer, solve

INFINITY = UNREACHABLE
COMMITTED = read_frames(report_paths(), committed_records())[1]


def neighbours(graph: CSRGraph, vertex: int) -> list[int]:
    return graph.indices[graph.indptr[vertex] : graph.indptr[vertex + 1]].tolist()


def length(name: str, graph: CSRGraph, source: int, target: int) -> int:
    backend = "emulator" if name.endswith("bsp") else "host"
    return int(answer(name, backend, graph, Query(source, target))[0])


def mended(name: str, graph: CSRGraph) -> list[int]:
    found: list[int] = answer(name, "emulator", graph, Query(0)).tolist()
    return found


def printed_bfs(graph: CSRGraph, source: int) -> list[int]:
    """Algorithms 3.2 and 3.3; "X_a is set to false and F_a contains only the source vertex"."""
    vertices = range(graph.vertices)
    visited, frontier, updating = ([False] * graph.vertices for _ in range(3))
    cost = [INFINITY] * graph.vertices
    frontier[source], cost[source] = True, 0
    terminate = False
    while not terminate:
        terminate = True
        for tid in vertices:
            if frontier[tid]:
                frontier[tid] = False
                for nid in neighbours(graph, tid):
                    if not visited[nid]:
                        cost[nid] = cost[tid] + 1
                        updating[nid] = True
        for tid in vertices:
            if updating[tid]:
                frontier[tid], visited[tid], updating[tid] = True, True, False
                terminate = False
    return cost


def test_bfs_source_is_not_visited() -> None:
    edge = graph(2, [(0, 1, 1)], directed=False)
    assert printed_bfs(edge, 0) == [2, 1]
    assert mended("bfs/bsp", edge) == [0, 1]


def printed_stcon(graph: CSRGraph, s: int, t: int, coloured: bool = True, steps: int = 100) -> int | None:
    """The first Algorithms 3.5 and 3.6; None if they have not ended after `steps` iterations."""
    vertices = range(graph.vertices)
    names = ("frontier", "red", "green", "frontier_u", "red_u", "green_u")
    frontier, red, green, frontier_u, red_u, green_u = ([False] * graph.vertices for _ in names)
    cost = [0] * graph.vertices
    frontier[s] = frontier[t] = True
    red[s] = green[t] = coloured
    red_length = green_length = 0
    terminate = False
    for _ in range(steps):
        for tid in vertices:
            if frontier[tid]:
                frontier[tid] = False
                for nid in neighbours(graph, tid):
                    if green[nid] or red[nid]:
                        if red[tid] and green[nid]:
                            red_length, terminate = cost[tid] + 1, True
                        if green[tid] and red[nid]:
                            terminate = True
                    else:
                        green_u[nid] |= green[tid]
                        red_u[nid] |= red[tid]
                        frontier_u[nid] = True
                        cost[nid] = cost[tid] + 1
        for tid in vertices:
            if frontier_u[tid] and not terminate:
                frontier[tid] = True
                if red_u[tid]:
                    red[tid], red_length = True, cost[tid]
                if green_u[tid]:
                    green[tid], green_length = True, cost[tid]
                frontier_u[tid] = red_u[tid] = green_u[tid] = False
                if green[tid] and red[tid]:
                    terminate = True
        if terminate:
            return red_length + green_length
    return None


def test_stcon_colours_never_spread() -> None:
    path = graph(3, [(0, 1, 1), (1, 2, 1)], directed=False)
    assert printed_stcon(path, 0, 2, coloured=False) is None
    assert printed_stcon(path, 0, 2) == length("stcon/bsp", path, 0, 2) == 2


def test_stcon_unreachable_pair_never_terminates() -> None:
    apart = graph(2, [])
    assert printed_stcon(apart, 0, 1) is None
    assert length("stcon/bsp", apart, 0, 1) == UNREACHABLE


def test_stcon_of_a_vertex_with_itself() -> None:
    edge = graph(2, [(0, 1, 1)], directed=False)
    assert printed_stcon(edge, 0, 0) == 2
    assert length("stcon/bsp", edge, 0, 0) == length("stcon/two-queues", edge, 0, 0) == 0


def test_stcon_takes_a_common_successor_for_a_path() -> None:
    fork = graph(3, [(0, 1, 1), (2, 1, 1)])
    assert printed_stcon(fork, 0, 2) == 2
    assert length("stcon/bsp", fork, 0, 2) == length("stcon/two-queues", fork, 0, 2) == UNREACHABLE


def printed_sequential_stcon(graph: CSRGraph, s: int, t: int) -> int:
    """Algorithm 3.4; raises IndexError where it dequeues from an empty queue."""
    queues = deque([s]), deque([t])
    visited = [[False] * graph.vertices for _ in "RG"]
    distance = [0] * graph.vertices
    visited[0][s] = visited[1][t] = True
    while True:
        for colour, other in ((0, 1), (1, 0)):
            v = queues[colour].popleft()
            for u in neighbours(graph, v):
                if not visited[colour][u]:
                    if visited[other][u]:
                        return distance[u] + distance[v] + 1
                    queues[colour].append(u)
                    visited[colour][u] = True
                    distance[u] = distance[v] + 1


def test_sequential_stcon_stops_on_a_path_that_is_not_shortest() -> None:
    # 0-5-2-1 is shortest; after one vertex of each queue, 2 meets red at 4, on 0-3-4-2-1, before it sees 5
    edges = [(0, 3), (0, 5), (1, 2), (2, 4), (2, 5), (3, 4)]
    found = graph(6, [(u, v, 1) for u, v in edges], directed=False)
    shortest = int(Oracle(found).expected("stcon", Query(0, 1))[0])
    assert printed_sequential_stcon(found, 0, 1) == 4
    assert length("stcon/two-queues", found, 0, 1) == shortest == 3


def test_sequential_stcon_dequeues_from_an_empty_queue() -> None:
    apart = graph(2, [])
    with pytest.raises(IndexError):
        printed_sequential_stcon(apart, 0, 1)
    assert length("stcon/two-queues", apart, 0, 1) == UNREACHABLE


def printed_sssp(graph: CSRGraph, source: int) -> list[int]:
    """The second Algorithms 3.5 and 3.6, with the weight of the neighbour: W_a[nid]."""
    assert graph.weights is not None
    cost = [INFINITY] * graph.vertices
    cost[source] = 0
    updating, mask = list(cost), [vertex == source for vertex in range(graph.vertices)]
    while any(mask):
        for tid in range(graph.vertices):
            if mask[tid]:
                mask[tid] = False
                for nid in neighbours(graph, tid):
                    updating[nid] = min(updating[nid], cost[tid] + int(graph.weights[nid]))
        for tid in range(graph.vertices):
            if cost[tid] > updating[tid]:
                cost[tid], mask[tid] = updating[tid], True
            updating[tid] = cost[tid]
    return cost


def test_sssp_weight_is_indexed_by_vertex() -> None:
    fork = graph(3, [(0, 1, 5), (0, 2, 7), (1, 2, 1)])
    assert printed_sssp(fork, 0) == [0, 7, 1]
    assert mended("sssp/bsp", fork) == [0, 5, 6]


def printed_dijkstra(graph: CSRGraph, source: int) -> list[int]:
    """Algorithm 3.7 in 32-bit arithmetic, until every vertex is settled."""
    assert graph.weights is not None
    distance = np.full(graph.vertices, INFINITY, dtype=np.int32)
    distance[source] = 0
    left = set(range(graph.vertices))
    while left:
        u = min(left, key=lambda v: distance[v])
        left.remove(u)
        for arc in range(graph.indptr[u], graph.indptr[u + 1]):
            through = np.array([distance[u]]) + graph.weights[arc]  # wraps round
            distance[graph.indices[arc]] = min(distance[graph.indices[arc]], through[0])
    return distance.tolist()


def test_dijkstra_settles_vertices_that_cannot_be_reached() -> None:
    apart = graph(3, [(1, 2, 5)])
    assert min(printed_dijkstra(apart, 0)) < 0
    assert answer("sssp/dijkstra-linear", "host", apart, Query(0)).tolist() == [0, UNREACHABLE, UNREACHABLE]


@pytest.mark.parametrize("name", ["bfs/block-queue", "bfs/block-queue-published"])
def test_block_queue_tail_is_set_back_by_whoever_passed_it(name: str) -> None:
    star = two_level_star(200, 8)  # one block gathers 1600 leaves in a queue of 512
    expected = Oracle(star).expected("bfs", Query(0))
    for seed in (None, *range(40)):
        assert np.array_equal(answer(name, "emulator", star, Query(0), seed), expected), f"seed {seed}"


def printed_relax(graph: CSRGraph, source: int) -> list[int]:
    """Algorithm 1 of tuwien-sssp with line 7 as printed: new_cost = cost(nid) + weight[e]."""
    assert graph.weights is not None
    cost, mask = [INFINITY] * graph.vertices, [vertex == source for vertex in range(graph.vertices)]
    cost[source] = 0
    for _ in range(graph.vertices):
        for tid in range(graph.vertices):
            if mask[tid]:
                mask[tid] = False
                for arc in range(graph.indptr[tid], graph.indptr[tid + 1]):
                    nid = int(graph.indices[arc])
                    new_cost = cost[nid] + int(graph.weights[arc])
                    cost[nid] = min(cost[nid], new_cost)
                    if cost[nid] == new_cost:
                        mask[nid] = True
    return cost


def test_tuwien_adds_the_weight_to_the_wrong_cost() -> None:
    arc = graph(2, [(0, 1, 5)])
    assert printed_relax(arc, 0) == [0, INFINITY]
    assert mended("sssp/standard", arc) == [0, 5]


def two_ways(ways: int) -> CSRGraph:
    """Many vertices that reach the last one at the same time, each by a shorter way than the one before."""
    last = ways + 1
    out = [(0, way, 1) for way in range(1, last)]
    return graph(last + 1, out + [(way, last, 100 - way) for way in range(1, last)])


def test_tuwien_predecessor_is_overwritten_by_a_slower_thread() -> None:
    race = two_ways(30)
    wrong = {"sssp/standard": 0, "sssp/standard-published": 0}
    for name in wrong:
        for seed in range(60):
            distance, predecessor = solve(name, "emulator", race, Query(0), seed)
            assert np.array_equal(distance, Oracle(race).expected("sssp", Query(0)))
            assert predecessor is not None
            wrong[name] += certify_tree(race, 0, distance, predecessor) is not None
    assert wrong["sssp/standard"] == 0
    assert wrong["sssp/standard-published"] > 0


def test_tuwien_mask_may_be_cleared_after_the_distance_was_read() -> None:
    """An update between the two is lost; with a fence, no schedule of test_races.py loses one."""
    race = detours(40)
    right = Oracle(race).expected("sssp", Query(0))
    found = [
        np.array_equal(
            solve("sssp/standard-published:block_size=32", "emulator", race, Query(0), seed)[0], right
        )
        for seed in range(10)
    ]
    assert {*found} == {True, False}


def test_tuwien_never_ends_on_a_cycle_of_weight_0() -> None:
    cycle = graph(2, [(0, 1, 0)], directed=False)
    with pytest.raises(OneLineError, match="does not end"):
        answer("sssp/standard-published", "emulator", cycle, Query(0))
    assert mended("sssp/standard", cycle) == [0, 0]


def test_tuwien_edges_array_does_not_say_where_it_ends() -> None:
    one, two = graph(2, [(0, 1, 1)]), graph(2, [(0, 1, 1), (1, 0, 1)])
    assert one.indptr[:2].tolist() == two.indptr[:2].tolist() == [0, 1]  # n entries, as printed
    assert (one.indptr[2], two.indptr[2]) == (1, 2)


@pytest.mark.parametrize(("boolean", "arcs"), [("0", 1), ("1", 2), ("true", None), ("TRUE", None)])
def test_he_header_has_0_or_1(tmp_path: Path, boolean: str, arcs: int | None) -> None:
    path = tmp_path / "edge.he"
    path.write_text(f"H 2 1 {boolean}\nE 0 1 5\n")
    if arcs is None:
        with pytest.raises(OneLineError, match="line 1: expected a header 'H N M U'"):
            read_graph(path, "he")
    else:
        assert read_graph(path, "he").arcs == arcs


def test_he_writes_an_undirected_edge_once(tmp_path: Path) -> None:
    path = tmp_path / "edge.he"
    path.write_text("H 2 1 1\nE 0 1 5\n")
    assert read_graph(path, "he").tails().tolist() == [0, 1]
    path.write_text("H 2 1 1\nE 0 1 5\nE 1 0 5\n")
    with pytest.raises(OneLineError, match="1"):
        read_graph(path, "he")


def test_hong_float_loses_the_last_vertices_of_a_large_frontier() -> None:
    frontier, block = 2**24 + 1, 512
    assert np.ceil(np.float32(frontier) / np.float32(block)) * block == frontier - 1
    with EmulatedDevice() as device:
        solver = make("bfs/block-queue:block_size=512", device)
        assert isinstance(solver, DeviceSolver)
        assert solver.grid(frontier) * block >= frontier


def test_hong_label_of_the_source_is_not_positive() -> None:
    alone = graph(1, [])
    assert (
        answer("bfs/two-frontier", "host", alone, Query(0)).tolist()
        == mended("bfs/block-queue", alone)
        == [0]
    )


def test_stcon_terminate_is_read_while_it_is_set() -> None:
    """Many vertices at which both colours meet at once: whatever some threads skip, the length is right."""
    middle = graph(34, [(end, v, 1) for v in range(2, 34) for end in (0, 1)], directed=False)
    for seed in range(40):
        assert answer("stcon/bsp:block_size=8", "emulator", middle, Query(0, 1), seed).tolist() == [2]


def printed_bellman_ford(
    graph: CSRGraph, kernel: str = "relaxation", swaps: str = "after the flag is read", threads: int = 0
) -> list[int]:
    """Algorithm 1 of an-bellman-ford from vertex 0, with kernels as printed, on the emulator.

    CUDA_SWAP runs `after the loop`, as printed; inside it, `before the flag is read`; or after. `threads` are
    those in x and in y of the kernel that relaxes; by default one an entry of the matrix.
    """
    n = graph.vertices
    side = threads or n
    with EmulatedDevice() as device:
        module = device.load(str(Path(__file__).parent / "kernels/bellman_ford_printed.cu"))
        relax, swap = module.kernel(f"printed_{kernel}"), module.kernel("printed_swap")
        matrix = device.upload(np.ascontiguousarray(host_matrix(graph)[:, :n]).ravel())
        dist, mask, mask1 = (device.empty(n, np.int32) for _ in range(3))
        flag, seen = device.upload(np.zeros(1, np.int32)), np.zeros(1, np.int32)
        module.kernel("printed_initialization")(1, n, dist, np.int32(0), mask, mask1)
        for _ in range(n - 1):
            grid = (side, 1 if kernel == "incoming" else side)
            relax(grid, 1, np.int32(n), dist, matrix, mask, mask1, flag)
            if swaps == "before the flag is read":
                swap(1, n, mask, mask1, flag)
            device.read(flag, seen)
            if seen[0] == 0:
                break
            if swaps == "after the flag is read":
                swap(1, n, mask, mask1, flag)
        found: list[int] = device.download(dist).tolist()
    return found


PATH = graph(3, [(0, 1, 1), (1, 2, 1)])


def test_bellman_ford_masks_are_swapped_after_the_loop() -> None:
    assert printed_bellman_ford(PATH, swaps="after the loop") == [0, 1, INFINITY]
    assert mended("bellman-ford/dense", PATH) == [0, 1, 2]


def test_bellman_ford_flag_is_reset_before_the_host_reads_it() -> None:
    assert printed_bellman_ford(PATH, swaps="before the flag is read") == [0, 1, INFINITY]
    longer = graph(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1)])
    assert printed_bellman_ford(longer, swaps="before the flag is read") == [0, 1, INFINITY, INFINITY]
    assert mended("bellman-ford/dense", longer) == [0, 1, 2, 3]


def test_bellman_ford_adds_a_weight_to_infinity() -> None:
    arc = graph(3, [(0, 1, 5)])
    assert min(printed_bellman_ford(arc)) < 0
    for name in ("dense", "multi-edge", "multi-edge-consecutive", "incoming", "outgoing", "resident"):
        assert mended(f"bellman-ford/{name}", arc) == [0, 5, INFINITY]


def test_bellman_ford_multi_edges_never_advances_the_head() -> None:
    # complete, with loops of weight 0, so that no weight is infinite
    complete = graph(4, [(u, v, int(u != v)) for u in range(4) for v in range(4)])
    assert printed_bellman_ford(complete, "multi_edges", threads=2) == [0, 1, INFINITY, INFINITY]
    assert mended("bellman-ford/multi-edge:edges_per_thread=4", complete) == [0, 1, 1, 1]


def test_bellman_ford_incoming_marks_the_tail() -> None:
    assert printed_bellman_ford(PATH, "incoming") == [0, 1, INFINITY]
    assert mended("bellman-ford/incoming", PATH) == [0, 1, 2]


def test_bellman_ford_gives_distances_where_there_are_none() -> None:
    cycle = graph(2, [(0, 1, 1), (1, 0, -2)])
    assert printed_bellman_ford(cycle) == [0, 1]
    with pytest.raises(OneLineError, match=r"lies on a negative cycle that vertex 0 reaches"):
        mended("bellman-ford/dense", cycle)


NEW_YORK = Path(os.environ.get("GRAPH_MIRROR", ""), "USA-road-d.NY.gr.gz")


@pytest.mark.skipif(not NEW_YORK.is_file(), reason="no GRAPH_MIRROR folder with New York")
def test_generated_road_weights_are_not_how_roads_are_long() -> None:
    roads = read_graph(NEW_YORK, "dimacs")
    assert roads.weights is not None
    tails = np.repeat(np.arange(roads.vertices), np.diff(roads.indptr))
    leaving = np.diff(roads.indptr)[roads.indices]
    first = np.repeat(np.arange(roads.arcs), leaving)
    place = np.arange(len(first)) - np.repeat(np.cumsum(leaving) - leaving, leaving)
    second = roads.indptr[roads.indices[first]] + place
    on = roads.indices[second] != tails[first]  # not back to where the first arc came from

    def described(weights: Int32Array) -> tuple[str, ...]:
        alike = np.corrcoef(weights[first[on]], weights[second[on]])[0, 1]
        return (
            f"{weights.mean():,.0f}",
            f"{weights.std():,.0f}",
            f"{np.percentile(weights, 99):,.0f}",
            f"{weights.max():,}",
            f"{abs(alike):.2f}",
        )

    uniform = random_weights(tails, roads.indices, *ROAD_WEIGHTS, seed=20261121)
    mean, spread, hundredth, most, alike = described(roads.weights)
    own_mean, own_spread, *_, own_alike = described(uniform)
    assert (ROAD_WEIGHTS, own_spread[:2], own_alike) == ((1, 2600), "75", "0.00")
    said = " ".join((PROJECT / "docs/errata.md").read_text().split())
    assert f"the mean is alike, {mean} and {own_mean}, but the standard deviation is {spread} and not" in said
    assert f"a hundredth of its own weights is above {hundredth}, up to {most}." in said
    assert f"correlated, by {alike} and not 0." in said


# ----- errata and claims agree

ERRATA = " ".join((PROJECT / "docs/errata.md").read_text().split())
NO_WRONG_ANSWER = {
    "test_block_queue_tail_is_set_back_by_whoever_passed_it": "a race that does no harm",
    "test_hong_float_loses_the_last_vertices_of_a_large_frontier": "of the host's code",
    "test_tuwien_edges_array_does_not_say_where_it_ends": "a number that the kernel has beside the array",
    "test_slides_graph": "a matrix of the slides",
}
"""What errata name that makes no claim wrong, and why."""
DENIED = {
    (report.key, name): claim.errata
    for report in load_reports().values()
    for name, claim in report.claims.items()
    if claim.errata
}


def rows_with_a_graph() -> set[str]:
    """List the tests of the rows whose graph shows another answer than is printed."""
    rows = [line for line in (PROJECT / "docs/errata.md").read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    shown = [row for row in cells if len(row) == 5 and row[3] not in ("\u2013", "---", "graph that shows it")]
    return {row[4].strip("`") for row in shown if row[4].startswith("`test_")}


def test_each_wrong_answer_denies_a_claim() -> None:
    named = {words for errata in DENIED.values() for words in errata}
    shown = {name for name in rows_with_a_graph() if not name.startswith("test_he_")}
    assert shown - named == NO_WRONG_ANSWER.keys()


@pytest.mark.parametrize("denied", DENIED, ids="-".join)
def test_what_errata_deny_does_not_hold(denied: tuple[str, str]) -> None:
    """Neither on a machine whose records are here, nor where nothing was measured."""
    key, name = denied
    report = load_reports()[key]
    claim = report.claims[name]
    for words in claim.errata:
        assert words in ERRATA, words
    for machine in ("h200", "h100"):
        found = judge(report, claim, COMMITTED, machine)
        assert found.verdict != Verdict.HOLDS, found.measured


def test_what_is_refuted_by_hand_is_in_errata() -> None:
    by_hand = {
        (report.key, name)
        for report in load_reports().values()
        for name, claim in report.claims.items()
        if claim.refuted
    }
    assert by_hand <= DENIED.keys()
