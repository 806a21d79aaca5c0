"""Claims about counts, shares, answers, memory and GPUs: what bears them out, and what leaves them open."""

from __future__ import annotations

from typing import Any

import pytest

from fabricated import (
    GRAPHS,
    WRONG,
    changed,
    frame,
    graph_info,
    graphs_of,
    hong,
    limits,
    measured,
    phases,
    trial,
)
from retrace.records.record import Record
from retrace.reports.claim import Claim, Ratio
from retrace.reports.finding import Finding, Verdict
from retrace.reports.judge import judge
from retrace.reports.report import load_reports
from retrace.reports.wording import TIMES

pytestmark = pytest.mark.usefixtures("steady")

A100 = {"name": "NVIDIA A100-SXM4-80GB", "compute_capability": "8.0", "memory_gib": 79.3, "driver": "580.82"}
H100 = {"name": "NVIDIA H100 80GB HBM3", "compute_capability": "9.0", "memory_gib": 79.6, "driver": "580.82"}
HONG = hong("h200", gpu=True)


def find(report: str, claim: str, records: list[Record], machine: str = "h200") -> Finding:
    own = load_reports()[report]
    return judge(own, own.claims[claim], frame(records, report)[0], machine)


def iterating(solver: str, experiment: str, counts: dict[str, int], **settings: Any) -> list[Record]:
    """Fabricate a solver's records by graph, with their iterations."""
    kernel = 0.5 if solver.endswith("bsp") else None
    made = [measured(solver, experiment, graph, phases(1, 2, kernel), **settings) for graph in counts]
    return [changed(one, iterations=number) for one, number in zip(made, counts.values(), strict=True)]


def with_quantities(one: Record, values: dict[str, float]) -> Record:
    """Change a record so that its quantities, as far as they can be changed, have given values."""
    graph, changes = {}, dict[str, Any](observed={})
    ms = {"upload": 0.0, "solve": 1.0, "kernel": 0.5}
    for name, value in values.items():
        match name:
            case "upload" | "solve":
                ms[name] = value
            case "total":
                ms["solve"] = value
            case "kernel":
                ms |= {"solve": 2 * value, "kernel": value}
            case "outside_kernels":
                ms |= {"solve": value + 0.5}
            case "kernel_per_iteration":
                changes["iterations"] = 4 if value == 800 else 8
                ms |= dict.fromkeys(("solve", "kernel"), changes["iterations"] * value)
            case "setup":
                changes["setup"] = [value] * 3
            case "step":
                ms["solve"], changes["iterations"] = value, 1
            case "iterations":
                changes["iterations"] = int(value)
            case "arcs":
                graph = {"arcs": int(value)}
            case "arcs_of_iterations":
                changes["iterations"], graph = 4, {"arcs": int(value / 4)}
            case "graph_bytes":
                graph = {"arcs": int(value / 8 - (one.graph.vertices + 1) / 2)}
            case "csr_bytes":
                graph = {"arcs": int(value / 4 - one.graph.vertices - 1)}
            case "device_bytes":
                assert one.machine.gpu
                card = one.machine.gpu.model_copy(update={"memory_gib": value / 2**30})
                changes["machine"] = one.machine.model_copy(update={"gpu": card})
            case "vertices" | "possible_arcs" | "bit_matrix_bytes":
                pass
            case _:
                changes["observed"][name] = value
    trials = [trial(ms["solve"], min(ms["kernel"], ms["solve"]), ms["upload"])] * 3
    return changed(one, graph=one.graph.model_copy(update=graph), trials=trials, **changes)


RATIOS = {
    name: (report, claim.test)
    for report in load_reports().values()
    for name, claim in report.claims.items()
    if isinstance(claim.test, Ratio)
}


@pytest.mark.parametrize("claim", RATIOS)
def test_a_ratio_is_judged_both_ways(claim: str) -> None:
    """The ratio lies within its bounds, and then beyond one."""
    report, test = RATIOS[claim]
    one, other = (report.variant(spec) for spec in test.specs)
    least, most = test.at_least, test.at_most
    within = (least + most) / 2 if least and most else least * 1.5 if least else (most or 0) / 2
    beyond = least / 2 if least else (most or 0) * 2
    for factor, expected in zip((within, beyond), (Verdict.HOLDS, Verdict.FAILS), strict=True):
        records = []
        for graph, over in (test.held_against or {graph: graph for graph in graphs_of(test.where)}).items():
            key = report.claims[claim].experiments[0]
            own = measured(one.solver, key, graph, phases(1, 2, 1), **one.settings)
            vertices = own.graph.vertices
            fixed = {"vertices": vertices, "possible_arcs": vertices * (vertices - 1)}
            unit = fixed.get(str(test.over_its), 404 * vertices if test.of == "graph_bytes" else 800)
            if test.of == "bit_matrix_bytes":
                unit = vertices**2 / 8 / factor
            top, base = {test.of: factor * unit}, {test.over_its or test.of: float(unit)}
            if (one, graph) == (other, over):
                records.append(with_quantities(own, top | base))
            elif over not in [record.graph.name for record in records if record.solver == other.solver]:
                held = measured(other.solver, key, over, phases(1, 2, 1), **other.settings)
                records += [with_quantities(own, top), with_quantities(held, base)]
        found = find(report.key, claim, records)
        assert found.verdict == expected, found.measured


def on_hubs(hub: float, every: float, **changes: Any) -> list[Record]:
    """Fabricate a thread a vertex on random graphs, on those with a hub, and on complete ones."""
    kernels = {"random-10-5": 1.0, "hub-10-5": hub, "random-10-1023": every}
    made = [
        measured("sssp/standard", "hubs", graph, phases(0.1, ms + 1, ms)) for graph, ms in kernels.items()
    ]
    return [changed(one, **changes) if one.graph.name == "hub-10-5" else one for one in made]


def test_graphs_that_are_named_are_compared_although_they_differ() -> None:
    slow, bad = (("tuwien-sssp", name) for name in ("high-degree-slows", "one-hub-is-as-bad-as-all"))
    assert find(*slow, on_hubs(5.0, 10.0)).measured == f"hub-10-5: 5.00{TIMES}"
    assert find(*bad, on_hubs(5.0, 10.0)).sentence == "does not hold"
    assert find(*bad, on_hubs(9.5, 10.0)).sentence == "holds"
    (alone,) = (one for one in on_hubs(9.5, 10.0) if one.graph.name == "random-10-1023")
    why = find(*slow, [alone]).why
    assert why.startswith("hub-10-5, random-10-5, hub-12-5")
    assert why.endswith("random-20-5: not measured")
    software = alone.software.model_copy(update={"git_commit": "9" * 40})
    assert find(*slow, on_hubs(5.0, 10.0, software=software)).verdict == Verdict.OPEN


@pytest.mark.parametrize(
    ("components", "sentence"),
    [((1, 47), "holds"), ((47, 1), "holds"), ((1, 1), "does not hold"), ((5, 47), "holds")],
)
def test_no_guarantee_takes_one_graph(components: tuple[int, int], sentence: str) -> None:
    records = []
    for graph, own in zip(("random-14-5", "random-20-5"), components, strict=True):
        for solver, count in (("random-degree", own), ("tree-first-reallocating", 1)):
            one = measured(f"generate/{solver}", "generators", graph, phases(1, 2, 1))
            other = one.graph.model_copy(update={"sha256": f"{count:064x}"})
            records.append(changed(one, graph=other, observed={"components": count}))
    assert find("tuwien-sssp", "random-degree-is-not-connected", records).sentence == sentence


def test_without_other_graphs_a_ratio_is_of_the_very_same() -> None:
    named = [
        measured(f"sssp/{name}", "hubs", "random-10-1023", phases(1, ms, 1))
        for name, ms in (("standard", 9), ("mask-sequential", 2))
    ]
    asked = ("tuwien-sssp", "sequential-is-considerably-faster-on-complete")
    assert find(*asked, named).verdict == Verdict.HOLDS
    other = changed(named[1], graph=named[1].graph.model_copy(update={"sha256": "e" * 64}))
    assert find(*asked, [named[0], other]).verdict == Verdict.OPEN
    others = [measured(one.solver, "hubs", "random-10-5", one.trials) for one in named]
    assert find(*asked, others).why == "random-10-1023 and random-12-4095: not measured"


def test_searches_from_some_vertices_are_not_held_against_searches_from_all() -> None:
    """A sample of sources is a question of its own, though the graph is the very same."""
    names = {"vert-comp-virt-stride-const": 1.0, "vert-comp-virt-stride": 1.0}
    sample, whole = {"sources": 4096, "source_seed": 1}, dict[str, int]()
    records = [
        measured(f"betweenness/{name}", "brandes-variants", "Gowalla", phases(1, scale * ms, ms), **settings)
        for name, ms in names.items()
        for scale, settings in ((1, sample), (35, whole))
    ]
    records = [
        changed(one, graph=one.graph.model_copy(update={"name": "Gowalla-4096"}))
        if one.parameters.get("sources")
        else one
        for one in records
    ]
    found = find("domitrz-brandes", "constant-memory-is-slower", records)
    assert found.measured == f"Gowalla-4096, 4096 sources: 1.00{TIMES}; Gowalla: 1.00{TIMES}"
    (alone,) = (one for one in records if one.solver.endswith("const") and "sources" not in one.parameters)
    few = [alone, *(one for one in records if "sources" in one.parameters)]
    assert "Gowalla: " not in find("domitrz-brandes", "constant-memory-is-slower", few).measured


def test_pairs_of_vertices_are_not_held_against_each_other() -> None:
    near, far = (
        measured("stcon/bsp", "table-3.4", "small-9", phases(1, ms, ms), pair=pair, target=target)
        for pair, target, ms in (("near", 1, 1.0), ("far", 3, 9.0))
    )
    levels = measured("bfs/queue", "table-3.3", "small-9", phases(1, 1))
    everything = frame([near, far, levels], "bsp-suite")[0]
    one, other = everything.of("table-3.4").measured
    assert one.differences(other) == ["another question"]
    (search,) = everything.of("table-3.3").measured
    assert (
        one.differences(search) == other.differences(search) == []
    )  # a claim holds iterations against levels


def test_how_far_versions_are_apart_is_told_by_their_quartiles() -> None:
    def versions(*times: float) -> list[Record]:
        kernels = dict(zip((1, 4, 64), times, strict=True))
        return [
            measured(
                "bellman-ford/multi-edge",
                "bellman-ford-edges",
                "dense-512",
                phases(1, ms, ms),
                edges_per_thread=n,
            )
            for n, ms in kernels.items()
        ]

    asked = ("an-bellman-ford", "versions-differ-dramatically")
    found = find(*asked, versions(3.0, 1.0, 1.5))
    assert found.verdict == Verdict.HOLDS
    least, most = (f"multi-edge:edges_per_thread={n}" for n in (4, 1))
    said = f"1.00 ms ({least}), 3.00 ms ({most}), 3.0\N{NO-BREAK SPACE}{TIMES} faster"
    assert found.measured.endswith(said)
    assert find(*asked, versions(1.9, 1.0, 1.5)).verdict == Verdict.FAILS
    assert find(*asked, versions(2.0, 1.0, 1.5)).verdict == Verdict.OPEN


LEVELS = {"small-6": 3, "small-9": 5, "NY": 620, "random-20-5": 14, "NW": 1960}


@pytest.mark.parametrize(
    ("iterations", "sentence"),
    [
        ({"small-6": 3, "small-9": 5, "NY": 1200, "NW": 2000}, "holds"),
        ({"small-6": 3, "small-9": 15, "NY": 1200, "NW": 2000}, "holds: but not on small-9"),
        ({"small-6": 3, "small-9": 5, "NY": 1241, "NW": 2000}, "holds in part: only on small-6, small-9, NW"),
        ({"small-6": 3, "small-9": 5, "NY": 1200, "NW": 9000}, "holds in part: only on small-6, small-9, NY"),
        ({"NY": 1300, "NW": 9000}, "does not hold"),
        ({"random-20-5": 34, "NW": 2000}, "holds in part: only on NW"),
    ],
)  # fmt: skip
def test_iterations_are_held_against_levels(iterations: dict[str, int], sentence: str) -> None:
    """SSSP and BFS stand in different tables; without its weights NW has another label, but is the same."""
    levels = iterating("bfs/queue", "hong-bfs", LEVELS)
    records = [*levels, *iterating("sssp/bsp", "table-3.5", iterations)]
    records = [
        changed(one, graph=one.graph.model_copy(update={"weights": "generated"}))
        if one.graph.name == "NW"
        else one
        for one in records
    ]
    found = find("bsp-suite", "sssp-takes-the-diameter", records)
    said = sentence.replace("NW", "NW (weights generated)")
    assert found.sentence == said
    assert f"{iterations['NW'] / 1960:.3g}"[:4] in found.measured


def test_a_quantity_of_another_graph_or_of_no_record_tells_nothing() -> None:
    levels = iterating("bfs/queue", "hong-bfs", LEVELS)
    others = [
        changed(one, graph=one.graph.model_copy(update={"sha256": "e" * 64}))
        for one in iterating("sssp/bsp", "table-3.5", {"NY": 600})
    ]
    asked = ("bsp-suite", "sssp-takes-the-diameter")
    assert find(*asked, [*levels, *others]).verdict == Verdict.OPEN
    untold = measured("sssp/bsp", "table-3.5", "NY", phases(1, 2, 1))
    assert find(*asked, [*levels, untold]).why == "no record says iterations of bsp"
    assert find(*asked, others).why == "queue was not measured"


def test_counts_of_two_commits_compare_and_times_do_not() -> None:
    """How often a search iterates does not depend on the host, and hardly on the commit."""
    levels = iterating("bfs/queue", "hong-bfs", LEVELS)
    later = [
        changed(one, software=one.software.model_copy(update={"git_commit": "e" * 40}))
        for one in iterating("sssp/bsp", "table-3.5", {"NY": 1200})
    ]
    assert find("bsp-suite", "sssp-takes-the-diameter", [*levels, *later]).verdict == Verdict.HOLDS
    standard, pinned = (
        measured(f"sssp/{name}", "table-2", "random-20-5", [trial(ms, kernel=1.0)] * 9)
        for name, ms in (("standard", 9.0), ("pinned", 3.0))
    )
    great = "tuwien-sssp", "pinned-is-a-great-boost"
    assert find(*great, [standard, pinned]).measured.startswith("random-20-5: 3.00")
    elsewhere = changed(pinned, software=later[0].software)
    assert find(*great, [standard, elsewhere]).verdict == Verdict.OPEN
    assert not find(*great, [standard, elsewhere]).measured


@pytest.mark.parametrize(
    ("setups", "verdict"),
    [((9.0, 9.1, 9.2), Verdict.HOLDS), ((1.0, 1.1, 1.2), Verdict.FAILS), ((1.0, 4.0, 9.0), Verdict.OPEN)],
)
def test_a_share_of_times_ties_if_its_quartiles_lie_on_both_sides(
    setups: tuple[float, ...], verdict: Verdict
) -> None:
    large = measured("sssp/bsp", "table-3.5", "NY", [trial(9.0, kernel=1.0)] * 3)
    small = measured("sssp/bsp", "table-3.5", "small-9", [trial(2.0, kernel=1.0)] * 3)
    records = [changed(large, setup=[0.1] * 3), changed(small, setup=list(setups))]
    found = find("bsp-suite", "sssp-small-graphs-pay-for-setup", records)
    assert found.verdict == verdict
    assert found.measured.startswith("small-9: ")
    few = [records[0], changed(small, setup=list(setups[:2]))]
    assert find("bsp-suite", "sssp-small-graphs-pay-for-setup", few).verdict == Verdict.OPEN


def test_bytes_of_small_and_of_generated_graphs_do_not_count() -> None:
    found = find("hong-bfs", "csr-saves-storage", HONG)
    assert found.verdict == Verdict.HOLDS
    assert "small-9" not in found.measured
    sparse = find("hong-bfs", "graphs-are-sparse", HONG)
    assert sparse.measured == f"NW: 0.00000195{TIMES}; Gowalla: 0.0000492{TIMES}"


@pytest.mark.parametrize(
    ("gib", "sentence"),
    [(3.0, "holds"), (8.2, "holds in part: only on NW"), (169.0, "holds in part: only on NW"),
     (171.0, "does not hold")],
)  # fmt: skip
def test_a_matrix_of_bits_is_held_against_the_memory_of_the_gpu(gib: float, sentence: str) -> None:
    """Bits for New York take 8.14 GiB and for Northwest 169.9, whatever our matrix may take."""
    records = []
    for one in HONG:
        assert one.machine.gpu
        card = one.machine.gpu.model_copy(update={"memory_gib": gib})
        records.append(changed(one, machine=one.machine.model_copy(update={"gpu": card})))
    found = find("bsp-suite", "matrix-restricts-size", records)
    assert found.sentence == sentence


def test_an_answer_that_differs_counts_whatever_it_took() -> None:
    asked = ("hong-bfs", "paths-are-traced-back")

    def altered(graph: str, **changes: Any) -> list[Record]:
        return [
            changed(one, **changes) if (one.solver, one.graph.name) == ("bfs/block-queue", graph) else one
            for one in HONG
            if one.experiment == "hong-bfs"
        ]

    skipped = (
        "; matrix skipped on Gowalla, NY and NW: the matrix takes 65.1 GiB of memory, expected 1 GiB at most"
    )
    assert find(*asked, HONG).measured == f"verified in 21 of 21 records{skipped}"
    found = find(*asked, altered("NW", **WRONG))
    assert found.sentence == "holds in part: not on NW (block-queue)"
    assert found.measured == f"verified in 20 of 21 records{skipped}"
    small = find(*asked, altered("small-9", **WRONG))
    assert small.sentence == "holds in part: not on small-9 (block-queue)"
    assert find(*asked, altered("NW", oracle="scipy.sparse.csgraph.dijkstra")).verdict == Verdict.IN_PART
    assert find("hong-bfs", "labels-are-fewest-edges", altered("NW", oracle="scipy")).verdict == Verdict.HOLDS
    without = [one for one in HONG if one.solver != "bfs/block-queue-published"]
    assert find(*asked, without).why == "block-queue-published was not measured"


def test_a_claim_that_is_refuted_or_not_measured_says_so() -> None:
    refuted = find("hong-bfs", "labels-are-positive", HONG)
    assert refuted.sentence == "does not hold: the source is reached from itself, and its label is 0"
    of_nothing = Claim(section="2", says="It is loud.", missing="a microphone")
    missing = judge(load_reports()["hong-bfs"], of_nothing, frame(HONG, "hong-bfs")[0], "h200")
    assert missing.sentence == "cannot be told: a microphone"


def test_constants_of_a_machine_are_of_no_graph() -> None:
    found = find("domitrz-brandes", "block-barriers-beat-launches", limits("h200"))
    assert (found.verdict, found.measured, found.number) == (Verdict.HOLDS, f"667{TIMES}", f"667{TIMES}")


@pytest.mark.parametrize(
    ("solve", "upload", "sentence"),
    [(11_600.0, 16.0, "holds"), (2000.0, 2500.0, "does not hold"),
     (900.0, 16.0, "cannot be told: no graph has enough trials of all that is compared")],
)  # fmt: skip
def test_a_part_of_a_long_run_counts_as_the_run_does(solve: float, upload: float, sentence: str) -> None:
    """A search of whole Gowalla has one trial, and so has the upload before it; a toy says nothing of it."""
    toy, whole = (
        measured("betweenness/vert-comp", "brandes-variants", graph, [trial(ms, ms, up)] * trials)
        for graph, ms, up, trials in (("small-9", 0.1, 0.6, 3), ("Gowalla", solve, upload, 1))
    )
    found = find("domitrz-brandes", "compaction-is-not-the-slowest", [toy, whole])
    assert found.sentence == sentence
    two_of_three = [trial(2000.0, kernel, 16.0) for kernel in (1.0, 1.0, None)]
    partly = measured("betweenness/vert-comp", "brandes-variants", "Gowalla", two_of_three)
    (entry,) = frame([partly], "domitrz-brandes")[0].measured
    assert entry.quantity("kernel") is None


def test_an_expansion_too_many_is_one_too_many() -> None:
    def counted(most: int) -> list[Record]:
        counts = {"NY": 264_346, "NW": most}
        made = [measured("bfs/bsp-counted", "bfs-expansions", graph, phases(1, 2, 1)) for graph in counts]
        observed = [
            {"expansions": float(number), "reached": float(GRAPHS[g][0])} for g, number in counts.items()
        ]
        return [changed(one, observed=seen) for one, seen in zip(made, observed, strict=True)]

    assert find("bsp-suite", "bfs-expands-once", counted(GRAPHS["NW"][0])).sentence == "holds"
    more = find("bsp-suite", "bfs-expands-once", counted(GRAPHS["NW"][0] + 1))
    assert more.sentence == "holds in part: only on NY"


def test_a_gain_whose_range_overlaps_that_of_a_smaller_graph_is_a_tie() -> None:
    def records(slow: tuple[float, ...], larger: tuple[float, ...]) -> list[Record]:
        pinned = [
            measured("bellman-ford/pinned", "bellman-ford-transfer", f"dense-{size}", phases(1.0, 1, 1))
            for size in (256, 512)
        ]
        for size, times in ((256, slow), (512, larger)):
            trials = [trial(1.0, kernel=1.0, upload=ms) for ms in times]
            pinned.append(measured("bellman-ford/dense", "bellman-ford-transfer", f"dense-{size}", trials))
        return pinned

    asked = ("an-bellman-ford", "pinned-gains-with-size")
    low, high = (2.0, 2.9, *[3.0] * 7, 3.1, 9.0), (1.0, 4.0, *[5.0] * 7, 6.0, 7.0)
    assert find(*asked, records((2, 3, 4, 5, 6), (1, 4, 5, 6, 7))).verdict == Verdict.OPEN
    assert find(*asked, records(low, high)).verdict == Verdict.HOLDS
    assert find(*asked, records(high, low)).verdict == Verdict.FAILS


def on_card(name: str, card: dict[str, Any], ms: float, setup: float) -> list[Record]:
    found = []
    for graph in GRAPHS:
        times = [trial(ms * f, kernel=ms / 2) for f in (1.0, 1.01, 1.02)]
        one = measured("sssp/bsp", "table-3.5", graph_info(graph), times, name)
        gpu = one.machine.gpu
        assert gpu is not None
        machine = one.machine.model_copy(update={"gpu": gpu.model_copy(update=card)})
        found.append(changed(one, machine=machine, setup=[setup * f for f in (1.0, 1.01, 1.02)]))
    return found


@pytest.mark.parametrize(
    ("ms", "setup", "faster", "longer"),
    [(1.0, 200.0, Verdict.HOLDS, Verdict.HOLDS), (4.0, 50.0, Verdict.FAILS, Verdict.FAILS),
     (2.0, 100.0, Verdict.OPEN, Verdict.OPEN)],
)  # fmt: skip
def test_a_newer_gpu_is_held_against_an_older_one(
    ms: float, setup: float, faster: Verdict, longer: Verdict
) -> None:
    older = on_card("a100", A100, 2.0, 100.0)
    records = [*on_card("h200", {}, ms, setup), *older]
    for machine in ("a100", "h200"):
        found = find("bsp-suite", "sssp-on-newer-gpu", records, machine)
        assert found.verdict == faster
        assert found.measured.count("NY, printed: 825 ms (GT 730), 4.712 s (GT 520)") == 1
        assert f"; by kernel it {faster}: NW: " in found.measured
        assert "small" not in found.measured
        found = find("bsp-suite", "sssp-setup-on-newer-gpu", records, machine)
        assert found.verdict == longer
        assert found.measured.startswith("small-9: ")
    later = older[0].software.model_copy(update={"git_commit": "e" * 40})
    mixed = [*on_card("h200", {}, ms, setup), *(changed(one, software=later) for one in older)]
    told = find("bsp-suite", "sssp-on-newer-gpu", mixed, "h200").sentence
    assert told == "cannot be told: the records of two such GPUs are of different commits"
    alone = find("bsp-suite", "sssp-on-newer-gpu", older, "a100")
    assert alone.sentence == "cannot be told: it takes GPUs of two compute capabilities, found 8.0 alone"
    assert alone.measured.endswith("NW, printed: 1.06 s (GT 730), 42.025 s (GT 520)")
    assert find("bsp-suite", "sssp-on-newer-gpu", records, "local").why == "no times on a GPU"


def test_gpus_of_one_generation_are_neither_newer_nor_older() -> None:
    """An H200 is an H100 with other memory: what differs is of the hosts."""
    records = [*on_card("h200", {}, 1.0, 100.0), *on_card("h100", H100, 2.0, 100.0)]
    told = "cannot be told: it takes GPUs of two compute capabilities, found 9.0 alone"
    assert find("bsp-suite", "sssp-on-newer-gpu", records, "h200").sentence == told
    minor = [
        *on_card("h200", A100 | {"compute_capability": "8.10"}, 1.0, 100.0),
        *on_card("a100", A100, 2.0, 100.0),
    ]
    assert find("bsp-suite", "sssp-on-newer-gpu", minor, "a100").verdict == Verdict.HOLDS
    with_ampere = [*records, *on_card("a100", A100, 3.0, 100.0)]
    found = find("bsp-suite", "sssp-on-newer-gpu", with_ampere, "h100")
    assert found.sentence == "holds"
    assert "h200" not in found.measured


def test_a_ratio_grows_where_a_difference_does_too_but_not_the_other_way() -> None:
    def total(solver: str, times: tuple[float, ...]) -> list[Record]:
        return [
            measured(solver, "table-3.3", graph, phases(solve=ms))
            for graph, ms in zip(GRAPHS, times, strict=True)
        ]

    sequential = total("bfs/queue", (1.0, 2.0, 40.0, 80.0))
    same = [*sequential, *total("bfs/bsp", (1.0, 1.0, 10.0, 20.0))]
    found = find("bsp-suite", "bfs-gains-with-size", same)
    assert found.sentence == "holds in part: only on small-9, NY"  # 4 times on NW, as on NY
    grown = [*sequential, *total("bfs/bsp", (1.0, 1.0, 10.0, 10.0))]
    assert find("bsp-suite", "bfs-gains-with-size", grown).sentence == "holds"


def test_pairs_of_a_search_between_two_vertices_are_apart() -> None:
    records = []
    for pair, fast, slow in (("near", 9.0, 1.0), ("far", 1.0, 9.0)):
        for solver, ms in (("stcon/bsp", fast), ("stcon/two-queues", slow)):
            one = measured(solver, "table-3.4", "NW", phases(solve=ms, kernel=0.1 if ms == fast else None))
            records.append(changed(one, parameters={"pair": pair, "target": 3}, iterations=100))
    found = find("bsp-suite", "stcon-beats-sequential", records)
    assert found.sentence == "holds"
    assert found.measured.endswith("faster in 1, slower in 0 of 1")
    levels = iterating("bfs/queue", "table-3.3", {"NW": 200})
    found = find("bsp-suite", "stcon-takes-the-diameter", [*records, *levels])
    assert found.measured == f"NW, near pair: 0.500{TIMES}; NW: 0.500{TIMES}"
    found = find("bsp-suite", "frontiers-meet-on-shortest-path", records)
    assert found.measured == "verified in 2 of 2 records"
