"""What tables, figures and claims show of a record: its phases, and what is derived from them."""

from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.records.margins import margins, trials_by_round
from retrace.records.record import Phase, Record
from retrace.records.statistics import Summary

Measure = Literal[Phase, "first search", "resident", "transfer", "with setup", "step", "energy"]
"""A phase of a trial; its first search, from arrays on the host to the answer there: page-locking and total,
and of a library the median setup; further solves on the resident graph alone, never a cold one; the share of
upload and download in its total; the total with the median setup, which of kernels makes the context; of the
problem limits, the time of a step, such as a load. `energy` is in millijoules, of a search on a resident
graph, idle power included."""
MEASURES: tuple[Measure, ...] = get_args(Measure)


def values_of(measure: Measure, record: Record) -> list[float]:
    """Return a measure of each trial that has it, of each pass for `setup`: milliseconds, or a share."""
    trials = record.trials
    match measure:
        case "setup":
            return record.setup
        case "resident":
            return values_of("again", record)
        case "transfer":
            return [(trial.upload + trial.download) / trial.total for trial in trials if trial.total > 0]
        case "with setup":
            before = _setup(record)
            return [] if before is None else [before + trial.total for trial in trials]
        case "first search":
            solver, locks = CATALOGUE.find(record.solver), [trial.lock for trial in trials]
            graph_object = _graph_object(record)
            if not solver.page_locks:
                locks = [ms or 0.0 for ms in locks]
            elif None in locks:  # as in records of before it was a phase: perhaps one for all trials
                locks = [record.observed.get("allocation_ms")] * len(trials)
            paid = [None if ms is None or graph_object is None else graph_object + ms for ms in locks]
            return [trial.total + ms for trial, ms in zip(trials, paid, strict=True) if ms is not None]
        case "step":
            steps = record.iterations if record.problem == "limits" else None
            return [trial.solve / steps for trial in trials] if steps else []
        case "energy":
            return [] if record.energy is None else [record.energy.per_search * 1e3]
        case phase:
            values = [ms for trial in trials if (ms := getattr(trial, phase)) is not None]
            return values or _of_last_trial(phase, record)


def _graph_object(record: Record) -> float | None:
    """Return the ms in which a library makes its graph; 0 of other solvers, None if it is not known alone.

    Older records of GAPBS's shortest paths, which observe no threads, have it together with trials of widths.
    """
    if not CATALOGUE.find(record.solver).calls_library:
        return 0.0
    with_widths = record.solver == "sssp/gapbs" and "threads" not in record.observed
    return None if with_widths else _setup(record)


def _setup(record: Record) -> float | None:
    return Summary.of(record.setup).median if record.setup else None


def outside_kernels(record: Record) -> list[list[float]]:
    """Return by round what of each solve its kernels do not take, in ms."""
    return [
        [trial.solve - trial.kernel for trial in trials if trial.kernel is not None]
        for trials in trials_by_round(record)
    ]


def _of_last_trial(phase: Phase, record: Record) -> list[float]:
    """Return a phase that records observed of the last trial alone before each trial had it."""
    names = {"prepare": "prepare_ms"}
    if CATALOGUE.find(record.solver).page_locks:
        names["lock"] = "allocation_ms"
    ms = record.observed.get(names.get(phase, ""))
    return [] if ms is None else [ms]


class Summaries(Mapping[Measure, Summary]):
    """The summaries of the measures that a record has, made when they are asked for.

    One whose times may not be shown has none.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._known: dict[str, Summary | None] = {}

    def _summarised(self, measure: str) -> Summary | None:
        if measure not in self._known:
            rounds = rounds_of(measure, self._record) if measure in MEASURES and self._record.timed else []
            self._known[measure] = margins().summarise(self._record, rounds) if any(rounds) else None
        return self._known[measure]

    def __getitem__(self, measure: Measure) -> Summary:
        if (summary := self._summarised(measure)) is None:
            raise KeyError(measure)
        return summary

    def __iter__(self) -> Iterator[Measure]:
        return (measure for measure in MEASURES if self._summarised(measure) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def rounds_of(measure: Measure, record: Record) -> list[list[float]]:
    """Return the values of a measure by round; passes of `setup` and the energy are of none."""
    if record.rounds == 1 or measure in ("setup", "energy"):
        return [values_of(measure, record)]
    parts = (record.model_copy(update={"trials": trials}) for trials in trials_by_round(record))
    return [values_of(measure, part) for part in parts]
