"""Scores as the GAP Benchmark Suite and Graph500 report them: a mean of times, a harmonic mean of rates.

A time is that of a search on the resident graph, `again` or else `solve`, with its answer in the memory of
what has searched. TEPS are the edges of the source's component as they were drawn, self-loops included, over
that time (Graph500 Benchmark Specification 2.0, Performance metrics).
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, harmonic_mean

from retrace.check.graph500 import GRAPH500
from retrace.records.machine_check import doubtful_trials
from retrace.records.record import Record, read_records
from retrace.records.statistics import Summary
from retrace.system.files import write_whole
from retrace.system.models import Many
from retrace.system.stage import Stage

COLUMNS = (
    "machine", "graph", "solver", "searches", "drawn", "mean_ms", "median_ms", "q1_ms", "q3_ms",
    "harmonic_mean_gteps", "trees", "remark",
)  # fmt: skip
SCORE_DIGITS = 4
NO_SCORE = "\N{EN DASH}"
EMULATED = "checked on the emulator, which has no times"
INTRODUCTION = """\
# Scores of {experiment} by the protocols of GAP and Graph500

Each row is of `searches` from the first sources, or sets of sources, that GAP picks, of `drawn` in all;
fewer where they took longer than the experiment's budget. Times in ms are of a warm search: the graph is
resident, and the answer stays in the memory of what searched. GAP reports their mean. A rate (GTEPS, 10^9
edges a second) is of the edges that were drawn in the source's component, self-loops and repeated ones
included; Graph500 reports the harmonic mean. Valid trees hold Graph500's five rules. A graph marked as
stand-in is not GAP's, nor are its sources.

"""


class ScoreProtocols(Stage):
    """Write the scores of an experiment by the protocols of GAP and Graph500, as CSV and Markdown."""

    experiment: str
    """Its name, for the title."""
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
        lines = [INTRODUCTION.format(experiment=self.experiment), *markdown_table(rows), *not_searched(rows)]
        write_whole(Path(f"{self.output_prefix}.md"), "".join(lines))


def row_of(record: Record) -> tuple[str, ...]:
    """Return a record's cells, one for each of `COLUMNS`; empty those of times that may not be shown."""
    names = record.machine.name, record.label, with_tree(record)
    counts = str(len(record.trials)), str(record.drawn or "")
    if not record.agreed:
        outcome = "wrong: " if record.status == "ok" else ""
        return (*names, *counts, "", "", "", "", "", "", f"{outcome}{record.reason}")
    trees = "valid" if record.oracle and GRAPH500 in record.oracle else "none, lengths proved"
    if record.problem == "betweenness":
        trees = ""
    if not record.timed:
        return (*names, *counts, "", "", "", "", "", trees, EMULATED)
    times = [trial.solve if trial.again is None else trial.again for trial in record.trials]
    spread = Summary.of(times)
    numbers = fmean(times), spread.median, spread.q1, spread.q3
    why = ", ".join(doubt.why for doubt in doubtful_trials(record) if doubt.concerns("solve", "again"))
    doubt = f"doubtful: {why}" if why else ""
    return (*names, *counts, *map(shown, numbers), gteps(record, times), trees, doubt)


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


def markdown_table(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the lines of a table of what was searched, without columns that are empty in each row."""
    searched = [row for row in rows if row[COLUMNS.index("searches")] != "0"]
    if not searched:
        return
    kept = [place for place in range(len(COLUMNS)) if any(row[place] for row in searched)]
    titles = [COLUMNS[place].replace("_", " ").replace("gteps", "GTEPS") for place in kept]
    first_number, first_text = (COLUMNS.index(name) for name in ("searches", "trees"))
    signs = ["---:" if first_number <= place < first_text else ":---" for place in kept]
    cells = [[row[place].replace("|", "\\|") or NO_SCORE for place in kept] for row in searched]
    yield from (f"| {' | '.join(line)} |\n" for line in (titles, signs, *cells))


def not_searched(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the lines that say what is in no row, on which graphs, and why."""
    graphs: dict[tuple[str, str, str], list[str]] = {}
    for machine, graph, solver, searches, *_, reason in rows:
        if searches == "0":
            graphs.setdefault((machine, solver, reason), []).append(re.sub(r", \d+ \w+", "", graph))
    if graphs:
        yield "\nNot searched:\n\n"
    for (machine, solver, reason), names in graphs.items():
        yield f"- {machine}, {solver} on {', '.join(names)}: {reason}\n"
