"""Fabricated records, for the tests of all that is made of records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.records.record import (
    GPUInfo,
    GraphInfo,
    MachineInfo,
    Record,
    SoftwareInfo,
    Trial,
    digest_of_all,
)
from retrace.reports.claim import Where
from retrace.reports.frame import Frame, build
from retrace.reports.printed import read_printed
from retrace.reports.report import PUBLISHED, Report, load_reports

GRAPHS = {"small-6": (6, 20), "small-9": (9, 16), "NY": (264_346, 733_846), "NW": (1_207_945, 2_840_208)}
EXPERIMENTS = {"bfs": "table-3.3", "stcon": "table-3.4", "sssp": "table-3.5"}
LIBRARIES = ("scipy", "scipy-dijkstra", "igraph", "networkit", "gapbs")
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
"""A text that would be a program on a page that took it for HTML."""
WRONG: dict[str, Any] = {"verified": False, "reason": "vertex 3: 4, expected 5"}


def graph_info(name: str, **changes: Any) -> GraphInfo:
    """Fabricate a graph of the registry, `random-14-5` or `dense-256`."""
    info: dict[str, Any] = {"edition": "official", "weights": "file", "seed": None}
    kind, _, size = name.partition("-")
    if kind in ("random", "hub", "dense"):
        if kind != "dense":
            exponent, density = map(int, size.split("-"))
            vertices, arcs = 2**exponent, density * 2**exponent + (kind == "hub") * 2**exponent
        else:
            vertices, arcs = int(size), int(size) * (int(size) - 1)
        info |= {"edition": "generated", "weights": "generated", "origin": "generated", "seed": 7}
    elif name == "none":
        vertices, arcs = 0, 0
        info |= {"origin": "generated", "weights": "none", "edition": "none"}
    elif name == "Gowalla":
        vertices, arcs = 196_591, 1_900_654
        info |= {"origin": "snap"}
    else:
        vertices, arcs = GRAPHS[name]
        info |= {"origin": "report" if kind == "small" else "dimacs"}
    sha256 = f"{vertices:032d}{arcs:032d}" if vertices else None
    info |= {"name": name, "vertices": vertices, "arcs": arcs, "sha256": sha256}
    return GraphInfo(**info | changes)


def graphs_of(where: Where) -> list[str]:
    """List two graphs that meet a condition, the smaller first."""
    if where.real or where.most_vertices:
        return ["NY", "NW"] if where.real else ["small-6", "small-9"]
    size = 20 if (where.least_vertices or 0) > 2**12 else 12
    return [f"random-{k}-{where.arcs_per_vertex or 5}" for k in (size, size + 1)]


def machine_info(name: str, gpu: bool | None = None) -> MachineInfo:
    """Fabricate a machine; h200 has a GPU unless told otherwise."""
    kind = {"name": "NVIDIA H200", "compute_capability": "9.0", "memory_gib": 139.8, "driver": "580.82"}
    card = GPUInfo(**kind)
    has_gpu = name == "h200" if gpu is None else gpu
    return MachineInfo(name=name, cpu="Some CPU", cores=2, memory_gib=8.0, gpu=card if has_gpu else None)


def software(solver: str) -> SoftwareInfo:
    """Fabricate versions, with that of the library that a solver calls."""
    variant = solver.split("/")[1]
    versions = {"python": "3.11.7", "numpy": "2.3.0", "pycuda": None, "cuda": None, "compiler": "g++ 13"}
    peer = f"{variant} 1.0" if variant in LIBRARIES else None
    return SoftwareInfo(git_commit="0123456789abcdef" * 2 + "01234567", dirty=False, **versions, peer=peer)


def trial(solve: float, kernel: float | None = None, upload: float = 0.0, download: float = 0.0) -> Trial:
    total = upload + solve + download
    return Trial(upload=upload, solve=solve, download=download, total=total, kernel=kernel)


def in_cpp(solver: str) -> dict[str, Any]:
    """Return the parameter that says that C++ repeated the launches, if the solver has it."""
    return {"loop": "c++"} if "loop" in CATALOGUE.find(solver).settings else {}


def record(
    solver: str,
    graph: str | GraphInfo,
    times: Sequence[float] = (9.0, 10.0, 11.0),
    machine: str = "h200",
    backend: str = "host",
    setup: float = 0.0,
    copies: float = 0.0,
    **changes: Any,
) -> Record:
    """Fabricate a verified record whose trials solve in `times`, with `copies`; `changes` replace fields."""
    problem = solver.split("/")[0]
    values: dict[str, Any] = {
        "experiment": EXPERIMENTS.get(problem, problem), "problem": problem, "solver": solver,
        "backend": backend, "source": None if problem == "limits" else 0,
        "graph": graph_info(graph) if isinstance(graph, str) else graph,
        "parameters": in_cpp(solver),
        "setup": [setup] * 3,
        "trials": [trial(time, time / 2 if backend == "cuda" else None, copies, copies) for time in times],
        "iterations": 1 if problem == "limits" else None,
        "verified": True, "oracle": f"{problem}/scipy", "digest": "1" * 64, "started": "2026-01-31T12:00:00Z",
        "machine": machine_info(machine, True if backend == "cuda" else None), "software": software(solver),
    }  # fmt: skip
    return Record(**values | changes)


def drawn(
    solver: str, graph: str | GraphInfo, sources: Sequence[int] = (7, 3, 5), count: int = 64, **changes: Any
) -> Record:
    """Fabricate a record each of whose trials has a source, or a pair, of its own, of `count` in all."""
    is_pairs = solver.startswith("stcon/")
    trials = [
        trial(9.0 + number).model_copy(
            update={
                "source": one,
                "target": 1 if is_pairs else None,
                "digest": f"{one:016x}",
                "iterations": 2,
            }
        )
        for number, one in enumerate(sources)
    ]
    asked = {"pairs" if is_pairs else "sources": count, "source_seed": 1}
    values: dict[str, Any] = {"trials": trials, "digest": digest_of_all(trials), "parameters": asked}
    return record(solver, graph, **{"source": None, "backend": "host", **values, **changes})


def changed(one: Record, **changes: Any) -> Record:
    """Return a record with some fields replaced, checked anew."""
    return Record(**{key: getattr(one, key) for key in Record.model_fields} | changes)


def with_sources(one: Record, **changes: Any) -> Record:
    """Return a record whose trials have a source each, the first of 64."""
    trials = [
        trial.model_copy(update={"source": source, "digest": f"{source:016x}"})
        for source, trial in enumerate(one.trials)
    ]
    asked = one.parameters | {"sources": 64, "source_seed": 1}
    values = {"source": None, "parameters": asked, "trials": trials, "digest": digest_of_all(trials)}
    return changed(one, **values | changes)


def without_answer(solver: str, graph: str | GraphInfo, status: str, reason: str, **changes: Any) -> Record:
    none = {"status": status, "reason": reason, "verified": None, "oracle": None, "digest": None}
    return record(solver, graph, times=(), **(none | changes))


def hostile() -> list[Record]:
    """Records whose texts are HTML: the name of a graph, a reason, a processor, an oracle."""
    graph = graph_info("NY").model_copy(update={"name": EVIL})
    timed = record("sssp/bsp", graph, backend="cuda", oracle=EVIL)
    timed = changed(timed, machine=timed.machine.model_copy(update={"cpu": EVIL}))
    skipped = without_answer("sssp/dijkstra-linear", graph, "skipped", EVIL)
    hot = [one.model_copy(update={"throttled": one is timed.trials[-1]}) for one in timed.trials]
    throttled = record("sssp/dijkstra-heap", graph, trials=hot)
    return [timed, skipped, throttled, changed(record("sssp/scipy", graph), **WRONG)]


def frame(records: Iterable[Record], report: str) -> tuple[Frame, Report]:
    """Build the frame of records and what one of the five reports prints."""
    found, numbers = load_reports()[report], PUBLISHED / f"{report}.csv"
    printed = read_printed(numbers) if numbers.exists() else []
    return build(records, printed, found.tables), found


def suite(machine: str, gpu: bool, **graph_changes: Any) -> list[Record]:
    """Fabricate what one machine gives for Tables 3.3 to 3.5; the road graphs may be changed."""
    solvers = {
        "bfs/queue": (0.0008, 5.2e-6), "bfs/scipy": (0.08, 9e-6), "bfs/igraph": (0.01, 2.4e-5),
        "bfs/networkit": (0.02, 1.1e-5), "stcon/two-queues": (0.0007, 3.1e-6), "stcon/igraph": (0.02, 3e-5),
        "sssp/dijkstra-linear": (0.0008, 1.2e-7), "sssp/dijkstra-heap": (0.0009, 4e-5),
        "sssp/scipy": (0.1, 1.2e-4), "sssp/igraph": (0.02, 9e-5), "sssp/networkit": (0.03, 6e-5),
    }  # fmt: skip
    kernels = {"bfs/bsp": (0.12, 2.5e-5), "stcon/bsp": (0.14, 1.4e-5), "sssp/bsp": (0.16, 6e-5)}
    found = []
    for name in GRAPHS:
        graph = graph_info(name, **({} if name.startswith("small") else graph_changes))
        for solver, (base, slope) in (solvers | kernels if gpu else solvers).items():
            squared = solver == "sssp/dijkstra-linear"
            ms = base + slope * graph.vertices ** (2 if squared else 1) * (1 if machine == "h200" else 2.2)
            backend, setup = ("cuda", 142.0) if solver in kernels else ("host", 0.01)
            if squared and name == "NW":
                why = "predicted 1590 s a trial, budget_s is 600"
                found.append(without_answer(solver, graph, "skipped", why, machine=machine))
                continue
            for pair in ("near", "far") if solver.startswith("stcon") else (None,):
                parameters = {"pair": pair, "target": 3} if pair else {}
                scale = ms / 40 if pair == "near" else ms
                times = [scale * factor for factor in (1, 1.02, 0.99, 1.1, 1.01)]
                found.append(record(solver, graph, times, machine, backend, setup, parameters=parameters))
    return found


def sweep(machine: str, gpu: bool, largest: int = 22) -> list[Record]:
    """Fabricate what one machine gives for Table 2: zero-copy saves outside the kernels, pinned nothing."""
    factors = {"gpu-search": 1.4, "pinned": 1.0, "standard": 1.0, "thrust": 1.2, "zero-copy": 0.5}
    found = []
    sizes = [(size, arcs) for arcs in (50, 5) for size in range(10, largest + 1 + (arcs == 5))]
    for name in [f"random-{size}-{arcs}" for size, arcs in sizes]:
        graph = graph_info(name)
        kernel, mask = 0.1 + 2e-7 * graph.arcs, 0.05 + 1e-7 * graph.vertices
        trials = phases(solve=2e-6 * graph.arcs)
        found.append(measured("sssp/mask-sequential", "table-2", graph, trials, machine))
        for variant, factor in factors.items() if gpu else ():
            trials = phases(graph.arcs * 1e-6, kernel + mask * factor, kernel)
            found.append(measured(f"sssp/{variant}", "table-2", graph, trials, machine))
    return found


def phases(upload: float = 0.0, solve: float = 1.0, kernel: float | None = None) -> list[Trial]:
    """Fabricate five trials, 2 % from the fastest to the slowest."""
    return [
        trial(solve * f, None if kernel is None else kernel * f, upload * f, 0.01)
        for f in (1.0, 0.99, 1.01, 0.995, 1.005)
    ]


def measured(
    solver: str, key: str, graph: str | GraphInfo, trials: list[Trial], machine: str = "h200", **settings: int
) -> Record:
    """Fabricate a record of an experiment; `settings` are the solver's. With kernel times it is a GPU's."""
    backend = "cuda" if trials[0].kernel is not None else "host"
    asked = {"experiment": key, "parameters": in_cpp(solver) | settings, "trials": trials}
    return record(solver, graph, (), machine, backend, 100.0, **asked)


def tuwien(machine: str, gpu: bool) -> list[Record]:
    """Fabricate what one machine gives for the experiments of tuwien-sssp; all its claims hold."""
    found: list[Record] = []
    certified = "scipy.sparse.csgraph.dijkstra and optimality certificate of the tree"

    def add(experiment: str, solver: str, graph: str, trials: list[Trial], **observed: float) -> None:
        one = measured(solver, experiment, graph, trials, machine)
        found.append(changed(one, observed=observed, oracle=certified))

    for graph in [f"random-{size}-{arcs}" for size in range(10, 23) for arcs in (5, 50)]:
        info = graph_info(graph)
        sparse = info.arcs == 5 * info.vertices
        kernel, copy = 1e-6 * info.arcs, (0.5 if sparse else 10.0) * 1e-6 * info.arcs
        sequential = (kernel + 10 * copy) * (1.2 if sparse else 0.3)
        add("table-2", "sssp/mask-sequential", graph, phases(solve=sequential))
        for name, factor in {
            "standard": 10,
            "pinned": 3,
            "zero-copy": 1,
            "gpu-search": 2,
            "thrust": 10,
        }.items():
            if gpu:
                trials = phases(0.0, kernel + factor * copy, kernel)
                add("table-2", f"sssp/{name}", graph, trials, first_masked=info.vertices / 50)
    for graph in ("random-12-5", "random-14-5"):
        add("hong-bfs", "bfs/queue", graph, phases(solve=9.0))
    for graph in ("random-12-5", "random-20-5") if gpu else ():
        for name, ms in {"standard": 1e-3, "pinned": 2.0, "pinned-graph": 9.0, "mapped": 9.0}.items():
            upload = 0.3 if name == "pinned-graph" else 1.0
            trials = phases(upload, 5.0 if name == "pinned" else 9.0, 1.0)
            add("transfers", f"sssp/{name}", graph, trials, allocation_ms=ms)
        add("mask-ablations", "sssp/standard-published", graph, phases(1.0, 1.0, 0.5))
        counts = {"label_reads": 9e6, "label_sectors": 8e6, "early_search_ms": 1e-3, "whole_search_ms": 4e-2}
        add("mask-counts", "sssp/standard-counted", graph, phases(1.0, 9.0, 1.0), **counts)
    for exponent in (10, 12, 16, 20):
        every = f"random-{exponent}-{2**exponent - 1}"
        kernels = {f"random-{exponent}-5": 1.0, f"hub-{exponent}-5": 9.5, every: 10.0}
        for graph, ms in kernels.items():
            if graph == every and exponent > 12:
                continue
            add("hubs", "sssp/mask-sequential", graph, phases(solve=3.0))
            add("hubs", "sssp/dijkstra-heap", graph, phases(solve=3.0))
            for name, factor in {"standard": 1, "bsp": 2}.items() if gpu else ():
                add("hubs", f"sssp/{name}", graph, phases(0.1, factor * ms + 1, factor * ms))
    if gpu:
        add("fast-sssp", "sssp/cluster", "random-12-5", phases(0.1, 1.0, 1.0))
    for graph in ("random-14-5", "random-16-50", "random-23-5"):
        ms = 1e-5 * graph_info(graph).arcs
        add("generators", "generate/tree-first-one-core", graph, phases(solve=ms), components=1)
        add("generators", "generate/tree-first-reallocating", graph, phases(solve=5 * ms), components=1)
        if gpu:
            add("generators", "generate/random-degree", graph, phases(ms, ms / 8, ms / 9), components=7)
    return found


SURVEY: dict[str, tuple[float, float, dict[str, int]]] = {
    "sssp/bsp": (40.0, 0.0, {}),
    "bellman-ford/csr": (50.0, 0.0, {}),
    "bellman-ford/edge-list": (30.0, 0.0, {"edges_per_thread": 1}),
    "sssp/workfront-sweep": (9.0, 3.0, {}),
    "sssp/edge-classes": (8.0, 2.9, {}),
    "sssp/near-far": (5.0, 1.2, {"alone": 0}),
}
"""Nanoseconds an arc takes, and how often it is relaxed, in ways to save the work of Bellman-Ford."""
DENSE_SIZES = (256, 512, 1024, 2048, 4096, 8192, 12288, 16384, 20480)
"""Vertices of the complete graphs."""


def bellman_ford(machine: str, gpu: bool, sizes: Sequence[int] = DENSE_SIZES) -> list[Record]:
    """Fabricate what one machine gives for the experiments of an-bellman-ford; all its claims hold."""
    found: list[Record] = []

    def add(experiment: str, name: str, graph: str, trials: list[Trial], **settings: int) -> None:
        solver, key = f"bellman-ford/{name}", f"bellman-ford-{experiment}"
        one = measured(solver, key, graph, trials, machine, **settings)
        found.append(changed(one, iterations=4))

    for vertices in sizes:
        graph, arcs = f"dense-{vertices}", vertices**2
        copy, kernel = 0.02 + arcs * 1e-6, 0.03 + arcs * 1.1e-6
        gain = 2.2 / 1.09 ** (8 - DENSE_SIZES.index(vertices))
        hosts = {"sequential": 2e-5, "dijkstra-dense": 1e-5, "scipy": 9e-5, "scipy-dijkstra": 4e-5}
        for place, (name, ms) in enumerate(hosts.items(), 1):
            add("direction", name, graph, phases(solve=0.001 * place + arcs * ms))
        if not gpu:
            continue
        for experiment in ("transfer", "direction"):
            add(experiment, "dense", graph, phases(copy, kernel + 0.1, kernel))
            found[-1] = changed(found[-1], observed={"matrix_rows": 3.0 * vertices})
        add("transfer", "pinned", graph, phases(copy / gain, kernel + 0.1, kernel))
        for parts in (1, 2, 8, 32):
            for name, saved in (("streams", 0.9), ("streams-pinned", 0.6), ("streams-masked", 0.7)):
                solve = (copy + kernel) * (saved if parts > 1 else saved + 0.3) * (1 + 0.005 * parts)
                add("transfer", name, graph, phases(0.01, solve, min(kernel, solve)), parts=parts)
                rows = {"matrix_rows": 2.0 * vertices, "second_part_rows": 0.3 * vertices}
                found[-1] = changed(found[-1], observed=rows)
        for number, edges in enumerate((1, 2, 4, 8, 16, 32, 64)):
            slower = (1.6, 1.3, 1.0, 1.1, 1.2, 1.5, 2.2)[number]
            for name, factor in (("multi-edge", 1.0), ("multi-edge-consecutive", 1.2 + 0.2 * number)):
                ms = kernel * slower * factor
                add("edges", name, graph, phases(copy, ms + 0.1, ms), edges_per_thread=edges)
                found[-1] = changed(found[-1], observed={"blocks": 250.0 / edges, "resident_blocks": 264.0})
        for parts in (1, 2, 8, 32):
            overlap = {"overlapped_share": 0.1 * (parts - 1)}
            add("overlap", "streams-traced", graph, phases(0.01, copy + kernel, kernel), parts=parts)
            found[-1] = changed(found[-1], observed={"copying_ms": copy * (1 + 0.01 * parts), **overlap})
        add("direction", "incoming", graph, phases(copy, 4 * kernel, 4 * kernel))
        add("direction", "outgoing", graph, phases(copy, 16 * kernel, 16 * kernel))
        add("direction", "outgoing-transposed", graph, phases(copy, 12 * kernel, 12 * kernel))
        add("direction", "outgoing-fewer-atomics", graph, phases(copy, 4.4 * kernel, 4.4 * kernel))
        for masks, end in ((1, 1), (0, 1), (1, 0), (0, 0)):
            ms = kernel * (4 - 2 * masks - end)
            key = "ablations" if vertices <= 2048 else "masks"
            add(key, "ablated", graph, phases(copy, ms, ms), masks=masks, early_end=end)
            rows = {"matrix_rows": (5 - 3 * masks) * vertices}
            found[-1] = changed(found[-1], observed=rows, iterations=4 if end else vertices)
    for exponent in (12, 14, 18, 20):
        graph, ms = f"random-{exponent}-5", 5 * 2**exponent * 1e-6
        for name, times in {"sequential": 30, "scipy": 90}.items():
            add("sparse", name, graph, phases(solve=ms * times))
        for edges in (1, 4) if gpu else ():
            add("sparse", "edge-list", graph, phases(ms, 0.1 + ms * edges, ms), edges_per_thread=edges)
        for hub in (False, True) if gpu else ():
            name = graph.replace("random", "hub") if hub else graph
            add("sparse", "csr", name, phases(ms, 9 * ms, (8 if hub else 2) * ms))
        if gpu:
            hub = graph.replace("random", "hub")
            add("sparse", "edge-list", hub, phases(ms, 2 * ms, 1.2 * ms), edges_per_thread=1)
    add("sparse", "sequential", "NY", phases(solve=900.0))
    found.append(measured("sssp/dijkstra-heap", "table-3.5", "NY", phases(solve=90.0), machine))
    if gpu:
        found.append(measured("sssp/standard", "hubs", "hub-12-5", phases(1.0, 2.0, 1.0), machine))
    if gpu:
        add("sparse", "edge-list", "NY", phases(1.0, 9.0, 5.0), edges_per_thread=1)
        add("sparse", "csr", "NY", phases(1.0, 9.0, 6.0))
    for graph in ("random-12-5", "NY", "random-20-5") if gpu else ():
        for name, (ns, times, settings) in SURVEY.items():
            ms = ns * 1e-6 * graph_info(graph).arcs
            one = measured(name, "survey-sssp", graph, phases(0.1, ms, ms), machine, **settings)
            observed = {"arcs_relaxed": times * one.graph.arcs} if times else {}
            found.append(changed(one, iterations=20, observed=observed))
    return found


BRANDES = {
    "vert": 2.0, "edge": 1.6, "vert-queue": 2.6, "vert-comp": 1.7, "edge-comp": 1.4, "vert-queue-comp": 2.2,
    "vert-virt": 1.5, "vert-virt-stride": 1.3, "vert-comp-virt": 1.2, "vert-comp-virt-stride": 1.0,
    "vert-comp-virt-stride-const": 1.06, "levels": 4.0, "vert-prefix": 2.001, "vert-comp2-virt-stride": 0.9,
    "vert-side-virt-stride": 1.29,
    "lanes": 0.4, "auto": 1.3,
}  # fmt: skip
"""Times of the CUDA versions over those of the one that the report calls the fastest."""


def brandes(machine: str, gpu: bool) -> list[Record]:
    """Fabricate what one machine gives for the experiments of domitrz-brandes; all its claims hold."""
    found: list[Record] = []

    def add(experiment: str, name: str, graph: GraphInfo, trials: list[Trial], **settings: int) -> None:
        solver, key = f"betweenness/{name}", f"brandes-{experiment}"
        left = 0.6 if "comp2" in name else 0.7 if "comp" in name else 1.0
        observed = {"searched_vertices": left * graph.vertices, "searched_arcs": left * graph.arcs}
        if name == "vert-prefix":
            observed |= {"prefix_device_ms": 0.05, "prefix_host_ms": 0.06}
        searches = settings.get("blocks", 1 if name == "levels" else 264)
        observed["workspace_bytes"] = searches * 20 * graph.vertices
        one = measured(solver, key, graph, trials, machine, **settings)
        found.append(changed(one, observed=observed))

    for graph in (graph_info("random-10-5"), graph_info("Gowalla")):
        work = graph.vertices * graph.arcs
        for name, factor in {"seq-stl": 9.0, "seq-vector": 6.0, "seq-array": 4.0, "igraph": 8.0}.items():
            if graph.name != "Gowalla":
                add("variants", name, graph, phases(solve=work * 1e-6 * factor))
        add("variants", "networkit", graph, phases(solve=work * 1e-7 * 9))
        if not gpu:
            continue
        base = 0.5 + work * 8e-8
        for name, factor in BRANDES.items():
            add("variants", name, graph, phases(0.5, base * factor, base * factor))
        for streams, ms in {0: 1.1, 1: 1.3, 4: 1.2}.items():
            add("streams", "vert", graph, phases(ms, 2 * base, 2 * base), streams=streams)
        for name, upload, factor in (
            ("vert", 0.5, 2),
            ("vert-separate", base, 2),
            ("vert-interleaved", 0.5, 9),
        ):
            add("memory", name, graph, phases(upload, factor * base, factor * base))
        for name, additions in {"edge": 9e6, "vert-virt-stride": 5e6}.items():
            add("atomics", f"{name}-counted", graph, phases(0.5, base, base))
            observed = {"atomic_additions": additions}
            found[-1] = changed(found[-1], observed=observed)
        for name in ("vert", "vert-virt-stride", "vert-comp-virt-stride"):
            for blocks in (33, 66, 132, 264, 528):
                ms = base * BRANDES[name] * max(1.0, 132 / blocks)
                add("blocks", name, graph, phases(0.5, ms, ms), blocks=blocks)
        for name, error in {"vert": 2e-6, "vert-virt": 1e-6}.items():
            add("precision", name, graph, phases(0.5, base, base))
            observed = {"max_relative_error": error}
            found[-1] = changed(found[-1], parameters={"precision": "float"}, observed=observed)
        for name in ("vert-virt", "vert-virt-stride", "vert-comp-virt", "vert-comp-virt-stride"):
            for mdeg in (1, 2, 4, 8, 16, 32):
                ms = base * BRANDES[name] * (1 + 0.1 * abs(mdeg.bit_length() - 3))
                add("mdeg", name, graph, phases(0.5, ms, ms), mdeg=mdeg)
    for exponent in range(6, 15, 2):
        graph = graph_info(f"random-{exponent}-5")
        work = graph.vertices * graph.arcs
        add("crossover", "seq-array", graph, phases(solve=work * 4e-6))
        if gpu:
            ms = 0.5 + work * 8e-8
            add("crossover", "vert-comp-virt-stride", graph, phases(0.5, ms, ms))
    return found + (limits(machine) if gpu else [])


def hong(machine: str, gpu: bool) -> list[Record]:
    """Fabricate what one machine gives for the experiments of hong-bfs; all its claims hold."""
    found: list[Record] = []

    def add(experiment: str, name: str, graph: GraphInfo, trials: list[Trial], **settings: int) -> None:
        one = measured(f"bfs/{name}", experiment, graph, trials, machine, **settings)
        tree = "scipy.sparse.csgraph.dijkstra and optimality certificate of the tree"
        found.append(changed(one, oracle=tree, iterations=graph.vertices // 100 + 2))

    for name in ("small-9", "random-12-5", "random-14-5", "NY", "Gowalla", "NW"):
        graph = graph_info(name)
        for solver in ("two-frontier", "queue"):
            add("hong-bfs", solver, graph, phases(solve=graph.vertices * 1e-4))
        if graph.vertices <= 2**15:
            add("hong-bfs", "matrix", graph, phases(solve=graph.vertices * 1e-2))
            sizes = {"matrix_bytes": graph.vertices**2, "csr_bytes": 4 * (graph.vertices + 1 + graph.arcs)}
            found[-1] = changed(found[-1], observed=sizes | {"elements_read": graph.vertices**2})
        else:
            lack = ("skipped", "the matrix takes 65.1 GiB of memory, expected 1 GiB at most")
            asked = {"experiment": "hong-bfs", "machine": machine}
            found.append(without_answer("bfs/matrix", graph, *lack, **asked))
        for solver in ("block-queue", "block-queue-published", "bsp") if gpu else ():
            add("hong-bfs", solver, graph, phases(0.01, graph.vertices * 1e-5, graph.vertices * 1e-6))
        for size in (1, 512) if gpu else ():
            for solver in ("block-queue", "block-queue-published"):
                ms = graph.vertices * (2e-5 if size == 1 else 1e-5)
                add("hong-bfs-queue", solver, graph, phases(0.01, ms, ms / 2), block_queue_size=size)
    return found


LEVELS = {"NY": 620, "NW": 1960, "random-20-5": 14, "Gowalla": 10}
FAST: dict[str, dict[str, tuple[float, ...]]] = {
    "bfs/queue": {"fast-bfs": (6.86, 31.2, 30.0, 2.0)},
    "bfs/bsp": {"fast-bfs": (16.6, 68.7, 1.2, 0.9)},
    "bfs/cluster": {"fast-bfs": (0.6, 3.5, 0.9, 0.3)},
    "bfs/direction": {"fast-bfs": (2.0, 7.0, 0.12, 0.06)},
    "bfs/gapbs": {"fast-bfs": (6.36, 20.0, 3.17, 0.64)},
    "stcon/two-queues": {"fast-stcon": (4.6, 25.0)},
    "stcon/bsp": {"fast-stcon": (10.6, 42.0)},
    "stcon/cluster": {"fast-stcon": (0.4, 2.0)},
    "sssp/dijkstra-heap": {"fast-sssp": (26.5, 148.0, 300.0)},
    "sssp/bsp": {"fast-sssp": (36.7, 79.0, 6.0)},
    "sssp/pinned": {"fast-sssp": (40.0, 90.0, 7.0)},
    "sssp/cluster": {"fast-sssp": (1.5, 6.0, 3.0)},
    "sssp/near-far": {"fast-sssp": (4.0, 9.0, 0.4)},
    "sssp/gapbs": {"fast-sssp": (3.83, 20.0, 11.5)},
}
"""Milliseconds to solve NY, NW, random-20-5 and Gowalla, of an experiment."""
STEPS = {
    "load-shared": 15e-6, "load-cluster": 1e-4, "load-l2": 1.4e-4, "barrier-block": 1.5e-5,
    "barrier-cluster": 2.5e-4, "barrier-grid": 1.2e-3, "launch": 0.01, "read-l2": 1.6e-3,
    "read-memory": 0.25, "copy-pinned": 1.0,
}  # fmt: skip
"""Milliseconds of a step of each solver of the problem limits."""
MOVED = {"read-l2": 8 * 2**20, "read-memory": 2**30, "copy-pinned": 50 * 2**20}
"""Bytes of a step."""


def fast(machine: str, gpu: bool) -> list[Record]:
    """Fabricate what one machine gives for the experiments of what is fast today."""
    found = []
    for solver, of in FAST.items():
        ((experiment, times),) = of.items()
        on_gpu = CATALOGUE.find(solver).backends != ("host",)
        for graph, ms in zip(LEVELS, times, strict=False):
            if gpu or not on_gpu:
                one = measured(
                    solver, experiment, graph, phases(0.5, ms, ms * 0.9 if on_gpu else None), machine
                )
                asked = {"pair": "far", "target": 3} if experiment == "fast-stcon" else {}
                fewer = 1 if experiment == "fast-bfs" else 2  # from both ends; several arcs in a round
                counted = None if solver.endswith("gapbs") else LEVELS[graph] // fewer
                observed = {"prepare_ms": 30.0} if solver.endswith("cluster") else {}
                asked |= in_cpp(solver)
                found.append(changed(one, iterations=counted, parameters=asked, observed=observed))
    return found + (limits(machine) if gpu else [])


def warm(records: Iterable[Record], *solvers: str, share: float = 0.8) -> list[Record]:
    """Fabricate further searches of some solvers, or of all, that take a share of each trial's solve."""
    return [
        changed(one, trials=[t.model_copy(update={"again": t.solve * share}) for t in one.trials])
        if one.problem != "limits" and (one.solver in solvers or not solvers)
        else one
        for one in records
    ]


def limits(machine: str, **steps: float) -> list[Record]:
    """Fabricate a machine's constants; `steps` are those that differ."""
    found = []
    for name, ms in (STEPS | {key.replace("_", "-"): value for key, value in steps.items()}).items():
        count = round(20 / ms)
        observed = {"bytes": MOVED[name]} if name in MOVED else {}
        observed |= {"cache_bytes": 50 * 2**20} if name == "read-l2" else {}
        one = measured(f"limits/{name}", "limits", "none", phases(0.1, count * ms, count * ms), machine)
        found.append(changed(one, iterations=count, observed=observed))
    return found
