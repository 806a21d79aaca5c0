"""What keeps a machine's records out of every table, and which times a reader should doubt.

`record` checks what is asked of every record. What is asked besides of records that are published for others
stands here, in `record_faults` and `relations`. All lines name a file, the line in it and the key.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from retrace.graphs.dataset_registry import Dataset
from retrace.records import relations
from retrace.records.record import Record
from retrace.records.record_faults import UNEVEN, find_faults
from retrace.records.statistics import LEAST_TRIALS, Summary

OF_A_MACHINE = ("machine.gpu.name", "machine.gpu.compute_capability", "machine.cpu", "machine.cores")
"""What all records of a machine have alike."""
OTHERS_LOAD = 0.25
"""Processes per core beside the solver's own, at least one, up to which a host counts as quiet."""
MANY_HELD_BACK = 0.1
"""Share of its trials, each of them repeated, that the host may have held back."""
WITHIN = 1.05
"""How many times the median solve the kernels take at most, which not every trial measures."""


@dataclass(frozen=True)
class Doubt:
    """Why a number is doubtful, in a few words, and what was found."""

    why: str
    found: str
    spares: tuple[str, ...] = ()
    """Measures that it does not concern."""

    def concerns(self, *measures: str) -> bool:
        """Return whether one of some measures is doubtful."""
        return not set(measures) <= set(self.spares)


OUTSIDE_SOLVE = ("setup", "upload", "download", "lock", "prepare")
"""Measures that no part of a solve is in."""


def find_errors(
    placed: Mapping[str, Record],
    registry: Mapping[str, Dataset],
    known: Mapping[str, Record] | None = None,
) -> list[str]:
    """Return what keeps records out of a table; they are given by their place, `file:line`.

    A graph with the name of a data set must be the registry's, and no run that of another machine among all
    that are `known`, by default these records alone.
    """
    known = known or placed
    errors = [
        f"{place}: {error}" for place, record in placed.items() for error in find_faults(record, registry)
    ]
    errors += [line for key in OF_A_MACHINE for line in relations.mixed(placed, key)]
    errors += [*relations.slowed(placed), *relations.pieced(placed), *relations.copied(placed, known)]
    errors += [*relations.contradictions(placed, known), *relations.repeated(placed)]
    errors += relations.undrawn(placed, known)
    return [*errors, *relations.outlasting(placed)]


def doubtful_trials(record: Record) -> Iterator[Doubt]:
    """Yield why a reader should doubt the times of a record."""
    if throttled := [trial for trial in record.trials if trial.throttled]:
        words = f"the GPU was throttled in {len(throttled)} of {len(record.trials)}"
        clock = min((trial.sm_clock_mhz for trial in throttled if trial.sm_clock_mhz), default=None)
        yield Doubt("throttled GPU", words if clock is None else f"{words}, to {clock:.0f} MHz", ("lock",))
    held_back = sum(bool(trial.held_back) for trial in record.trials)
    if held_back > MANY_HELD_BACK * len(record.trials):
        words = f"the host withheld processors in {held_back} of {len(record.trials)}"
        yield Doubt("trials held back", words)
    if found := _other_work(record):
        yield Doubt("other work on the host", found)
    totals = {trial.total for trial in record.trials}
    if len(record.trials) < LEAST_TRIALS:
        return
    if len(totals) == 1:
        yield Doubt("trials alike", f"all {len(record.trials)} took exactly {totals.pop()} ms")
    if record.drawn is not None:
        return  # searches from other sources take other times
    solve = Summary.of([trial.solve for trial in record.trials])
    if solve.q3 > UNEVEN * solve.q1:
        yield Doubt(
            "uneven trials", f"quartiles of {round(solve.q1, 3)} and {round(solve.q3, 3)} ms", OUTSIDE_SOLVE
        )
    kernels = [trial.kernel for trial in record.trials if trial.kernel is not None]
    if kernels and median(kernels) > WITHIN * solve.median:
        words = f"{round(median(kernels), 3)} ms of kernels in a solve of {round(solve.median, 3)} ms"
        yield Doubt("kernels beyond their solve", words, OUTSIDE_SOLVE)


def _other_work(record: Record) -> str | None:
    """Say what else the host did: by the cores that were busy, or else by its load, own work included."""
    quiet = max(1.0, OTHERS_LOAD * record.machine.cores)
    if others := [trial.others for trial in record.trials if trial.others is not None]:
        measured, most, what = median(others), quiet, "other processes on {:.1f} cores"
    elif loads := [trial.load for trial in record.trials if trial.load is not None]:
        measured, most, what = median(loads), (record.cores or 1) + quiet, "load {:.1f}"
    else:
        return None
    return (
        f"{what.format(measured)}, expected at most {most:.1f} on a quiet host" if measured > most else None
    )
