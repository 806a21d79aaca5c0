"""The answer to all reports in a few sentences: how many claims hold, and how much faster ours are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from retrace.publish.front import Tally
from retrace.publish.today import Race, Side, factors
from retrace.reports.finding import Verdict
from retrace.reports.like_for_like import FIRST, RESIDENT
from retrace.reports.wording import speed, word_list

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
        _counted(tally.others, "other claims"),
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
    """Say how our fastest program of each problem and graph compares, in a first and in a further search."""
    kernels, libraries = factors(every, "published"), factors(every, "library")
    beside, counts, further, counts_again = [], [], [], []
    sides: Sequence[tuple[Side, str, Sequence[float]]] = (
        ("published", "the reports' fastest kernel", kernels),
        ("library", "the best library", libraries),
    )
    for side, named, firsts in sides:
        if firsts:
            beside.append(f"**{speed(median(firsts))} than {named}**")
            counts.append(str(len(firsts)))
            again = factors(every, side, RESIDENT)
            if again:
                further.append(speed(median(again)))
                counts_again.append(str(len(again)))
    if not beside:
        return ""
    elsewhere = f" on {every[0].machine}," if every[0].machine != tally.machine else ""
    said = f"A first search by our fastest program is{elsewhere} {word_list(beside)}"
    medians = f"medians over {word_list(counts)} problems and graphs"
    if further:
        said += f", a further one {word_list(further)}"
        medians += f", of further searches {word_list(counts_again)}" if counts_again != counts else ""
    notes = [medians]
    if libraries:
        least = [entry.record for race in every if (entry := race.by[FIRST].library)]
        peers = Counter((record.software.peer or "").partition(" ")[0] for record in least)
        several = word_list([f"{name} {count}" for name, count in peers.most_common()])
        notes.append(f"libraries: {several}")
    return f"{said} ({'; '.join(notes)})."
