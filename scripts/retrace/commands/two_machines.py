"""The command `compare`: which of two machines takes less time, for each solver and graph."""

from argparse import Namespace
from pathlib import Path

from retrace.commands.lists import print_table
from retrace.records import comparison
from retrace.records.record import Record, read_records
from retrace.system.errors import RetraceError
from retrace.system.files import check_writable, write_whole


def compare_machines(arguments: Namespace) -> None:
    """Print the ratio of two machines' times for each solver and graph; write it as CSV if asked."""
    if arguments.output:
        check_writable(arguments.output)
    pairs, alone = comparison.pair(*map(records_in, (arguments.first, arguments.second)))
    found = (comparison.compare(a, b, arguments.phase) for a, b in pairs)
    compared = [one for one in found if one is not None]
    if not compared:
        both, asked = f"{arguments.first}, {arguments.second}", "the same graph with the same settings"
        raise RetraceError(f"{both}: no {arguments.phase} of a solver that both timed on {asked}")
    print_table([comparison.HEAD, *(one.cells for one in compared)])
    print(comparison.summary(compared, alone))
    if arguments.output:
        write_whole(arguments.output, comparison.as_csv(compared))


def records_in(folder: Path) -> list[Record]:
    """Read all records of a machine's folder; raise RetraceError if it has none."""
    if found := read_records(sorted(folder.glob("*/*.jsonl"))):
        return found
    raise RetraceError(f"{folder}: expected records, <experiment>/<graph>.jsonl, found none")
