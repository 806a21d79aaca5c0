"""The commands `check-machine` and `compare`: the faults of a machine's records, and two machines' times."""

from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from retrace.graphs.dataset_registry import load_registry
from retrace.planning.configuration import project_configuration
from retrace.publish.chart import image
from retrace.records.record import Record, read_records
from retrace.reports.wording import plural, word_list
from retrace.system.errors import RetraceError, say
from retrace.system.files import check_writable, write_whole
from retrace_commands import comparison
from retrace_commands.chart_ratios import draw_ratios
from retrace_commands.examined_records import Listed, examine
from retrace_commands.lists import MACHINES, print_table


def check_machine(arguments: Namespace) -> None:
    """Print the faults in a machine's files; raise RetraceError if one keeps its records out of tables."""
    path: Path = arguments.folder
    folder = path if path.parent.name == "machines" else path.absolute()
    configuration, registry = project_configuration()
    listed = {
        name: Listed(experiment.specs, experiment.graphs, experiment.larger_graphs)
        for name, experiment in configuration.experiments.items()
    }
    if arguments.datasets:
        registry = load_registry(arguments.datasets)
    number, errors, doubts = examine(folder, other_records(folder), registry, listed, configuration.seed)
    for kind, faults in (("error", errors), ("doubtful", doubts)):
        for fault in by_file(faults):
            say(f"{kind}: {fault}")
    say(f"{folder}: records: {number}, errors: {len(errors)}, doubtful: {len(doubts)}")
    if errors:
        raise RetraceError(f"{folder}: {plural(len(errors), 'fault')}; no table has it; mend what is listed")


def by_file(faults: Iterable[str]) -> Iterator[str]:
    """Yield `file:line: fault` for the first line of a file that has a fault, and how many more have it."""
    lines: dict[tuple[str, str], list[str]] = defaultdict(list)
    for fault in faults:
        place, _, message = fault.partition(": ")
        file, _, line = place.partition(".jsonl:")
        lines[file, message].append(line)
    for (file, message), numbers in lines.items():
        place = f"{file}.jsonl:{numbers[0]}" if numbers[0] else file
        more = f" (and in {plural(len(numbers) - 1, 'more line')})" if len(numbers) > 1 else ""
        yield f"{place}: {message}{more}"


def other_records(folder: Path) -> list[Path]:
    """List the committed files of other machines: of the project, and beside the folder."""
    places = {path.resolve() for place in (MACHINES, folder.parent) for path in place.glob("*")}
    machines = sorted(path for path in places if path != folder.resolve() and path.name != "local")
    return [file for machine in machines for file in sorted(machine.glob("*/*.jsonl"))]


def compare_machines(arguments: Namespace) -> None:
    """Print the ratio of two machines' times for each solver and graph; write table and figure if asked."""
    for path in arguments.output:
        check_writable(path)
    folders = arguments.first, arguments.second
    first, second = (records_in(folder, arguments.experiment) for folder in folders)
    pairs, alone = comparison.pair(first, second)
    comparisons = (comparison.compare_records(a, b, arguments.phase) for a, b in pairs)
    compared = [ratio for ratio in comparisons if ratio is not None]
    if not compared:
        machines, condition = f"{folders[0]}, {folders[1]}", "the same graph with the same settings"
        raise RetraceError(f"{machines}: no {arguments.phase} of a solver that both timed on {condition}")
    print_table([comparison.HEAD, *(ratio.cells for ratio in compared)])
    say(comparison.count_verdicts(compared, alone))
    names = arguments.first.name, arguments.second.name
    commits = [
        word_list(list(dict.fromkeys((record.software.git_commit or "no commit")[:10] for record in records)))
        for records in (first, second)
    ]
    if commits[0] != commits[1]:
        difference = f"{names[0]} is of {commits[0]}, {names[1]} of {commits[1]}"
        say(f"Of different commits: {difference}; ratios are of the code, too.")
    for path in arguments.output:
        if path.suffix == ".csv":
            write_whole(path, comparison.as_csv(compared))
        else:
            write_whole(path, image(draw_ratios(compared, alone, names), "svg"))


def records_in(folder: Path, experiment: str | None) -> list[Record]:
    """Read a machine's records, of one experiment if named; raise RetraceError if there are none."""
    records = read_records(sorted(folder.glob("*/*.jsonl")))
    if not records:
        raise RetraceError(f"{folder}: expected records, <experiment>/<graph>.jsonl, found none")
    chosen = [record for record in records if experiment in (None, record.experiment)]
    if not chosen:
        experiments = ", ".join(dict.fromkeys(record.experiment for record in records))
        raise RetraceError(f"{folder}: no records of {experiment}; there are {experiments}")
    return chosen
