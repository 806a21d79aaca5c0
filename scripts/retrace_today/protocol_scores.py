"""Scores as the GAP Benchmark Suite and Graph500 report them: a mean of times, a harmonic mean of rates.

A time is that of a search on the resident graph, `again` or else `solve`, with its answer in the memory of
what has searched. TEPS are the edges of the source's component as they were drawn, self-loops included, over
that time (Graph500 Benchmark Specification 2.0, Performance metrics).
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean, harmonic_mean

from retrace.check.graph500 import GRAPH500
from retrace.records.record import Record, read_records
from retrace.records.statistics import Summary
from retrace.system.files import write_whole
from retrace.system.models import Many
from retrace.system.stage import Stage

COLUMNS = (
    "machine", "graph", "solver", "searches", "mean_ms", "median_ms", "q1_ms", "q3_ms", "harmonic_mean_gteps",
    "trees",
)  # fmt: skip
SCORE_DIGITS = 4


class ScoreProtocols(Stage):
    """Write the scores of an experiment by the protocols of GAP and Graph500, as CSV and Markdown."""

    records: Many[Path]
    """Measured records, JSON lines."""
    output_prefix: str
    """Path without .csv, .md."""

    def run(self) -> None:
        """Write the two files."""
        rows = [row_of(record) for record in read_records(self.records)]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
        write_whole(Path(f"{self.output_prefix}.csv"), text.getvalue())
        write_whole(Path(f"{self.output_prefix}.md"), "".join(markdown_table([COLUMNS, *rows])))


def row_of(record: Record) -> tuple[str, ...]:
    """Return a record's cells, one for each of `COLUMNS`; empty those of times that may not be shown."""
    names = record.machine.name, record.label, with_tree(record)
    count = str(len(record.trials))
    if record.status != "ok" or not record.agreed:
        return (*names, count, "", "", "", "", "", record.reason or record.status)
    trees = "valid" if record.oracle and GRAPH500 in record.oracle else "none, lengths proved"
    if record.problem == "betweenness":
        trees = ""
    if not record.timed:
        return (*names, count, "", "", "", "", "", trees)
    times = [trial.solve if trial.again is None else trial.again for trial in record.trials]
    spread = Summary.of(times)
    numbers = fmean(times), spread.median, spread.q1, spread.q3
    return (*names, count, *map(shown, numbers), gteps(record, times), trees)


def gteps(record: Record, times_ms: Iterable[float]) -> str:
    """Return the harmonic mean of the rates, in 10^9 edges a second; nothing if edges are unknown."""
    pairs = [(trial.edges, ms) for trial, ms in zip(record.trials, times_ms, strict=True)]
    rates = [edges / ms / 1e6 for edges, ms in pairs if edges is not None]
    return shown(harmonic_mean(rates)) if rates and len(rates) == len(pairs) else ""


def with_tree(record: Record) -> str:
    """Return a solver's name with the setting that decides whether its tree is part of its answer."""
    predecessors = record.parameters.get("predecessors")
    return record.solver if predecessors is None else f"{record.solver}:predecessors={predecessors}"


def shown(number: float) -> str:
    """Return a number with `SCORE_DIGITS` significant digits."""
    return f"{number:.{SCORE_DIGITS}g}"


def markdown_table(rows: list[tuple[str, ...]]) -> Iterable[str]:
    """Yield the lines of a table, after its head the one that aligns columns."""
    for number, row in enumerate(rows):
        yield f"| {' | '.join(row)} |\n"
        if number == 0:
            yield f"|{'---|' * len(row)}\n"
