"""What makes a reader doubt records of a machine beside others: what lacks, or lasts unlike the rest."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from statistics import median

from retrace.records.record import Record, Trial
from retrace.records.relations import file_of, full_clocks
from retrace.records.statistics import LEAST_TRIALS

FULL_CLOCK = 0.95
"""Share of it below which a GPU that works is throttled, whatever a record says."""
AGAIN = ((1.0, (0.45, 1.8)), (0.0, (0.05, 2.5)))
"""From so many ms of a solve: how many times as long as first solves further ones last, least and most."""
OF_KERNELS = 0.5
"""How many times as long as the kernels of the same trials further solves last, at least."""
NOTHING_ENDED_S = 0.08
"""Seconds of trials below which no budget of time ended them, but where much else is done for each."""
A_SECOND_S = {"host": 0.4, "cuda": 0.15}
"""Seconds of recorded work below which trials of one question have not taken the second that ends them."""
A_BUDGET_S = {"host": 1.5, "cuda": 0.5}
"""The same of the budget, which alone ends a round before its third trial."""
AGAIN_S = 0.02
"""Seconds that further solves take together, unless one takes longer."""
LOCKED = 4.0, 1.0
"""How many times as long, and how many ms longer, one round's page-locking lasts than another's, at most."""
SLOWER = 3.0
"""How many times as long the trials of another solver last that were all measured, in a file."""


def incomplete(own: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each record that has fewer trials or rounds than others, though no time ended it."""
    files: dict[str, list[tuple[str, Record]]] = defaultdict(list)
    for place, record in own.items():
        if record.timed:
            files[file_of(place)].append((place, record))
    rounds: dict[str, int] = defaultdict(lambda: 1)  # of an experiment
    for _, record in (one for records in files.values() for one in records):
        rounds[record.experiment] = max(rounds[record.experiment], record.rounds)
    for records in files.values():
        most = max(len(record.trials) for _, record in records)
        slowest = max(_mean_ms(record) for _, record in records if len(record.trials) == most)
        whole = [max(_of_rounds(one)) for _, one in records if one.rounds == rounds[one.experiment]]
        share = max(LEAST_TRIALS, *whole, 0)  # of a round that no time ended
        for place, record in records:
            expected = max(most, min(record.drawn or 0, record.graph.vertices))
            mean = _mean_ms(record)
            counts, of_all = _of_rounds(record), rounds[record.experiment]
            if record.rounds < of_all and max(counts) >= share:
                contrast = f"expected trials of {of_all} rounds, as others have, found {record.rounds}"
                yield f"{place}: trials.round: {contrast}, and {max(counts)} trials in one; measure it again"
            elif len(record.trials) < expected and (_ended_by_nothing(record) or SLOWER * mean < slowest):
                seconds = mean * len(record.trials) / 1e3
                contrast = f"expected {expected}, found {len(record.trials)} of {seconds:.3g} s in all"
                yield f"{place}: trials: {contrast}, which no budget of time ended; measure it again"


def _mean_ms(record: Record) -> float:
    return sum(map(_trial_ms, record.trials)) / len(record.trials)


def _trial_ms(trial: Trial) -> float:
    """Return the milliseconds of all phases; page-locking is beside the total."""
    return trial.total + (trial.lock or 0.0)


def _ended_by_nothing(record: Record) -> bool:
    """Return whether the trials took too little time to be ended by it, further solves included."""
    if record.drawn is not None:
        return sum(trial.total for trial in record.trials) / 1e3 < NOTHING_ENDED_S
    ended = A_BUDGET_S if max(_of_rounds(record)) < LEAST_TRIALS else A_SECOND_S
    return sum(map(_work_s, record.trials)) < ended[record.backend]


def _work_s(trial: Trial) -> float:
    """Return the seconds of a trial, with those of a pass beside it for kernels, and of further solves."""
    again = 0.0 if trial.again is None else max(trial.again / 1e3, AGAIN_S)
    return _trial_ms(trial) / 1e3 * (1 + (trial.kernel is not None)) + again


def _of_rounds(record: Record) -> list[int]:
    return list(Counter(trial.round for trial in record.trials).values())


def unlike_first_solves(own: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each record whose further solves are far from its first ones, or from its kernels."""
    for place, record in own.items():
        further = [trial for trial in record.trials if trial.again is not None]
        again, solve = (median([getattr(t, key) for t in further] or [0.0]) for key in ("again", "solve"))
        least, most = next(bounds for from_ms, bounds in AGAIN if solve >= from_ms)
        if not least * solve <= again <= most * solve:
            contrast = f"expected {least} to {most} times as long as solves"
            yield f"{place}: trials.again: {contrast}, found {again / solve:.3g}; measure it again"
        timed = [trial for trial in further if trial.kernel is not None]
        again, kernel = (sum(getattr(t, key) for t in timed) for key in ("again", "kernel"))
        if again < OF_KERNELS * kernel:
            contrast = f"expected at least {OF_KERNELS} times as long as their kernels"
            yield f"{place}: trials.again: {contrast}, found {again / kernel:.3g}; measure it again"


def unlike_locks(own: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each record whose page-locking lasts unlike that of other rounds, or is not told."""
    locking = {_same_program(record) for record in own.values() if _locks(record)}
    for place, record in own.items():
        locks = _locks(record)
        of_rounds = [median(each) for each in locks.values()]
        least, most = min(of_rounds, default=0.0), max(of_rounds, default=0.0)
        if record.trials and least <= 0 and _same_program(record) in locking:
            yield f"{place}: trials.lock: expected the time of page-locking, found none; measure it again"
        elif most > max(LOCKED[0] * least, least + LOCKED[1]):
            contrast = f"expected at most {LOCKED[0]} times as many milliseconds in a round as in another"
            yield f"{place}: trials.lock: {contrast}, found {least:.3g} and {most:.3g}; measure it again"


def _locks(record: Record) -> dict[int | None, list[float]]:
    """Return the milliseconds of page-locking of each round's trials."""
    locks: dict[int | None, list[float]] = defaultdict(list)
    for trial in record.trials:
        if trial.lock is not None:
            locks[trial.round].append(trial.lock)
    return locks


def _same_program(record: Record) -> tuple[object, ...]:
    """Return what records have in common that page-lock the same arrays, or none."""
    chosen = tuple(key for key in record.observed if key.startswith("chose_"))
    settings = tuple(sorted(record.parameters.items()))
    return record.experiment, record.solver, settings, chosen, record.software.git_commit


def shared_hosts(own: Mapping[str, Record], every: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each host that has records of another machine, too: perhaps two settings of a GPU."""
    names: dict[str, set[str]] = defaultdict(set)
    for record in every.values():
        names[record.machine.host or ""].add(record.machine.name)
    first = {record.machine.host: (place, record) for place, record in list(own.items())[::-1]}
    for host, (place, record) in first.items():
        if host and (others := sorted(names[host] - {record.machine.name})):
            yield f"{place}: machine.host: {host} is the host of {', '.join(others)}, too"


def slowed_unsaid(own: Mapping[str, Record]) -> Iterator[str]:
    """Yield a line for each record most of whose trials say of a low clock that it is not throttled."""
    clocks = full_clocks(own)
    for place, record in own.items():
        full = clocks[record.machine.name]
        low = [t.sm_clock_mhz for t in record.trials if t.sm_clock_mhz and not t.throttled]
        low = [clock for clock in low if clock < FULL_CLOCK * full]
        if len(low) > len(record.trials) / 2:
            contrast = f"expected true at {min(low):.0f} MHz, where others have {full:.0f}, found false"
            yield f"{place}: trials.throttled: {contrast}; measure it again"
