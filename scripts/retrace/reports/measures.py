"""What tables, figures and claims show of a record: its phases, and what is derived from them."""

from typing import Literal, get_args

from retrace.records.record import Phase, Record
from retrace.records.statistics import Summary

Measure = Literal[Phase, "resident", "transfer", "with setup", "step"]
"""A phase of a trial, the share of upload and download in its total, the total with the median setup, or the
time on a resident graph: of further solves if there are any, else of the first; of
the problem limits, the time of a step, such as a load."""
MEASURES: tuple[Measure, ...] = get_args(Measure)


def values_of(measure: Measure, record: Record) -> list[float]:
    """Return a measure of each trial that has it, of each pass for `setup`: milliseconds, or a share."""
    trials = record.trials
    match measure:
        case "setup":
            return record.setup
        case "resident":
            return values_of("again", record) or values_of("solve", record)
        case "transfer":
            return [(trial.upload + trial.download) / trial.total for trial in trials if trial.total > 0]
        case "with setup":
            before = Summary.of(record.setup).median if record.setup else None
            return [] if before is None else [before + trial.total for trial in trials]
        case "step":
            steps = record.iterations if record.problem == "limits" else None
            return [trial.solve / steps for trial in trials] if steps else []
        case phase:
            return [ms for trial in trials if (ms := getattr(trial, phase)) is not None]


def summaries(record: Record) -> dict[Measure, Summary]:
    """Summarise every measure that a record has; none of one whose times may not be shown."""
    if not record.timed:
        return {}
    values = {measure: values_of(measure, record) for measure in MEASURES}
    return {measure: Summary.of(some) for measure, some in values.items() if some}
