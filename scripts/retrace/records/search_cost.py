"""What a search of betweenness costs in a record."""

from __future__ import annotations

from collections.abc import Sequence

from retrace.records.record import Record
from retrace.records.statistics import Summary
from retrace.system.errors import RetraceError


def record_of(records: Sequence[Record], solver: str) -> Record:
    """Return the record of a solver in double precision that has times; raise RetraceError without one."""
    for record in records:
        if record.solver == solver and record.timed and record.parameters.get("precision") == "double":
            return record
    raise RetraceError(f"--record: has no times of {solver} in double precision")


def seconds_per_arc(record: Record) -> float:
    """Return a record's median solve over its searches times arcs."""
    searched = record.observed["searches"] * record.observed["searched_arcs"]
    return Summary.of([trial.solve for trial in record.trials]).median / 1e3 / searched
