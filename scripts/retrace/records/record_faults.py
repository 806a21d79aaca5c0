"""What keeps a record out of a table by itself: its provenance, its forms, physics, and the graph's name."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.graphs.dataset_registry import Dataset
from retrace.graphs.graph_names import (
    COMPLETE_GRAPH,
    HUB_GRAPH,
    NO_GRAPH,
    RANDOM_GRAPH,
    STANDARD_GRAPH,
    most_arcs,
)
from retrace.graphs.pins import is_trusted
from retrace.records.record import HELD_BACK, Record
from retrace.system.models import one_line

FASTEST = 10e12
"""Bytes per second at which no machine reads a graph: twice what an H200 reads of its memory."""
FASTEST_LINK = 1e12
"""Bytes per second at which no host sends to a GPU: twice what NVLink-C2C does each way."""
READ = ("bfs", "sssp", "bellman-ford", "generate")
"""Problems whose solution reads or writes each arc, in four bytes at least; other searches may end early."""
SENT = ("bfs", "sssp", "bellman-ford", "betweenness")
"""Problems whose arcs a GPU has from its host, and whose answers it returns, of four bytes each at least."""
STEPWISE = ("bfs", "stcon", "sssp", "bellman-ford")
"""Problems whose iterations on a GPU each read what the one before wrote."""
SHORTEST_STEP_MS = 50e-6
"""Milliseconds in which no GPU passes such an iteration: an H200 takes 140 ns for a load from L2 alone."""
SHORTEST_MS = {"cuda": 1e-3, "host": 1e-6}
"""Milliseconds in which no launch or copy ends; on a host, one step of its clock."""
UNEVEN = 4.0
"""How many times as long searches for energy, or trials of an even solver, may last."""
MOST_WATTS = 2000.0
"""Power that no board of a GPU draws."""
BEGUN = datetime(2025, 1, 1, tzinfo=UTC)
"""Before any record."""
CAPABILITY = r"\d{1,2}\.\d[a-z]?", "9.0"
FORM_OF = {
    "software.git_commit": (r"[0-9a-f]{40}", "0123456789abcdef0123456789abcdef01234567"),
    "software.python": (r"3\.\d{1,2}\.\d+\S*", "3.12.3"),
    "software.numpy": (r"[1-9]\.\d{1,2}\.\d+\S*", "2.3.0"),
    "software.pycuda": (r"20\d\d\.\d+(\.\d+)*", "2026.1"),
    "software.cuda": (r"1\d\.\d+(\.\d+)*", "13.0.88"),
    "software.compiler": (r"[\w+-]+ .*\d.*", "g++ 13.3.0"),
    "software.peer": (r"\w+ \S*\d\S*", "scipy 1.18.1"),
    "machine.gpu.driver": (r"[3-9]\d\d\.\d+(\.\d+)*", "580.159.04"),
    "machine.gpu.compute_capability": CAPABILITY,
    "machine.gpu.compiled_for": CAPABILITY,
}
"""What a value is, and an example."""


def find_faults(record: Record, registry: Mapping[str, Dataset]) -> Iterator[str]:
    """Yield what keeps a record out of a table, each after its key."""
    if record.backend == "emulator":
        yield "backend: expected cuda or host, found emulator, whose times say nothing of a GPU"
    if (gpu := record.machine.gpu) and gpu.compiled_for not in (None, gpu.compute_capability):
        other_card = f"found {gpu.compiled_for}: it was used as if it were another GPU"
        advice = "remove compute_capability from the machine, and measure again"
        yield f"machine.gpu.compiled_for: expected {gpu.compute_capability}, its own, {other_card}; {advice}"
    if record.backend == "cuda" and record.software.cuda is None:
        yield "software.cuda: expected the version of CUDA, found null, as on the emulator"
    if record.verified is False and of_others(record) is None:
        yield f"verified: expected true, found false ({record.reason})"
    if record.software.git_commit is None:
        yield "software.git_commit: expected the commit that was measured, found null; set RETRACE_COMMIT"
    elif record.software.dirty is not False:
        yield "software.dirty: expected false, a tree without changes; commit, and measure again"
    if not BEGUN < datetime.fromisoformat(record.started) < datetime.now(UTC) + timedelta(days=1):
        yield f"started: expected a time in the past, after {BEGUN:%Y-%m-%d}, found {record.started}"
    yield from _misshapen(record)
    yield from _unlike_their_trial(record)
    yield from _lost_rounds(record)
    yield from _too_fast(record)
    yield from _energy_of_other_work(record)
    if (dataset := registry.get(record.graph.name)) is None:
        yield from _unknown_graph(record)
    elif record.graph.origin != "stand-in":
        yield from _another_graph(record, dataset)
        yield from _another_question(record, dataset)


def _misshapen(record: Record) -> Iterator[str]:
    """Yield what is no commit, no version or no compute capability."""
    for key, (pattern, example) in FORM_OF.items():
        value = record.value_of(key)
        if value is not None and not re.fullmatch(pattern, str(value)):
            yield f"{key}: expected such as {example}, found {one_line(str(value))}"


def _unlike_their_trial(record: Record) -> Iterator[str]:
    """Yield the first trial that contradicts itself: a part beyond its whole, or what was withheld."""
    for number, trial in enumerate(record.trials):
        if (trial.prepare or 0.0) > trial.upload:
            contrast = f"expected no more than upload = {trial.upload}, of which it is a part"
            yield f"trials[{number}].prepare: {contrast}, found {trial.prepare}"
        elif (trial.steal or 0.0) > HELD_BACK and not trial.held_back:
            yield f"trials[{number}].held_back: expected true where {trial.steal:.0%} was stolen, found false"
        elif (trial.steal or 0.0) > 1:
            yield f"trials[{number}].steal: expected a share, found {trial.steal}"
        else:
            continue
        return


def _energy_of_other_work(record: Record) -> Iterator[str]:
    """Yield a line if the searches whose energy was measured took another time than further solves do."""
    further = [trial.again for trial in record.trials if trial.again is not None]
    if record.energy is None or not further:
        return
    watts, least_watts = record.energy.joules / record.energy.seconds, (record.energy.idle_watts or 0.0) / 2
    if not least_watts <= watts <= MOST_WATTS:
        contrast = f"expected {least_watts:.0f} W, half of what it draws idle, to {MOST_WATTS:.0f} W"
        yield f"energy: {contrast}, found {watts:.3g} W; measure again"
    took, least, most = record.energy.seconds * 1e3 / record.energy.searches, min(further), max(further)
    if not least / UNEVEN <= took <= most * UNEVEN:
        contrast = f"expected searches of {least:.3g} to {most:.3g} ms, as trials have, found {took:.3g} ms"
        yield f"energy: {contrast}; measure again"


def _lost_rounds(record: Record) -> Iterator[str]:
    """Yield the first trial before whose round another one has no trials."""
    expected = 0
    for number, trial in enumerate(record.trials):
        if (found := trial.round or 0) > expected:
            contrast = f"expected trials of round {expected} before, found round {found}"
            yield f"trials[{number}].round: {contrast}; measure again"
            return
        expected = found + 1


def _too_fast(record: Record) -> Iterator[str]:
    """Yield the first phase of a trial that is faster than any machine."""
    if any(ms < SHORTEST_MS["host"] for ms in record.setup):
        yield f"setup: expected at least {SHORTEST_MS['host']:f} ms, found {min(record.setup)}"
    limits: dict[int | None, dict[str, tuple[str, float]]] = {}
    for number, trial in enumerate(record.trials):
        iterations = record.iterations if record.drawn is None else trial.iterations
        if iterations not in limits:
            limits[iterations] = _limits(record, iterations)
        for phase, ms in (
            *((phase, getattr(trial, phase)) for phase in ("solve", "again", "kernel", "upload", "download")),
            ("upload and solve", trial.upload + trial.solve),
        ):
            limit, least_ms = limits[iterations].get(phase, ("", 0.0))
            if ms is not None and ms < least_ms:
                yield f"trials[{number}].{phase}: expected at least {least_ms:.6f} ms, {limit}, found {ms}"
                return


def _limits(record: Record, iterations: int | None) -> dict[str, tuple[str, float]]:
    """Return what limits each phase most, and the milliseconds that it takes on any machine."""
    graph, is_gpus = record.graph, record.backend == "cuda"
    limits = defaultdict[str, list[tuple[str, float]]](list)
    for phase in ("solve", "again", "kernel", "upload", "download"):
        limits[phase].append(("as whatever runs or copies", SHORTEST_MS["cuda" if is_gpus else "host"]))
    searched = ("solve", "again", *(("kernel",) if is_gpus else ()))
    if record.problem in READ and record.drawn is None:  # a source that was drawn may reach few arcs
        read = f"{graph.arcs} arcs at {FASTEST / 1e12:.0f} TB/s", 4 * graph.arcs / FASTEST * 1e3
        for phase in searched:
            limits[phase].append(read)
    if record.problem in STEPWISE and is_gpus and iterations:
        steps = f"{iterations} iterations of {SHORTEST_STEP_MS * 1e6:.0f} ns", iterations * SHORTEST_STEP_MS
        for phase in searched:
            limits[phase].append(steps)
    if is_gpus and record.problem in SENT and record.software.peer is None:
        for phase, count, sent in (
            ("upload and solve", graph.arcs, "arcs"),
            ("download", graph.vertices, "answers"),
        ):
            ms = 4 * count / FASTEST_LINK * 1e3
            limits[phase].append((f"{count} {sent} at {FASTEST_LINK / 1e12:.0f} TB/s", ms))
    return {phase: max(of_phase, key=lambda item: item[1]) for phase, of_phase in limits.items()}


def _unknown_graph(record: Record) -> Iterator[str]:
    """Yield that no data set and no generated graph has the name, or has it with such a size."""
    graph, spread = record.graph, 0
    if graph.name == NO_GRAPH:
        vertices, arcs = 0, 0
    elif numbers := re.fullmatch(f"{RANDOM_GRAPH}|{HUB_GRAPH}", graph.name):
        vertices = 1 << min(64, int(numbers[1] or numbers[3]))
        arcs = vertices * int(numbers[2] or numbers[4])
        spread = vertices - 1 if numbers[3] else 0  # new arcs of a hub, which had some before
    elif numbers := re.fullmatch(STANDARD_GRAPH, graph.name):
        most = 1 << min(64, int(numbers[2]))  # without those behind the last edge, and repeated edges
        vertices, arcs, spread = min(graph.vertices, most), 0, 32 * most
    elif numbers := re.fullmatch(COMPLETE_GRAPH, graph.name):
        vertices = int(numbers[1])
        arcs = most_arcs(vertices)
    else:
        yield "graph.name: expected a data set or a graph such as random-14-5, found neither"
        return
    if graph.vertices != vertices:
        yield f"graph.vertices: expected {vertices}, as the name says, found {graph.vertices}"
    elif not arcs <= graph.arcs <= arcs + spread:
        expected = f"from {arcs} to {arcs + spread}" if spread else arcs
        yield f"graph.arcs: expected {expected}, as the name says, found {graph.arcs}"


def _another_graph(record: Record, dataset: Dataset) -> Iterator[str]:
    """Yield what a record says of a data set's graph unlike the registry."""
    graph = record.graph
    edition = next((one for one in dataset.editions if one.name == graph.edition), None)
    if edition is None:
        editions = " or ".join(one.name for one in dataset.editions)
        yield f"graph.edition: expected {editions}, as the registry says, found {graph.edition}"
        return
    facts: list[tuple[str, object, object]] = [
        ("vertices", dataset.vertices, graph.vertices),
        ("arcs", dataset.arcs_of(edition), graph.arcs),
    ]
    if graph.sha256 and edition.arrays_sha256 and graph.weights in ("file", "none"):
        facts.append(("sha256", edition.arrays_sha256, graph.sha256))
    for key, expected, found in facts:
        if found != expected:
            yield f"graph.{key}: expected {expected}, as the registry says, found {found}"
    if graph.sha256 and is_trusted(edition) and graph.trusted_sha256 is None:
        yield "graph.trusted_sha256: expected that of the file that was trusted, found null"


def _another_question(record: Record, dataset: Dataset) -> Iterator[str]:
    """Yield a source or pair of a data set that is not the registry's."""
    pair, target = record.parameters.get("pair"), record.parameters.get("target")
    if record.source is None:
        return
    if pair is None and record.source != dataset.source:
        yield f"source: expected {dataset.source}, as the registry says, found {record.source}"
    expected = dataset.pairs.by_name().get(str(pair)) if dataset.pairs else None
    if expected is not None and [record.source, target] != expected:
        contrast = f"expected {' to '.join(map(str, expected))}, as the registry says"
        yield f"parameters.target: {contrast}, found {record.source} to {target}"


def of_others(record: Record) -> str | None:
    """Return whose code a solver runs as it is, so that a wrong answer is a finding; None if it is ours."""
    if record.solver.endswith("-published"):
        return "the printed kernel"
    libraries = {solver.name for solver in CATALOGUE.solvers if solver.calls_library}
    return "the library" if record.solver in libraries else None
