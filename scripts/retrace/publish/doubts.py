"""Which measured numbers are doubtful: by their trials, or as most others on their graph have another origin.

A cell marks them and says why. What else `check-machine` doubts, such as a stand-in, a cell has in words.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from retrace.publish.provenance import origin
from retrace.publish.record_cards import address
from retrace.records.machine_check import OUTSIDE_SOLVE, Doubt, doubtful_trials
from retrace.records.record import Record
from retrace.reports.frame import Measured


def doubts(entries: Iterable[Measured]) -> dict[str, list[Doubt]]:
    """Return the doubts about numbers, by the address of their record; only of records that have any."""
    compared: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for entry in entries:
        if entry.times:
            compared[entry.experiment, entry.machine, entry.record.graph.name].append(entry.record)
    every = ((address(record), [*doubtful_trials(record), *_unlike_print(record), *odd])
             for records in compared.values()
             for record, odd in zip(records, _odd(records), strict=True))  # fmt: skip
    return {place: reasons for place, reasons in every if reasons}


def _unlike_print(record: Record) -> Iterator[Doubt]:
    """Say that Python repeated the launches, where the settings that names state do not."""
    if record.loops_in_python and "loop" not in record.parameters:
        reason = "Python repeated the launches, which C++ does now"
        yield Doubt("launched by Python", reason, (*OUTSIDE_SOLVE, "kernel"))


def _odd(records: Sequence[Record]) -> Iterator[list[Doubt]]:
    """Yield, for each of the records that are compared, its host and its commit if most have another."""
    origins = [origin(record) for record in records]
    usual = {what: Counter(o[what] for o in origins).most_common(1)[0][0] for what in origins[0]}
    for of_record in origins:
        odd = (what for what in of_record if of_record[what] != usual[what])
        reasons = [f"of {what} {of_record[what]}, most on its graph of {usual[what]}" for what in odd]
        yield [Doubt(reason, reason) for reason in reasons]
