"""The answer to all reports in two sentences: how many claims hold, and how much faster ours are."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from retrace.publish.front import Tally
from retrace.publish.provenance import cores_of
from retrace.publish.today import Race, factors
from retrace.records.ranking import WITHIN_NOISE
from retrace.reports.finding import Verdict
from retrace.reports.like_for_like import FIRST
from retrace.reports.wording import speed, speed_range, word_list

COUNTED_AS = {Verdict.HOLDS: "hold", Verdict.IN_PART: "hold in part", Verdict.FAILS: "do not hold"}
"""A verdict on several claims that could be told."""


def answer(tally: Tally, every: Sequence[Race]) -> str:
    """Say in Markdown how many claims hold, and how much faster what is fast today is."""
    return f"**{' '.join(filter(None, (_of_claims(tally), _of_today(tally, every))))}**"


def _of_claims(tally: Tally) -> str:
    """Say how many claims could be told and have which verdict, and what became of the others."""
    numbers = [f"{tally.total[verdict]} {words}" for verdict, words in COUNTED_AS.items()]
    left, noisy = tally.total[Verdict.OPEN], sum(tally.noisy.values())
    said = f"Of {tally.claims} claims, {tally.claims - left} could be decided on an {tally.gpu}"
    others = [f"{noisy} are {WITHIN_NOISE}"] * (noisy > 0)
    others += [f"{left - noisy} lack a measurement"] * (left > noisy)
    return f"{said}: {word_list(numbers)}." + (f" Of the others, {word_list(others)}." if others else "")


def _of_today(tally: Tally, every: Sequence[Race]) -> str:
    """Say how our fastest program of each pair of problem and graph compares in a first search."""
    kernels, libraries = factors(every, "published"), factors(every, "library")
    beside = []
    if kernels:
        ends = speed_range(min(kernels), max(kernels))
        beside.append(f"{speed(median(kernels))} than the reports' fastest kernel (median; {ends})")
    if libraries:
        least = [entry.record for race in every if (entry := race.by[FIRST].library)]
        named = Counter((record.software.peer or "").partition(" ")[0] for record in least)
        on_cpu = sum(bool(cores_of(record)) for record in least)
        several = word_list([f"{name} {count}" for name, count in named.most_common()])
        beside.append(
            f"{speed(median(libraries))} than the best library "
            f"(median of {len(least)}, {on_cpu} of them on the CPU: {several})"
        )
    if not beside:
        return ""
    elsewhere = f" on {every[0].machine}," if every[0].machine != tally.machine else ""
    pairs = f"On {len(every)} pairs of problem and graph,{elsewhere}"
    return f"{pairs} our fastest program finishes a first search {word_list(beside)}."
