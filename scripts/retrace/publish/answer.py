"""The answer to all reports in two sentences: how many claims hold, and how much faster ours are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from retrace.publish.front import Tally
from retrace.publish.provenance import cores_of
from retrace.publish.today import Race, factors
from retrace.reports.finding import Verdict
from retrace.reports.like_for_like import FIRST
from retrace.reports.wording import speed, speed_range, word_list

COUNTED_AS = {
    Verdict.HOLDS: "hold",
    Verdict.IN_PART: "in part",
    Verdict.FAILS: "do not",
    Verdict.OPEN: "cannot be told",
}
"""A verdict on several claims."""


def answer(tally: Tally, every: Sequence[Race]) -> str:
    """Say in Markdown how many claims hold, and how much faster what is fast today is."""
    return f"**{' '.join(filter(None, (_of_claims(tally), _of_today(tally, every))))}**"


def _of_claims(tally: Tally) -> str:
    """Say how many claims about time have which verdict, and then how many of the others."""
    noisy = f" ({tally.noisy_of_time} since times scatter)" if tally.noisy_of_time else ""
    timed = _counted(tally.of_time, f"about time, on an {tally.gpu},", noisy)
    return " ".join(filter(None, (timed, _counted(tally.others, "about answers, counts and sizes,"))))


def _counted(counts: Mapping[Verdict, int], about: str, why_untold: str = "") -> str:
    """Say how many claims have which verdict; empty without claims."""
    numbers = [f"{counts[verdict]} {words}" for verdict, words in COUNTED_AS.items() if counts[verdict]]
    return f"Of {sum(counts.values())} claims {about} {word_list(numbers)}{why_untold}." if numbers else ""


def _of_today(tally: Tally, every: Sequence[Race]) -> str:
    """Say how our fastest program of each pair of problem and graph compares in a first search."""
    kernels, libraries = factors(every, "published"), factors(every, "library")
    beside, shown = [], [race.by[FIRST].ours for race in every]
    if kernels:
        told = factors(every, "published", told_alone=True)
        ends = f"; {speed_range(min(told), max(told))} where it can be told" if told else ""
        graphs = f"median of {len(kernels)}{ends}"
        beside.append(f"{speed(median(kernels))} than the reports' fastest kernel ({graphs})")
    if libraries:
        least = [entry.record for race in every if (entry := race.by[FIRST].library)]
        named = Counter((record.software.peer or "").partition(" ")[0] for record in least)
        on_cpu = sum(bool(cores_of(record)) for record in least)
        several = word_list([f"{name} {count}" for name, count in named.most_common()])
        beside.append(
            f"{speed(median(libraries))} than the best library "
            f"(median of {len(least)}: {several}; {on_cpu} on the CPU)"
        )
    if not beside:
        return ""
    elsewhere = f" on {every[0].machine}," if every[0].machine != tally.machine else ""
    on_core = sum(bool(cores_of(entry.record)) for entry in shown)
    cores = f" ({on_core} of {len(shown)} run on a CPU core)" if on_core else ""
    return f"A first search by our fastest program{cores} is{elsewhere} {word_list(beside)}."
