"""Rounds: the same solvers measured again in processes of their own, each time in another order.

Between processes the same solver differs by more than its trials within one do, so that several processes
tell more than several trials. A round has its own device, setups and trials. A solver whose trial is long
has fewer rounds: all rounds together stay within its seconds. Sources that are drawn are dealt out among the
rounds, so that no two share one.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from math import ceil
from typing import TypeVar

from retrace.measure.trials import Effort, Measurement, fits_budget
from retrace.records.record import ONE_ANSWER, digest_of_all
from retrace.records.statistics import LEAST_TRIALS
from retrace.solvers import find
from retrace.system.errors import RetraceError

E = TypeVar("E", bound=Effort)


def round_name(number: int, rounds: int) -> str:
    """Name a round, whose number is from 0, as people count: `round 1 of 3`."""
    return f"round {number + 1} of {rounds}"


def share_of_round(effort: E, rounds: int) -> E:
    """Return how much to measure in one of several rounds.

    Trials are rounded up, to three at least if so many are allowed in all, before which none ends early.
    """
    shared = {
        "trials": max(ceil(effort.trials / rounds), min(effort.trials, LEAST_TRIALS)),
        "least_trials": max(ceil(effort.least_trials / rounds), LEAST_TRIALS),
        "setups": ceil(effort.setups / rounds),
        "budget_s": effort.budget_s / rounds,
    }
    return effort.model_copy(update=shared)


def drawn_order(cases: Iterable[Measurement], *seeds: object) -> list[Measurement]:
    """Return measurements in an order that their requests and `seeds` decide, the same on every computer."""

    def drawn(case: Measurement) -> bytes:
        words = (*seeds, case.request.solver, case.request.query.pair)
        return sha256(" ".join(map(str, words)).encode()).digest()

    return sorted(cases, key=drawn)


def is_due(case: Measurement, earlier: Sequence[Measurement], budget_s: float) -> bool:
    """Return whether a round measures a request of which `earlier` rounds have these results.

    It leaves out what an earlier round left out, skipped or found wrong, what does not fit the seconds of
    all rounds, and the emulator, whose times say nothing.
    """
    if earlier and case.request.backend == "emulator":
        return False
    seconds = [taken for one in earlier for taken in one.seconds]
    fits = fits_budget([trial for one in earlier for trial in one.trials], seconds, budget_s)
    return fits and all(one.status == "ok" and one.result and one.result.verified for one in earlier)


def join_rounds(case: Measurement, rounds: Sequence[Measurement], budget_s: float) -> None:
    """Give a measurement what its rounds came to, of which each trial says its own.

    It has failed if a round has, or if rounds answered differently where there is one answer. It is skipped
    if the first round was; a later one that was skipped has no trials. The reason of all else names the
    round. Raise RetraceError if a round lacks its results.
    """
    names = [round_name(number, len(rounds)) for number in range(len(rounds))]
    for number, one in enumerate(rounds):
        due = is_due(one, rounds[:number], budget_s)
        if due != bool(one.started) or (due and one.status == "ok" and not (one.trials and one.result)):
            expected = "expected" if due else "expected no"
            raise RetraceError(
                f"{names[number]}: {expected} trials of {case.request.solver}; measure all rounds again"
            )
    measured = [one for one in rounds if one.started]
    answered = [one for one in measured if one.status == "ok"]
    case.started = measured[0].started
    case.gpu = next((one.gpu for one in measured if one.gpu is not None), None)
    case.setups = [ms for one in answered for ms in one.setups]
    case.seconds = [seconds for one in answered for seconds in one.seconds]
    case.trials = [
        trial.model_copy(update={"round": number})
        for number, one in enumerate(rounds)
        if one.status == "ok"
        for trial in one.trials
    ]
    if answered:
        last = answered[-1]
        case.iterations, case.result = last.iterations, last.result
        case.digest, case.observed = last.digest, last.observed
        case.energy, case.drawn = answered[0].energy, answered[0].drawn
        if case.drawn is not None:
            case.digest = digest_of_all(case.trials)
    name, ended = names[len(measured) - 1], measured[-1]  # whatever ended badly was the last
    if ended.status == "skipped" and not answered:
        case.skip(ended.reason or "")
    elif ended.reason is not None:
        case.status = "failed" if ended.status == "failed" else "ok"
        case.reason = f"{name}: {'skipped, ' if ended.status == 'skipped' else ''}{ended.reason}"
    elif case.drawn is None and find(case.request.solver).problem in ONE_ANSWER:
        other = next((n for n, one in enumerate(answered) if one.digest != answered[0].digest), None)
        if other is not None:
            case.status = "failed"
            case.reason = f"{names[other]}: digest: expected the answer of {names[0]}, found another"
