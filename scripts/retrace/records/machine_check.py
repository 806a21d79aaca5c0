"""Checks the records of a machine: what keeps them out of every table, and what a reader should doubt.

A record by itself, and that none contradicts another, is checked by `record`; here stands what is asked
besides of records that are published for others. All lines name a file, the line in it and the key.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from statistics import median

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.graphs.dataset_registry import Dataset
from retrace.graphs.graph_names import COMPLETE_GRAPH, HUB_GRAPH, NO_GRAPH, RANDOM_GRAPH, most_arcs
from retrace.graphs.pins import is_trusted
from retrace.records.record import Record, Trial, survey
from retrace.records.statistics import LEAST_TRIALS, Summary
from retrace.records.variant import Variant
from retrace.system.errors import RetraceError

FASTEST = 10e12
"""Bytes per second at which no machine reads a graph: twice what an H200 reads of its memory."""
READ = ("bfs", "sssp", "bellman-ford", "generate")
"""Problems whose solution reads or writes each arc, in four bytes at least; other searches may end early."""
STEPWISE = ("bfs", "stcon", "sssp", "bellman-ford")
"""Problems whose iterations on a GPU each read what the one before wrote."""
SHORTEST_STEP_MS = 50e-6
"""Milliseconds in which no GPU passes such an iteration: an H200 takes 140 ns for a load from L2 alone."""
OTHERS_LOAD = 0.25
"""Processes per core beside the solver's own, at least one, up to which a host counts as quiet."""
MANY_HELD_BACK = 0.1
"""Share of its trials, each of them repeated, that the host may have held back."""
UNEVEN = 4.0
"""How many times the lower quartile of its trials an even solver's upper one is at most."""
WITHIN = 1.05
"""How many times the median solve the kernels take at most, which not every trial measures."""

MOST_WATTS = 2000.0
"""Power that no board of a GPU draws."""
LEAST_CLOCK = 0.9
"""Share of a GPU's clock to which it may be throttled without its times being worthless."""


@dataclass(frozen=True)
class Doubt:
    """Why a number is doubtful, in a few words, and what was found."""

    why: str
    found: str
    spares: tuple[str, ...] = ()
    """Measures that it does not concern."""

    def concerns(self, *measures: str) -> bool:
        """Return whether one of some measures is doubtful."""
        return not set(measures) <= set(self.spares)


OUTSIDE_SOLVE = ("setup", "upload", "download", "lock", "prepare")
"""Measures that no part of a solve is in."""


@dataclass(frozen=True)
class Listed:
    """What experiments.yaml lists of an experiment; larger graphs are measured together, or none of them."""

    solvers: Sequence[str]
    graphs: Sequence[str]
    larger_graphs: Sequence[str] = ()


UNLISTED = Listed((), ())
"""What is expected of an experiment that experiments.yaml does not list."""


def examine(
    folder: Path,
    others: Iterable[Path],
    registry: Mapping[str, Dataset],
    listed: Mapping[str, Listed],
) -> tuple[int, list[str], list[str]]:
    """Return the number of records of a machine's folder, what keeps them out of tables, and doubts.

    `others` are files of other machines, with which the answers must agree; `listed` is what each experiment
    should have records of. Raise RetraceError if the folder is not
    `machines/<machine>`, by which its records are known, or has no records.
    """
    files = sorted(folder.glob("*/*.jsonl"))
    if folder.parent.name != "machines":
        raise RetraceError(f"{folder}: expected a folder results/machines/<machine>")
    if not files:
        raise RetraceError(f"{folder}: expected records, <experiment>/<graph>.jsonl, found none")
    strays = [path for path in sorted(folder.rglob("*")) if path.is_file() and path not in files]
    errors = [f"{path}: expected only records, <experiment>/<graph>.jsonl; move it" for path in strays]
    placed, faults = survey([*files, *others])
    own = {place: one for place, one in placed.items() if place.startswith(f"{folder}/")}
    doubts = [*find_doubts(own), *_shared_hosts(own, placed), *_gaps(own, listed), *_graph_gaps(own, listed)]
    return len(own), errors + faults + find_errors(own, registry, placed), doubts


def find_errors(
    placed: Mapping[str, Record],
    registry: Mapping[str, Dataset],
    known: Mapping[str, Record] | None = None,
) -> list[str]:
    """Return what keeps records out of a table; they are given by their place, `file:line`.

    A graph with the name of a data set must be the registry's, and no run that of another machine among all
    that are `known`, by default these records alone.
    """
    errors = [f"{place}: {error}" for place, record in placed.items() for error in _errors(record, registry)]
    errors += _mixed(placed, "machine.gpu.name", lambda one: one.machine.gpu and one.machine.gpu.name)
    errors += _mixed(
        placed,
        "machine.gpu.compute_capability",
        lambda one: one.machine.gpu and one.machine.gpu.compute_capability,
    )
    errors += _mixed(placed, "machine.cpu", lambda one: one.machine.cpu)
    errors += _mixed(placed, "machine.cores", lambda one: one.machine.cores)
    return [*errors, *_slowed(placed), *_pieced(placed), *_copied(placed, known or placed)]


def find_doubts(placed: Mapping[str, Record]) -> list[str]:
    """Return what a reader of records should know, which are given by their place, `file:line`."""
    doubts = [f"{place}: {doubt}" for place, record in placed.items() for doubt in _doubts(record)]
    doubts += _mixed(placed, "machine.host", lambda one: one.machine.computer)
    return [*doubts, *_mixed(placed, "software.git_commit", lambda one: one.software.git_commit)]


def _pieced(placed: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each file with records of several hosts: one process measures what is in a file."""
    first: dict[str, tuple[str, str]] = {}
    for place, record in placed.items():
        file, _, line = place.rpartition(":")
        host, where = first.setdefault(file, (record.machine.computer, line))
        if record.machine.computer != host:
            contrast = f"expected {host}, as in line {where}, found {record.machine.computer}"
            yield f"{place}: machine.host: {contrast}; measure the whole file on one"


def _copied(own: Mapping[str, Record], every: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each file with a run that another machine has, too: relabelled, not measured.

    A run is known by its trials, and by its host and when it began, since nothing else ran there then.
    """
    runs: dict[tuple[object, ...], dict[str, str]] = defaultdict(dict)
    for place, record in every.items():
        for run in _runs(record):
            runs[run].setdefault(record.machine.name, place)
    named_files = set()
    for place, record in own.items():
        file, name = place.rpartition(":")[0], record.machine.name
        for run in _runs(record):
            elsewhere = {machine: where for machine, where in runs[run].items() if machine != name}
            if elsewhere and file not in named_files:
                named_files.add(file)
                machine, where = next(iter(elsewhere.items()))
                contrast = f"expected a run of {name}, found that of {machine} in {where}"
                yield f"{place}: {run[0]}: {contrast}; measure it on {name}, or remove one of the two"


def _runs(record: Record) -> Iterator[tuple[object, ...]]:
    """Yield what no run of another machine can have, each after its key in the record."""
    if record.trials:
        yield "trials", tuple((trial.upload, trial.solve, trial.download) for trial in record.trials)
    if record.machine.host:
        yield "started", record.machine.host, record.experiment, record.started


def _shared_hosts(own: Mapping[str, Record], every: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each host that has records of another machine, too: perhaps two settings of a GPU."""
    names: dict[str, set[str]] = defaultdict(set)
    for record in every.values():
        names[record.machine.host or ""].add(record.machine.name)
    first = {record.machine.host: (place, record) for place, record in list(own.items())[::-1]}
    for host, (place, record) in first.items():
        if host and (others := sorted(names[host] - {record.machine.name})):
            yield f"{place}: machine.host: {host} is the host of {', '.join(others)}, too"


def _graph_gaps(placed: Mapping[str, Record], listed: Mapping[str, Listed]) -> Iterator[str]:
    """Yield a line for each file of a graph that its experiment does not list, and for lacking files."""
    files_of: dict[str, dict[str, str]] = defaultdict(dict)
    for place, record in placed.items():
        files_of[record.experiment].setdefault(record.graph.name, place.rpartition(":")[0])
    for name, experiment in listed.items():
        files = files_of.get(name, {})
        larger = experiment.larger_graphs if set(files) & set(experiment.larger_graphs) else ()
        for graph in sorted(files.keys() - {*experiment.graphs, *larger}):
            contrast = f"expected a graph that experiments.yaml lists for {name}, found {graph}"
            yield f"{files[graph]}: graph.name: {contrast}; list it or delete the file"
        if missing := [graph for graph in (*experiment.graphs, *larger) if files and graph not in files]:
            folder = next(iter(files.values())).rpartition("/")[0]
            contrast = f"expected files of {', '.join(missing)}, as experiments.yaml lists, found none"
            yield f"{folder}: graph.name: {contrast}; measure {name} again"


def _gaps(placed: Mapping[str, Record], listed: Mapping[str, Listed]) -> Iterator[str]:
    """Yield a line for each file without a record of a solver: deleted, or listed after it was measured."""
    files: dict[str, list[Record]] = defaultdict(list)
    for place, record in placed.items():
        files[place.rpartition(":")[0]].append(record)
    for file, records in files.items():
        missing = [
            spec
            for spec in listed.get(records[0].experiment, UNLISTED).solvers
            for question in dict.fromkeys(map(_asked, records))
            if not any(
                Variant.parse(spec).fits(record.solver, record.parameters)
                for record in records
                if _asked(record) == question
            )
        ]
        if missing:
            names = ", ".join(dict.fromkeys(missing))
            contrast = f"expected records of {names}, as experiments.yaml lists, found none"
            yield f"{file}: solver: {contrast}; measure the file again"


def _asked(record: Record) -> tuple[object, ...]:
    """Return what was asked of the graph, which is asked of every solver of a file."""
    return (record.source, record.parameters.get("pair"))


def _errors(record: Record, registry: Mapping[str, Dataset]) -> Iterator[str]:
    """Yield what keeps a record out of a table."""
    if record.backend == "emulator":
        yield "backend: expected cuda or host, found emulator, whose times say nothing of a GPU"
    if (gpu := record.machine.gpu) and gpu.compiled_for not in (None, gpu.compute_capability):
        other_card = f"found {gpu.compiled_for}: it was used as if it were another GPU"
        advice = "remove compute_capability from the machine, and measure again"
        yield f"machine.gpu.compiled_for: expected {gpu.compute_capability}, its own, {other_card}; {advice}"
    if record.backend == "cuda" and record.software.cuda is None:
        yield "software.cuda: expected the version of CUDA, found null, as on the emulator"
    if record.verified is False and _of_others(record) is None:
        yield f"verified: expected true, found false ({record.reason})"
    if record.software.git_commit is None:
        yield "software.git_commit: expected the commit that was measured, found null; set RETRACE_COMMIT"
    elif record.software.dirty is not False:
        yield "software.dirty: expected false, a tree without changes; commit, and measure again"
    if datetime.fromisoformat(record.started) > datetime.now(UTC) + timedelta(days=1):
        yield f"started: expected a time in the past, found {record.started}"
    yield from _lost_rounds(record)
    yield from _too_fast(record)
    yield from _energy_of_other_work(record)
    if (dataset := registry.get(record.graph.name)) is None:
        yield from _unknown_graph(record)
    elif record.graph.origin != "stand-in":
        yield from _another_graph(record, dataset)


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


def _slowed(placed: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each record most of whose trials ran on a GPU that was throttled well below its clock.

    A kernel that draws all the power that a GPU may use is throttled by a few per cent however often it is
    measured: a doubt, not an error. A GPU's clock is the highest of its machine's records.
    """
    clocks: dict[str, float] = {}
    for record in placed.values():
        clocks_here = [
            trial.sm_clock_mhz for trial in record.trials if trial.sm_clock_mhz and not trial.throttled
        ]
        clocks[record.machine.name] = max([*clocks_here, clocks.get(record.machine.name, 0.0)])
    for place, record in placed.items():
        least = LEAST_CLOCK * clocks[record.machine.name] or inf
        slow = sum(bool(trial.throttled) and (trial.sm_clock_mhz or 0) < least for trial in record.trials)
        if slow > len(record.trials) / 2:
            counted = f"found {slow} of {len(record.trials)} that were"
            contrast = f"expected most on a GPU that is not throttled, {counted}"
            yield f"{place}: trials: {contrast}; measure again when it is cool, or at a clock it can hold"


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
    """Yield the first trial that reads the graph's arcs, or iterates, faster than any machine."""
    for number, trial in enumerate(record.trials):
        limit, least_ms = _least_solve(record, trial)
        for phase, ms in (("solve", trial.solve), ("again", trial.again)):
            if ms is not None and ms < least_ms:
                yield f"trials[{number}].{phase}: expected at least {least_ms:.6f} ms, {limit}, found {ms}"
                return


def _least_solve(record: Record, trial: Trial) -> tuple[str, float]:
    """Return what limits a solve most, and the milliseconds that it takes on any machine."""
    limits, iterations = {"0": 0.0}, record.iterations if record.drawn is None else trial.iterations
    if record.problem in READ and record.drawn is None:  # a source that was drawn may reach few arcs
        arcs = f"{record.graph.arcs} arcs at {FASTEST / 1e12:.0f} TB/s"
        limits[arcs] = 4 * record.graph.arcs / FASTEST * 1e3
    if record.problem in STEPWISE and record.backend == "cuda" and iterations:
        steps = f"{iterations} iterations of {SHORTEST_STEP_MS * 1e6:.0f} ns"
        limits[steps] = iterations * SHORTEST_STEP_MS
    return max(limits.items(), key=lambda item: item[1])


def _unknown_graph(record: Record) -> Iterator[str]:
    """Yield that no data set and no generated graph has the name, or has it with such a size."""
    graph, spread = record.graph, 0
    if graph.name == NO_GRAPH:
        vertices, arcs = 0, 0
    elif numbers := re.fullmatch(f"{RANDOM_GRAPH}|{HUB_GRAPH}", graph.name):
        vertices = 1 << min(64, int(numbers[1] or numbers[3]))
        arcs = vertices * int(numbers[2] or numbers[4])
        spread = vertices - 1 if numbers[3] else 0  # new arcs of a hub, which had some before
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


def _of_others(record: Record) -> str | None:
    """Return whose code a solver runs as it is, so that a wrong answer is a finding; None if it is ours."""
    if record.solver.endswith("-published"):
        return "the printed kernel"
    libraries = {solver.name for solver in CATALOGUE.solvers if solver.calls_library}
    return "the library" if record.solver in libraries else None


def _doubts(record: Record) -> Iterator[str]:
    """Yield what a reader of a record should know."""
    if record.status == "failed":
        yield f"status: failed ({record.reason})"
    if record.verified is False and (other := _of_others(record)) is not None:
        yield f"verified: {other} gives a wrong answer ({record.reason})"
    if record.graph.origin == "stand-in":
        yield "graph.origin: a stand-in, generated in place of the data set"
    yield from (f"trials: {doubt.found}" for doubt in doubtful_trials(record))


def doubtful_trials(record: Record) -> Iterator[Doubt]:
    """Yield why a reader should doubt the times of a record."""
    if throttled := [trial for trial in record.trials if trial.throttled]:
        words = f"the GPU was throttled in {len(throttled)} of {len(record.trials)}"
        clock = min((trial.sm_clock_mhz for trial in throttled if trial.sm_clock_mhz), default=None)
        yield Doubt("throttled GPU", words if clock is None else f"{words}, to {clock:.0f} MHz", ("lock",))
    held_back = sum(bool(trial.held_back) for trial in record.trials)
    if held_back > MANY_HELD_BACK * len(record.trials):
        words = f"the host withheld processors in {held_back} of {len(record.trials)}"
        yield Doubt("trials held back", words)
    if found := _other_work(record):
        yield Doubt("other work on the host", found)
    totals = {trial.total for trial in record.trials}
    if len(record.trials) < LEAST_TRIALS:
        return
    if len(totals) == 1:
        yield Doubt("trials alike", f"all {len(record.trials)} took exactly {totals.pop()} ms")
    if record.drawn is not None:
        return  # searches from other sources take other times
    solve = Summary.of([trial.solve for trial in record.trials])
    if solve.q3 > UNEVEN * solve.q1:
        yield Doubt(
            "uneven trials", f"quartiles of {round(solve.q1, 3)} and {round(solve.q3, 3)} ms", OUTSIDE_SOLVE
        )
    kernels = [trial.kernel for trial in record.trials if trial.kernel is not None]
    if kernels and median(kernels) > WITHIN * solve.median:
        words = f"{round(median(kernels), 3)} ms of kernels in a solve of {round(solve.median, 3)} ms"
        yield Doubt("kernels beyond their solve", words, OUTSIDE_SOLVE)


def _other_work(record: Record) -> str | None:
    """Say what else the host did: by the cores that were busy, or else by its load, own work included."""
    quiet = max(1.0, OTHERS_LOAD * record.machine.cores)
    if others := [trial.others for trial in record.trials if trial.others is not None]:
        measured, most, what = median(others), quiet, "other processes on {:.1f} cores"
    elif loads := [trial.load for trial in record.trials if trial.load is not None]:
        measured, most, what = median(loads), (record.cores or 1) + quiet, "load {:.1f}"
    else:
        return None
    return (
        f"{what.format(measured)}, expected at most {most:.1f} on a quiet host" if measured > most else None
    )


def _mixed(placed: Mapping[str, Record], key: str, value_of: Callable[[Record], object]) -> Iterator[str]:
    """Yield a line for each value that a machine has beside its most frequent one, at its first record."""
    places: dict[str, dict[object, list[str]]] = defaultdict(lambda: defaultdict(list))
    for place, record in placed.items():
        if (value := value_of(record)) is not None:
            places[record.machine.name][value].append(place)
    for places_of in places.values():
        (usual, most), *others = sorted(places_of.items(), key=lambda item: -len(item[1]))
        for value, less in others:
            yield f"{less[0]}: {key}: {value} in {len(less)} of the records, {usual} in {len(most)}"
