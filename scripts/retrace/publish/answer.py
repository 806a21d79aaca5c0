"""The answer to all reports in a few sentences: how many claims hold, and how much faster ours are."""

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
    noisy = f" ({tally.noisy_of_time} since times scatter)" if tally.noisy_of_time else ""
    said = (
        _counted(tally.of_time, "claims about time", f" on an {tally.gpu}", noisy),
        _counted(tally.others, "others, on answers, counts, sizes, or unmeasured"),
        _of_today(tally, every),
    )
    return "\n".join(f"- {sentence}" for sentence in said if sentence)


def _counted(counts: Mapping[Verdict, int], of: str, on: str = "", why_untold: str = "") -> str:
    """Say how many claims have which verdict; empty without claims."""
    numbers = {
        verdict: f"{counts[verdict]} {words}" for verdict, words in COUNTED_AS.items() if counts[verdict]
    }
    said = [f"**{words}**{on}" if verdict is Verdict.HOLDS else words for verdict, words in numbers.items()]
    return f"Of {sum(counts.values())} {of}, {word_list(said)}{why_untold}." if said else ""


def _of_today(tally: Tally, every: Sequence[Race]) -> str:
    """Say how our fastest program of each pair of problem and graph compares in a first search."""
    kernels, libraries = factors(every, "published"), factors(every, "library")
    beside, shown = [], [race.by[FIRST].ours for race in every]
    if kernels:
        certain = factors(every, "published", told_alone=True)
        ends = f"; {speed_range(min(certain), max(certain))} where it can be told" if certain else ""
        graphs = f"median of {len(kernels)}{ends}"
        beside.append(f"**{speed(median(kernels))} than the reports' fastest kernel** ({graphs})")
    if libraries:
        least = [entry.record for race in every if (entry := race.by[FIRST].library)]
        named = Counter((record.software.peer or "").partition(" ")[0] for record in least)
        on_cpu = sum(bool(cores_of(record)) for record in least)
        several = word_list([f"{name} {count}" for name, count in named.most_common()])
        beside.append(
            f"**{speed(median(libraries))} than the best library** "
            f"(median of {len(least)}: {several}; {on_cpu} on the CPU)"
        )
    if not beside:
        return ""
    elsewhere = f" on {every[0].machine}," if every[0].machine != tally.machine else ""
    on_core = sum(bool(cores_of(entry.record)) for entry in shown)
    cores = f" ({on_core} of {len(shown)} run on a CPU core)" if on_core else ""
    return f"A first search by our fastest program{cores} is{elsewhere} {word_list(beside)}."
