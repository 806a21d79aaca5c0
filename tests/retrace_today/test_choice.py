"""Solvers that leave the work to another: what they choose, what they fall back on, and what they tell."""

from __future__ import annotations

import statistics
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any

import in_turn
import numpy as np
import pytest
from test_predecessor_cost import of_records, on_resident_graph

from cuda_device.gpu_limits import GPULimits
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, identified, random_graph, two_level_star
from retrace.graphs.csr import CSRGraph
from retrace.graphs.generators import heavy_tailed_stand_in, road_stand_in
from retrace.graphs.random import named
from retrace.solvers import DeviceSolver, Query, find, make
from retrace.solvers.generate import generate
from retrace.stages.get_graph import _pairs
from retrace.system.errors import RetraceError
from retrace_today import choice as choosing
from retrace_today.betweenness.lanes import COMPACTING_PAYS
from retrace_today.choice import TAKE, Choice
from retrace_today.cost import BLOCKS, costs, microseconds, of_betweenness, of_search
from retrace_today.features import Features
from retrace_today.judge_choices import GOOD_FACTOR, GOOD_MS
from solving import DEVICES, open_device, solved
from test_readme_numbers import OF_H100, OF_H200, ms
from test_solvers import verify

CHOICES = [find(f"{problem}/auto") for problem in ("bfs", "stcon", "sssp", "betweenness")]
EACH_WAY = [
    f"{kind.name}:take={variant},predecessors={found}"
    for kind in CHOICES[:3]
    for variant in ("cheapest", *(candidate.variant for candidate in kind.candidates))
    for found in ("no", "yes")
    if found == "no" or variant in ("cheapest", "cluster", "one-block", "direction", "near-far", "fewer-arcs")
]


SHAPES = {
    "path": graph(5000, [(u, u + 1, 1) for u in range(4999)], directed=False),
    "road": road_stand_in(264_346, 733_846, 1),
    "random": random_graph(5000, 5),
    "dense": random_graph(300, 100),
    "star": two_level_star(70, 100),
    "small": NAMED["grid"],
}


def chosen(spec: str, found: CSRGraph, query: Query) -> str:
    """Return the name of the solver that is chosen."""
    with EmulatedDevice() as device:
        solver = make(spec, device)
        solver.setup(found)
        solver.upload(query)
        assert isinstance(solver, Choice)
        return solver.chosen.name


@pytest.mark.parametrize(
    ("shape", "bfs", "sssp", "stcon"),
    [
        ("path", "queue", "queue-sequential", "fewer-arcs"),
        ("road", "cluster", "cluster", "cluster"),
        ("random", "direction", "workfront-sweep", "fewer-arcs"),
        ("dense", "direction", "workfront-sweep", "fewer-arcs"),
        ("star", "direction", "queue-sequential", "fewer-arcs"),
        ("small", "queue", "dijkstra-heap", "fewer-arcs"),
    ],
)
def test_the_choice_follows_from_size_and_depth(shape: str, bfs: str, sssp: str, stcon: str) -> None:
    for problem, variant in (("bfs", bfs), ("sssp", sssp), ("stcon", stcon)):
        assert chosen(f"{problem}/auto", SHAPES[shape], Query(0, 1)) == f"{problem}/{variant}"


@pytest.mark.parametrize(
    ("whole", "sources", "variant"),
    [("small", 3, "seq-array"),
     ("path", 64, "vert-comp-virt"),  # compaction leaves nothing of it
     ("road", 64, "bitmap-queue"),
     ("large", 4, "cluster"),
     ("large", 4096, "lane-queues")],
)  # fmt: skip
def test_betweenness_is_chosen_by_what_is_left_and_the_number_of_sources(
    whole: str, sources: int, variant: str
) -> None:
    searched = random_graph(200_000, 8) if whole == "large" else SHAPES[whole]
    with EmulatedDevice() as device:
        solver: Any = make("betweenness/auto", device)
        assert solver.ranked(searched, Query(sources=tuple(range(sources))))[0].variant == variant


def test_sources_without_arcs_are_no_searches() -> None:
    alone = replace(SHAPES["dense"], indptr=np.append(SHAPES["dense"].indptr, SHAPES["dense"].indptr[-1:]))
    for sources, expected in (((300,), "seq-array"), ((0, 1, 2, 300), "cluster")):
        assert chosen("betweenness/auto", alone, Query(sources=sources)) == f"betweenness/{expected}"


def test_searches_of_a_wave_cost_as_much_as_one() -> None:
    graph = Features.of(SHAPES["random"])
    levels = [of_betweenness(graph, sources)["levels"] for sources in (1, BLOCKS, BLOCKS + 1)]
    assert levels == [graph.levels, graph.levels, 2 * graph.levels]


def test_lanes_search_a_forest_whole_unless_there_are_many_sources() -> None:
    forest = replace(Features.of(SHAPES["random"]), is_forest=True)
    arcs = [
        of_betweenness(forest, sources)["grid_arcs"] for sources in (COMPACTING_PAYS - 1, COMPACTING_PAYS)
    ]
    assert arcs[0] > arcs[1] == 0
    assert of_betweenness(forest, 1)["compacted_arcs"] == 0


def test_each_candidate_has_its_costs_and_no_other_solver_has() -> None:
    names = {kind.name for choice in CHOICES for kind in choice.candidates}
    assert costs().keys() == names
    graph = Features.of(SHAPES["random"])
    of_problem = {"betweenness": of_betweenness(graph, 3)}
    for name, each in costs().items():
        assert each.keys() <= of_problem.get(name.partition("/")[0], of_search(graph)).keys(), name
        assert all(us > 0 for us in each.values()), name


AUTO_SSSP = find("sssp/auto").candidates  # type: ignore[attr-defined]
GROWTH = {"arcs": 8, "hub": 1000}


@pytest.mark.parametrize("grown", GROWTH)
def test_distances_cost_more_where_each_way_to_find_them_has_more_to_look_at(grown: str) -> None:
    """Without a cost of an arc, or of a thread's longest row, the report's kernel took 20 times the best."""
    flat = Features(1 << 22, 1 << 24, 9.0, float(1 << 22), 200, True, False, False)
    more = replace(flat, **{grown: getattr(flat, grown) * GROWTH[grown]})
    for kind in AUTO_SSSP:
        before, after = (microseconds(kind.name, of_search(one)) for one in (flat, more))
        by_core = kind.name in ("sssp/dijkstra-heap", "sssp/queue-sequential")
        assert after > before or (by_core and grown == "hub"), kind.name


def test_distances_on_large_flat_graphs_are_found_as_measured() -> None:
    """GAP's kron22 on an H200: delta-stepping 2.5 ms, near-far 3.9, bsp 49; random-20-50: 0.84, 0.91, 8.6."""
    kron22 = Features(4_194_302, 128_311_450, 5.0, 4_194_302.0, 161_000, True, False, False)
    flat = Features(1 << 20, 52_428_800, 8.2, float(1 << 20), 75, True, False, False)
    small = Features(1 << 14, 81_920, 10.2, float(1 << 14), 15, True, False, False)
    for shape, best in ((kron22, "delta-stepping"), (flat, "delta-stepping"), (small, "workfront-sweep")):
        took = {kind.variant: microseconds(kind.name, of_search(shape)) for kind in AUTO_SSSP}
        assert min(took, key=took.__getitem__) == best
        of_bsp, of_best = took["bsp"], took[best]
        assert of_bsp > 4 * of_best


JUDGED = """
grid-2d     6241   24648 128.2     4 no  no    701   223   638   507  1020    812
grid-2d    27225  108240 270.2     4 no  no   1024   474  1528  1165  4330   6452
grid-3d    79507  465948  91.2     6 yes no   3498  1315   731   509 21132  26350
grid-3d   250047 1476468 215.5     6 no  no   5958  3241  1101   815 75223  82608
kron        4096   43606   4.5   835 yes no    810  1065   106    83   822    400
law       134128 2102576   6.0 28210 yes yes  6579 10026   109    93 36452  15845
small-world 1467   11734  13.4    10 yes yes   203    46    84    56   126     21
small-world 9429   75428  16.5    11 no  no    885   307   188   147  3175   1649
geometric 818927 6538200 638.0    18 yes no  31187 39167 10213 22914 615020 20404570
grid-2d   255025 1018080 858.6     4 no  no   1951  2280  5193  3803 40444 164897
grid-2d   255025 1018080 494.5     4 yes yes   735  1681  4068  3012 68103  13080
"""
"""Graphs of docs/experiments, 95 to 99: vertices, arcs, levels, largest vertex, are ids scattered, and
whether weights are equal. Then µs of each solver that the test lists.
"""


def test_distances_are_found_as_judged() -> None:
    timed = "cluster", "one-block", "near-far", "workfront-sweep", "dijkstra-heap", "queue-sequential"
    for line in JUDGED.split("\n")[1:-1]:
        _, vertices, arcs, levels, hub, scattered, equal, *times = line.split()
        size, flags = int(vertices), (scattered == "yes", False, equal == "yes")
        terms = of_search(Features(size, int(arcs), float(levels), float(size), int(hub), *flags))
        us = dict(zip(timed, map(float, times), strict=True))
        taken = min(us, key=lambda variant: microseconds(f"sssp/{variant}", terms))
        assert us[taken] <= max(GOOD_FACTOR * min(us.values()), 1e3 * GOOD_MS + min(us.values())), line


JUDGED_SCORES = """
geometric       2933   23098    41.5    20 no   64  19891  31332    597    598   5734   1423    456
geometric       3088   24016    42.4    19 no    4   1340   2008    589    575   4434    564    453
geometric       3088   24016    42.4    19 no   64  25857  32604    672    678   6193   1686    535
geometric      28784  228742   122.0    17 no    4  14542   5834  10117   1717  15074   1362      -
geometric      38378  305602   113.5    20 no    1   4682   1736  14746   1868  16950   1440   6150
geometric      38378  305602   113.5    20 no    4  18259   6392  15197   1908  16362   1474   6372
geometric      38378  305602   113.5    20 no   64 395319 108970  18517   2353  26306   5133   7282
geometric     818927 6538200   638.0    18 no    1 316771   8735      -  26032  87941   8585      -
geometric     818927 6538200   638.0    18 no    4      -  37625      -  32578 120150  10267      -
geometric     818927 6538200   638.0    18 no   16      - 142340      -  36463 211869  17539      -
grid-2d         7225   28560   136.6     4 no    4   1749   4492   1259    470  10411   1187    939
grid-2d         7225   28560   136.6     4 no   64  27021  73314   1240    492  12905   3507    901
grid-2d       255025 1018080   858.6     4 no    4      -  29249 216931   3334  87469   7629      -
grid-3d            8      24     4.0     3 no    1      5     61     35     34    101     54     45
grid-3d            8      24     4.0     3 no    4      6    132     47     52    119     51     47
grid-3d            8      24     4.0     3 no  all      4    234     34     36    124     47     32
grid-3d           64     288     7.0     6 no   64    294   4517    115    129    814      -      -
grid-3d          729    3888    15.9     6 no   64   4145  11837    224    258   2237    581    183
grid-3d          729    3888    15.9     6 no  all  56467 128369    467    484  18449   3971    317
grid-3d       357911 2117220   123.6     6 no    4      -   7714 132822   5170  26666   2063      -
grid-3d       357911 2117220   123.6     6 no   16      -  31183 161586   5317  32980   4090      -
kron              64     334     4.0    34 no   64    111   2243     91    120    488      -      -
kron            8192   62700     4.6  1034 no    1    684    163    182    785    887    160    467
kron            8192   62700     4.6  1034 no    4   2386    402    173    764   1042    157    451
kron            8192   62700     4.6  1034 no   64  23771   5403    172    784   1421    517    439
law            20878  318676     3.7  6930 no    4  12206   1127    776   4704   4443    607      -
law           134128 2102576     6.0 28210 no   16      -   8235   7134  22119  15140   1924      -
path           85063  170124 63921.6     2 yes   1    810 473751     26  92703      - 393259      -
small-world        7      40     2.0     6 no    1      5     47     33     35     83     42     33
small-world        7      40     2.0     6 no    4      4     90     35     47    105     43     48
small-world        7      40     2.0     6 no  all      7    129     46     39     89     42     46
small-world     1467   11734    13.4    10 no  all 180649 145584    633    476   2483      -      -
small-world     3088   24698    12.8    10 no   64      -   7288    200    136   1385    372      -
tree            2791    5580    16.7    15 yes  64   2658  11732     80    215   1867      -      -
urand            555    8742     6.0    29 no    1     76     89     74     91    340     77     67
urand            555    8742     6.0    29 no    4    409    225     77    100    492     93     76
urand            555    8742     6.0    29 no   64   6167   2801     84    105    639    181     73
urand            555    8742     6.0    29 no  all  52026  23383    138    175   4673    775    126
urand          30287  484466     7.4    35 no    4  18925    389   1439    740   1025    165      -
urand          30287  484466     7.4    35 no   64 343240   4777   1549    759   1485    957      -
"""
"""Likewise: vertices, arcs, levels, largest vertex, whether the graph is a forest, sources, µs."""


def test_scores_are_found_as_judged() -> None:
    timed = (
        "seq-array", "frontier", "vert-comp-virt", "bitmap-queue", "lane-queues", "cluster", "vert",
    )  # fmt: skip
    for line in JUDGED_SCORES.split("\n")[1:-1]:
        _, vertices, arcs, levels, hub, forest, sources, *times = line.split()
        size, flags = int(vertices), (True, forest == "yes", False)
        graph = Features(size, int(arcs), float(levels), float(size), int(hub), *flags)
        terms = of_betweenness(graph, size if sources == "all" else int(sources))
        us = {
            variant: inf if time == "-" else float(time) for variant, time in zip(timed, times, strict=True)
        }
        taken = min(us, key=lambda variant: microseconds(f"betweenness/{variant}", terms))
        assert us[taken] <= max(GOOD_FACTOR * min(us.values()), 1e3 * GOOD_MS + min(us.values())), line


@pytest.mark.parametrize(
    ("graph", "best"),
    [
        ((357_911, 2_117_220, 123.6, 6), "cluster"),  # of three dimensions: 502 µs, 847 by `direction`
        ((1_048_576, 5_242_880, 19.0, 15), "direction"),  # random-20-5: 109 µs, 1000 by `cluster`
        ((9_429, 75_428, 16.5, 11), "direction"),  # a small world: 59 µs, 75 by `cluster`
    ],
)
def test_hops_are_found_as_judged(graph: tuple[int, int, float, int], best: str) -> None:
    vertices, arcs, levels, hub = graph
    terms = of_search(Features(vertices, arcs, levels, vertices, hub, False, False, False))
    assert microseconds(f"bfs/{best}", terms) == min(
        microseconds(f"bfs/{way}", terms) for way in ("cluster", "one-block", "direction")
    )


def test_arcs_that_branch_or_are_scattered_are_counted_as_such() -> None:
    road = Features(1000, 2500, 60.0, 1000.0, 4, False, False, False)
    grid_of_cubes = replace(road, arcs=6000, scattered=True)
    for name, of_road, of_grid in (("branching_arcs", 1250, 6000), ("scattered_arcs", 0, 6000)):
        assert (of_search(road)[name], of_search(grid_of_cubes)[name]) == (of_road, of_grid)


def test_a_choice_takes_nothing_but_a_candidate() -> None:
    variants = {candidate.variant for kind in CHOICES for candidate in kind.candidates}
    assert {"cheapest", *variants} == {*TAKE.choices}
    with (
        EmulatedDevice() as device,
        pytest.raises(RetraceError, match=r"^sssp/auto: take=queue, expected cheapest or cluster or"),
    ):
        make("sssp/auto:take=queue", device).setup(NAMED["grid"])


def test_the_first_upload_reads_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    costs.cache_clear()
    with EmulatedDevice() as device:
        solver = make("bfs/auto", device)
        solver.setup(NAMED["grid"])
        monkeypatch.setattr("retrace_today.cost.read_yaml", None)
        solver.upload(Query(0))


def test_a_choice_takes_what_it_is_told_to() -> None:
    for spec in EACH_WAY:
        variant = spec.partition("take=")[2].partition(",")[0]
        if variant != "cheapest":
            assert chosen(spec, NAMED["grid"], Query(0, 9)) == f"{spec.partition('/')[0]}/{variant}"


MEASURED = {
    "random-10-5": lambda: generate("generate/tree-first", named("random-10-5", 1)),
    "random-14-5": lambda: generate("generate/tree-first", named("random-14-5", 1)),
    "random-20-5": lambda: generate("generate/tree-first", named("random-20-5", 1)),
    "NY": lambda: road_stand_in(264_346, 733_846, 1),
    "NW": lambda: road_stand_in(1_207_945, 2_820_774, 1),
    "Gowalla": lambda: heavy_tailed_stand_in(196_591, 1_900_654, 1),
}
"""Graphs like those of the records, without a download."""
SHOWN = [("bfs", graph) for graph in MEASURED]
SHOWN += [("sssp", graph) for graph in MEASURED if graph != "Gowalla"]


def resident(problem: str, graph: str, solver: str) -> float:
    """Return the ms that a solver takes on a resident graph, by the records of the H200."""
    alike = {"contracted": "no"} if solver == "sssp/cluster" else {}
    return ms(f"fast-{problem}", graph, solver, "again", **alike)


SEARCHES_OF_BETWEENNESS = """
 9  5 all  0.125 0.166 5.27
10  5 all  0.234 0.292 11.4
11  5 all  0.695 0.608 2.34
12  5 all  2.47  1.64  4.73
13  5 all  9.79  5.81  9.44
13 50 all  26.2  20.4  16.5
14  2 all  49.9  16.6  54.4
14  5 all  48.8  26.9  36.9
14 16 all  58.7  39.6  40.3
14 50 all  107   74.3  59.4
15  5 4096 44.4  24.2  33.9
15  5 all  344   182   142
16  5 4096 126   66.4  68.6
16 16 4096 243   113   65.9
"""
"""Random graphs of docs/experiments, 72: log2 of the vertices, degree, sources; ms of `vert-comp-virt`,
`bitmap-queue` and `lane-queues`.
"""


def test_betweenness_of_a_flat_graph_is_chosen_as_measured() -> None:
    factors = []
    with EmulatedDevice() as device:
        solver: Any = make("betweenness/auto", device)
        for line in SEARCHES_OF_BETWEENNESS.split("\n")[1:-1]:
            scale, degree, sources, *times = line.split()
            vertices = 2 ** int(scale)
            asked = Query(sources=tuple(range(vertices if sources == "all" else int(sources))))
            ranked = solver.ranked(alike(f"random-{scale}-{degree}"), asked)
            ms = dict(zip(("vert-comp-virt", "bitmap-queue", "lane-queues"), map(float, times), strict=True))
            taken = next(kind.variant for kind in ranked if kind.variant in ms)
            factors.append(ms[taken] / min(ms.values()))
    assert max(factors) < 1.2
    assert sum(factor <= GOOD_FACTOR for factor in factors) >= 12


@pytest.mark.parametrize(("problem", "graph"), SHOWN)
def test_no_choice_is_slower_than_the_other_in_the_records(problem: str, graph: str) -> None:
    with EmulatedDevice() as device:
        solver = make(f"{problem}/auto", device)
        assert isinstance(solver, Choice)
        ranked = solver.ranked(alike(graph), Query(0))
    measured = {one["solver"] for one in OF_H200 if one["experiment"] == f"fast-{problem}"}
    times = {kind: resident(problem, graph, kind.name) for kind in ranked if kind.name in measured}
    taken = next(iter(times))
    assert times[taken] <= max(GOOD_FACTOR * min(times.values()), GOOD_MS + min(times.values()))


FINDS_NONE = "sssp/delta-stepping", "sssp/workfront-sweep"
"""Candidates that find no predecessors."""


def usual(record: dict[str, Any], choice: dict[str, Any]) -> bool:
    """Return whether a record has the settings of a choice, and else those of its solver by default."""
    own, asked = record["parameters"], choice["parameters"]
    settings = find(record["solver"]).settings
    if asked.get("predecessors") == "yes" and record["solver"] in FINDS_NONE:
        return False
    return all(asked.get(key, settings[key].default) == own[key] for key in own if key in settings)


@cache
def alike(name: str) -> CSRGraph:
    """Return a graph like that of a record, with a near and a far pair."""
    kind = name.partition("-")[0]
    if kind == "random":
        return generate("generate/tree-first", named(name, 1))
    nine = [(u, u + 1, 1) for u in range(8)]
    found = graph(9, nine, directed=False) if kind == "small" else MEASURED[kind]()
    return replace(found, info={**found.info, "pairs": _pairs(found, 0)})


@cache
def now_chosen(name: str, graph: str, pair: str, sources: int | None) -> str:
    """Return which solver is chosen by default."""
    found = alike(graph)
    ends = found.info["pairs"]["far" if pair == "unreachable" else pair] if pair else (0, None)
    with EmulatedDevice() as device:
        solver: Any = make(name, device)
        query = Query(*ends, sources=None if sources is None else tuple(range(sources)))
        return str(solver.ranked(found, query)[0].name)


def of_candidates(choice: dict[str, Any], done: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the records of the solvers that a choice is between, asked for the same."""
    candidates = {kind.name for kind in find(choice["solver"]).candidates}
    same, asked = ("experiment", "graph", "source"), ("target", "sources")
    return {
        one["solver"]: one
        for one in done
        if one["solver"] in candidates
        and all(one[key] == choice[key] for key in same)
        and all(one["parameters"].get(key) == choice["parameters"].get(key) for key in asked)
        and usual(one, choice)
    }


MOST = in_turn.MOST["choices"]
SLOWER: dict[str, set[tuple[str, str]]] = {
    "h200": {("bfs/auto", "random-10-5"), ("betweenness/auto", "random-10-5")},
    "h100": {("bfs/auto", "random-10-5"), ("sssp/auto", "random-10-5"), ("betweenness/auto", "random-10-5")},
}
"""Where a candidate is faster: by 1 to 2 us of 35, `fewer-arcs` by 0.2 of 2.1, `betweenness/vert`, which has
become one since, by 66 of 282, on the H100 by 21 of 246, and there `sssp/one-block`, which is chosen now, by
15 of 81.
"""
BY_LITTLE: dict[str, set[tuple[str, str]]] = {
    "h200": {("small-9", "betweenness/auto"), ("random-10-5", "betweenness/auto")},
    "h100": {("random-8-5", "betweenness/auto"), ("random-10-5", "betweenness/auto")},
}
"""Medians are further apart, of searches of up to 1,024 vertices, in 0.1 and 0.3 ms. Those of drawn sources
say nothing: one of two solvers may have had fewer.
"""


@pytest.mark.parametrize(("machine", "records"), [("h200", OF_H200), ("h100", OF_H100)])
def test_no_choice_is_slower_than_another_candidate_in_any_record(
    machine: str, records: list[dict[str, Any]]
) -> None:
    done = [one for one in records if one["status"] == "ok"]
    shown, by_median, number = [], [], 0
    for choice in (one for one in done if one["solver"].endswith("/auto")):
        for candidate in of_candidates(choice, done).values():
            number += 1
            if of_records(candidate, choice)[0] > MOST:
                shown.append((choice["solver"], choice["graph"]["name"]))
            before, after = (statistics.median(on_resident_graph(one)) for one in (candidate, choice))
            if after > (1 + MOST) * before and "source" not in choice["trials"][0]:
                by_median.append(choice)
    assert number > 90
    assert set(shown) == SLOWER[machine]
    assert {(one["graph"]["name"], one["solver"]) for one in by_median} == BY_LITTLE[machine]


GENERATED_BY_GAP = "kron-", "urand-"  # too large to make here; `judge-choices` has them


def test_what_is_chosen_today_is_as_fast_in_the_records_as_what_was() -> None:
    compared = 0
    for records in (OF_H200, OF_H100):
        done = [one for one in records if one["status"] == "ok"]
        for choice in (one for one in done if one["solver"].endswith("/auto")):
            if choice["graph"]["name"].startswith(GENERATED_BY_GAP):
                continue
            pair, sources = (choice["parameters"].get(key) for key in ("pair", "sources"))
            found = choice["parameters"].get("predecessors", "no")
            asked = f"{choice['solver']}:predecessors=yes" if found == "yes" else choice["solver"]
            by_pair = choice["problem"] in ("stcon", "betweenness")
            taken = now_chosen(asked, choice["graph"]["name"], pair or "", sources if by_pair else None)
            same = of_candidates(choice, done).get(taken)
            if same is None or f"chose_{taken.partition('/')[2]}" in choice["observed"]:
                continue
            compared += 1
            before, now = (statistics.median(on_resident_graph(one)) for one in (choice, same))
            assert now <= max(GOOD_FACTOR * before, before + GOOD_MS), (choice["graph"], taken, before, now)
    assert compared > 3


def test_a_near_pair_is_found_before_a_launch_and_a_far_one_is_not_kept_waiting() -> None:
    path = graph(5000, [(u, u + 1, 1) for u in range(4999)], directed=False)
    with EmulatedDevice() as device:
        for target, near in ((3, True), (100, True), (102, False), (4999, False)):
            solver: Any = solved("stcon/auto:take=cluster,predecessors=yes", path, Query(0, target), device)
            assert solver.download().tolist() == [target]
            before = np.minimum(np.arange(-1, 4999), np.where(np.arange(5000) <= target, 5000, -1))
            assert np.array_equal(solver.predecessors(), before)
            assert solver.observed().get("found_near", 0) == near
            assert solver.observed()["chose_cluster"] == 1
        near_again = Query(0, 7)
        solver.begin_again(near_again)
        solver.solve(near_again)
        assert solver.download().tolist() == [7]


@pytest.mark.long
@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize("spec", EACH_WAY)
def test_each_way_agrees_with_the_oracle(spec: str, backend: str) -> None:
    for found in NAMED.values():
        last = found.vertices - 1
        for source, target in ((0, last), (last, last // 3)):
            verify(spec, backend, found, Query(source, target if spec.startswith("stcon") else None))


@pytest.mark.parametrize(
    ("spec", "instead"),
    [("bfs/auto", "bfs/direction"), ("sssp/auto", "sssp/near-far"), ("stcon/auto", "stcon/fewer-arcs")],
)
def test_what_no_cluster_can_hold_is_left_to_another(
    spec: str, instead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = identified(NAMED["grid"], "grid")
    order = f"{spec.partition('/')[0]}/cluster", instead
    monkeypatch.setattr(choosing, "microseconds", lambda name, _: order.index(name) if name in order else 9)
    with EmulatedDevice() as device:
        solver: Any = make(spec, device)
        fits = solver.memory_bytes(found)
        monkeypatch.setattr(GPULimits, "dynamic_shared", 0)
        other = make(instead, device if issubclass(find(instead), DeviceSolver) else None)
        need = other.memory_bytes(found) if isinstance(other, DeviceSolver) else 0
        assert solver.memory_bytes(found) == need != fits
    assert chosen(spec, found, Query(0, 9)) == instead
    verify(spec, "emulator", found, Query(0, 9))


@pytest.mark.parametrize("backend", DEVICES)
def test_the_choice_and_what_it_takes_are_told(backend: str) -> None:
    with open_device(backend) as device:
        solver: Any = solved("bfs/auto:take=cluster", NAMED["grid"], Query(0), device)
        observed = solver.observed()
        assert observed[f"chose_{solver.chosen.variant}"] == 1
        assert observed["choice_ms"] > 0
        assert observed["prepare_ms"] == solver.chosen.prepare_ms + observed["choice_ms"]
        assert observed.keys() == {f"chose_{solver.chosen.variant}", "choice_ms", *solver.chosen.observed()}
        observed = solved("bfs/auto", NAMED["grid"], Query(0), device).observed()
        assert set(observed) == {"chose_queue", "choice_ms"}


def test_a_choice_passes_on_the_settings_that_a_candidate_has() -> None:
    with EmulatedDevice() as device:
        for spec, there in (
            ("sssp/auto:take=cluster,predecessors=yes", True),
            ("sssp/auto:take=cluster", False),
        ):
            solver = solved(spec, NAMED["grid"], Query(0), device)
            solver.download()
            assert (solver.predecessors() is not None) == there
            assert isinstance(solver, Choice)
            assert solver.chosen.parameters["block_size"] == 1024
