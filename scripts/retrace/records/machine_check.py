"""Checks the records of a machine: what keeps them out of every table, and what a reader should doubt.

`record` checks what is asked of every record. What is asked besides of records that are published for others
stands here, in `record_faults`, `relations` and `measured_commits`. All lines name a file, the line in it and
the key.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from retrace.graphs.dataset_registry import Dataset
from retrace.records import relations
from retrace.records.measured_commits import doubtful_commits
from retrace.records.record import Record, survey
from retrace.records.record_faults import UNEVEN, find_faults, of_others
from retrace.records.statistics import LEAST_TRIALS, Summary
from retrace.records.variant import Variant
from retrace.system.errors import RetraceError
from retrace.system.project import ROOT

OF_A_MACHINE = ("machine.gpu.name", "machine.gpu.compute_capability", "machine.cpu", "machine.cores")
"""What all records of a machine have alike."""
USUALLY_ALIKE = (
    "machine.host", "machine.gpu.driver", "machine.gpu.memory_gib", "software.cuda", "software.python",
    "software.git_commit",
)  # fmt: skip
"""What a reader should know if they have not."""
OTHERS_LOAD = 0.25
"""Processes per core beside the solver's own, at least one, up to which a host counts as quiet."""
MANY_HELD_BACK = 0.1
"""Share of its trials, each of them repeated, that the host may have held back."""
WITHIN = 1.05
"""How many times the median solve the kernels take at most, which not every trial measures."""


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
    seed: int | None = None,
) -> tuple[int, list[str], list[str]]:
    """Return the number of records of a machine's folder, what keeps them out of tables, and doubts.

    `others` are files of other machines, with which the answers must agree; `listed` is what each experiment
    should have records of; `seed` is the configuration's. Raise RetraceError if the folder is not
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
    doubts = [*find_doubts(own), *relations.shared_hosts(own, placed)]
    doubts += [*_gaps(own, listed), *_graph_gaps(own, listed), *_other_seeds(own, seed)]
    if folder.resolve().is_relative_to(ROOT):
        doubts += doubtful_commits(own, ROOT)
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
    known = known or placed
    errors = [
        f"{place}: {error}" for place, record in placed.items() for error in find_faults(record, registry)
    ]
    errors += [line for key in OF_A_MACHINE for line in relations.mixed(placed, key)]
    errors += [*relations.slowed(placed), *relations.pieced(placed), *relations.copied(placed, known)]
    errors += [*relations.contradictions(placed, known), *relations.repeated(placed)]
    errors += relations.undrawn(placed, known)
    return [*errors, *relations.outlasting(placed)]


def find_doubts(placed: Mapping[str, Record]) -> list[str]:
    """Return what a reader of records should know, which are given by their place, `file:line`."""
    doubts = [f"{place}: {doubt}" for place, record in placed.items() for doubt in _doubts(record)]
    doubts += [*relations.incomplete(placed), *relations.unlike_first_solves(placed)]
    doubts += relations.slowed_unsaid(placed)
    return [*doubts, *(line for key in USUALLY_ALIKE for line in relations.mixed(placed, key))]


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


def _other_seeds(placed: Mapping[str, Record], seed: int | None) -> Iterator[str]:
    """Yield a line for each record whose graph, or whose sources, were drawn with another seed."""
    for place, record in placed.items():
        seeds = {
            "graph.seed": record.graph.seed,
            "parameters.source_seed": record.parameters.get("source_seed"),
        }
        for key, value in seeds.items():
            if seed is not None and value not in (None, seed):
                yield f"{place}: {key}: expected {seed}, as config.yaml says, found {value}"


def _asked(record: Record) -> tuple[object, ...]:
    """Return what was asked of the graph, which is asked of every solver of a file."""
    return (record.source, record.parameters.get("pair"))


def _doubts(record: Record) -> Iterator[str]:
    """Yield what a reader of a record should know."""
    if record.status == "failed":
        yield f"status: failed ({record.reason})"
    if record.verified is False and (other := of_others(record)) is not None:
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
