"""What `check-machine` says of a machine's records: what keeps them out of tables, and what a reader doubts.

All lines name a file, the line in it and the key.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrace.graphs.dataset_registry import Dataset
from retrace.graphs.graph_names import STANDARD_GRAPH
from retrace.records import relations
from retrace.records.machine_check import doubtful_trials, find_errors
from retrace.records.record import Record, survey
from retrace.records.record_faults import of_others
from retrace.records.variant import Variant
from retrace.system.errors import RetraceError
from retrace.system.project import ROOT
from retrace_commands import doubtful_relations
from retrace_commands.measured_commits import doubtful_commits

USUALLY_ALIKE = (
    "machine.host", "machine.gpu.driver", "machine.gpu.memory_gib", "software.cuda", "software.python",
    "software.git_commit",
)  # fmt: skip
"""What a reader should know if they have not."""


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
    of_machine = {place: record for place, record in placed.items() if place.startswith(f"{folder}/")}
    doubts = [*find_doubts(of_machine), *doubtful_relations.shared_hosts(of_machine, placed)]
    doubts += [*_gaps(of_machine, listed), *_graph_gaps(of_machine, listed), *_other_seeds(of_machine, seed)]
    if folder.resolve().is_relative_to(ROOT):
        doubts += doubtful_commits(of_machine, ROOT)
    return len(of_machine), errors + faults + find_errors(of_machine, registry, placed), doubts


def find_doubts(placed: Mapping[str, Record]) -> list[str]:
    """Return what a reader of records should know, which are given by their place, `file:line`."""
    doubts = [f"{place}: {doubt}" for place, record in placed.items() for doubt in _doubts(record)]
    doubts += [*doubtful_relations.incomplete(placed), *doubtful_relations.unlike_first_solves(placed)]
    doubts += [*doubtful_relations.unlike_locks(placed), *doubtful_relations.slowed_unsaid(placed)]
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
        picked = re.fullmatch(STANDARD_GRAPH, record.graph.name)  # whose sources its benchmark picks
        seeds = {
            "graph.seed": record.graph.seed,
            "parameters.source_seed": None if picked else record.parameters.get("source_seed"),
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
