"""What a search of betweenness costs in a record."""

from __future__ import annotations

from collections.abc import Sequence

from retrace.records.record import Record
from retrace.records.statistics import Summary
from retrace.records.variant import Variant
from retrace.system.errors import RetraceError


def record_of(records: Sequence[Record], spec: str) -> Record:
    """Return the record of `spec`, a solver or `solver:key=value,...`, in double precision, that has times.

    Raise RetraceError without one.
    """
    asked = Variant.parse(spec)
    for record in records:
        fits = asked.fits(record.solver, record.parameters)
        if fits and record.timed and record.parameters.get("precision") == "double":
            return record
    raise RetraceError(f"--record: has no times of {spec} in double precision")


def seconds_per_arc(record: Record) -> float:
    """Return a record's median solve over its searches times arcs.

    `betweenness/multi-gpu` does not count these: they are its sources and the arcs of the graph.
    """
    sources = int(record.parameters.get("sources", record.graph.vertices))
    searches = record.observed.get("searches", sources)
    searched = searches * record.observed.get("searched_arcs", record.graph.arcs)
    return Summary.of([trial.solve for trial in record.trials]).median / 1e3 / searched
