"""The commands `check-machine` and `compare`: the faults of a machine's records, and two machines' times."""

from argparse import Namespace
from pathlib import Path

from retrace.commands.lists import MACHINES, print_table
from retrace.graphs.dataset_registry import load_registry
from retrace.planning.configuration import project_configuration
from retrace.publish.chart import image
from retrace.publish.chart_ratios import draw_ratios
from retrace.records import comparison
from retrace.records.machine_check import Listed, examine
from retrace.records.record import Record, read_records
from retrace.system.errors import RetraceError
from retrace.system.files import check_writable, write_whole


def check_machine(arguments: Namespace) -> None:
    """Print a line for each fault in a machine's records; raise RetraceError if one keeps them out."""
    given: Path = arguments.folder
    folder = given if given.parent.name == "machines" else given.absolute()
    configuration, registry = project_configuration()
    listed = {
        name: Listed(experiment.specs, experiment.graphs, experiment.larger_graphs)
        for name, experiment in configuration.experiments.items()
    }
    if arguments.datasets:
        registry = load_registry(arguments.datasets)
    number, errors, doubts = examine(folder, other_records(folder), registry, listed)
    for told in errors:
        print(f"error: {told}")
    for told in doubts:
        print(f"doubtful: {told}")
    print(f"{folder}: records: {number}, errors: {len(errors)}, doubtful: {len(doubts)}")
    if errors:
        raise RetraceError(f"{folder}: {len(errors)} faults keep it out of the tables; mend what is listed")


def other_records(folder: Path) -> list[Path]:
    """List the committed files of other machines: of the project, and beside the folder."""
    places = {path.resolve() for place in (MACHINES, folder.parent) for path in place.glob("*")}
    others = sorted(path for path in places if path != folder.resolve() and path.name != "local")
    return [file for other in others for file in sorted(other.glob("*/*.jsonl"))]


def compare_machines(arguments: Namespace) -> None:
    """Print the ratio of two machines' times for each solver and graph; write table and figure if asked."""
    for path in arguments.output:
        check_writable(path)
    pairs, alone = comparison.pair(*map(records_in, (arguments.first, arguments.second)))
    found = (comparison.compare_records(a, b, arguments.phase) for a, b in pairs)
    compared = [one for one in found if one is not None]
    if not compared:
        both, asked = f"{arguments.first}, {arguments.second}", "the same graph with the same settings"
        raise RetraceError(f"{both}: no {arguments.phase} of a solver that both timed on {asked}")
    print_table([comparison.HEAD, *(one.cells for one in compared)])
    print(comparison.count_verdicts(compared, alone))
    names = arguments.first.name, arguments.second.name
    for path in arguments.output:
        if path.suffix == ".csv":
            write_whole(path, comparison.as_csv(compared))
        else:
            write_whole(path, image(draw_ratios(compared, alone, names), "svg"))


def records_in(folder: Path) -> list[Record]:
    """Read all records of a machine's folder; raise RetraceError if it has none."""
    if found := read_records(sorted(folder.glob("*/*.jsonl"))):
        return found
    raise RetraceError(f"{folder}: expected records, <experiment>/<graph>.jsonl, found none")
