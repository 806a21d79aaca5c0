"""Whether a claim holds on a machine: the numbers that were measured for it, and a verdict.

Times are compared graph by graph, by the one rule of `retrace.records.statistics.rank`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from retrace.records.record import Phase
from retrace.records.statistics import RULE, Summary, rank
from retrace.reports import claim as claims
from retrace.reports.claim import Claim, Where
from retrace.reports.frame import Entry, Frame, same_graph
from retrace.reports.one_offs import FUNCTIONS
from retrace.reports.report import Report
from retrace.reports.variant import Variant
from retrace.reports.wording import duration, ratio
from retrace.system.errors import RetraceError


class Verdict(StrEnum):
    """Whether a claim holds on a machine."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True)
class Finding:
    """What a machine's records say of a claim.

    Attributes
    ----------
    verdict
        Whether it holds.
    measured
        The numbers that the verdict rests on, with their units; empty without any.
    why
        What the verdict alone does not say: where it holds, or why nothing can be told.
    """

    verdict: Verdict
    measured: str = ""
    why: str = ""

    @property
    def sentence(self) -> str:
        """The verdict, and why."""
        return f"{self.verdict}: {self.why}" if self.why else str(self.verdict)


COMPARING = (
    f"{RULE} Times are medians. The numbers quoted are those of the graph with the most work; of several "
    "comparisons on it, those with the least and the greatest ratio."
)
"""What the verdicts mean."""


@dataclass(frozen=True)
class Evidence:
    """The records that one machine has of one experiment.

    Attributes
    ----------
    machine, entries
        Whose records these are, and the records that count.
    on_gpu
        Whether any of the machine's times of the experiment is a GPU's, counting or not.
    """

    machine: str
    entries: Sequence[Entry]
    on_gpu: bool

    @classmethod
    def of(cls, frame: Frame, experiment: str, machine: str, condition: Where) -> Evidence:
        """Choose a machine's records of an experiment, but for those that a condition leaves out."""
        own = frame.of(experiment)
        counting = [e for e in own.measured if e.machine == machine and meets(e, condition)]
        return cls(machine, counting, machine in own.on_gpu)

    def timed(self, variant: Variant) -> dict[str, Entry]:
        """Return the entries of a variant that have times, by the label of the graph, the least work first.

        Raises
        ------
        RetraceError
            If there are two for a graph.
        """
        found: dict[str, Entry] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.work):
            if entry.total and fits(entry, variant):
                if entry.label in found:
                    raise RetraceError(
                        f"{entry.experiment}: two records of {variant} on {entry.label} from {self.machine}; "
                        "give one"
                    )
                found[entry.label] = entry
        return found

    def summaries(self, variant: Variant, phase: Phase) -> dict[str, Summary]:
        """Return a phase of a variant's trials by graph, as far as they can be ranked."""
        found = {label: entry.times.get(phase) for label, entry in self.timed(variant).items()}
        return {label: times for label, times in found.items() if times and times.enough}

    def why_untimed(self, variants: Iterable[Variant]) -> str:
        """Say why there are no times to judge by."""
        if not self.on_gpu:
            return "no times on a GPU"
        for variant in variants:
            entries = [entry for entry in self.entries if fits(entry, variant)]
            if not entries:
                return f"{variant} was not measured"
            if not any(entry.total for entry in entries):
                record = entries[0].record
                return f"{variant} on {entries[0].label}: {(record and record.reason) or 'not timed'}"
        return "no graph has enough trials of all that is compared"


def fits(entry: Entry, variant: Variant) -> bool:
    """Return whether a record is of a variant."""
    return entry.record is not None and variant.fits(entry.solver, entry.record.parameters)


def meets(entry: Entry, condition: Where) -> bool:
    """Return whether an entry counts under a condition."""
    record = entry.record
    left = record.observed.get("searched_vertices") if record else None
    return (
        condition.arcs_per_vertex in (None, entry.arcs_per_vertex)
        and entry.vertices >= (condition.least_vertices or 0)
        and not (condition.all_sources and record and record.parameters.get("sources"))
        and not (
            condition.compaction_helps
            and "-comp" in entry.solver
            and left is not None
            and left >= entry.vertices
        )
    )


@dataclass(frozen=True)
class Pair:
    """Two variants on one graph: the one that a claim says to be faster, and the other."""

    graph: str
    fast: Variant
    slow: Variant
    entries: tuple[Entry, Entry]
    times: tuple[Summary, Summary]

    @property
    def order(self) -> int:
        """-1 if the first is the faster, 1 if the other is, 0 if they cannot be told apart."""
        return rank(*self.times)

    @property
    def ratio(self) -> float:
        """How many times as long the second takes, by the medians."""
        return self.times[1].median / self.times[0].median

    @property
    def less_outside_kernels(self) -> bool:
        """Whether the first takes less of its solve outside the kernels; false where theirs is unknown."""
        outside = []
        for entry in self.entries:
            kernel = entry.times.get("kernel")
            outside.append(entry.times["solve"].median - (kernel.median if kernel else float("nan")))
        return outside[0] < outside[1]

    def __str__(self) -> str:
        first, second = self.times
        return (
            f"{self.graph}: {duration(first.median)} ({self.fast}), {duration(second.median)} ({self.slow}), "
            f"{ratio(self.ratio)}"
        )


def pairs_of(evidence: Evidence, fast: Variant, slow: Variant, phase: Phase) -> list[Pair]:
    """Pair the times of two variants on the very same graphs, as far as they can be ranked."""
    first, second = evidence.timed(fast), evidence.timed(slow)
    found = []
    for graph, own in first.items():
        if graph in second and same_graph(own, second[graph]):
            times, others = own.times.get(phase), second[graph].times.get(phase)
            if times and others and times.enough and others.enough:
                found.append(Pair(graph, fast, slow, (own, second[graph]), (times, others)))
    return found


def judge(report: Report, claim: Claim, frame: Frame, machine: str) -> Finding:
    """Judge a claim by what a machine has measured."""
    test = claim.test
    if test is None or claim.experiment is None:
        return Finding(Verdict.OPEN, why="nothing here measures it")
    evidence = Evidence.of(frame, claim.experiment, machine, test.where)
    finding = JUDGES[type(test)](report, test, evidence)
    if claim.quote and finding.measured:
        for label, times in reversed(
            evidence.summaries(report.variant(claim.quote.variant), test.by).items()
        ):
            quoted = f"{label}: {duration(times.median)} {claim.quote.words}"
            return replace(finding, measured=f"{finding.measured}; {quoted}")
    return finding


def faster(report: Report, test: claims.Faster, evidence: Evidence) -> Finding:
    """Judge whether the first of each pair is faster than the second.

    Of the pairs' largest graphs, the least and the greatest ratio are quoted.
    """
    variants = [(report.variant(fast), report.variant(slow)) for fast, slow in test.pairs]
    by_pair = [some for pair in variants if (some := pairs_of(evidence, *pair, test.by))]
    left = _shares_left(evidence, *variants[0]) if test.where.reduced else {}
    if left:
        by_pair = [[pair for pair in some if left.get(pair.graph, 1) < 1] for some in by_pair]
        if min(left.values()) >= 1:
            return Finding(Verdict.OPEN, why=f"there is nothing to remove from {', '.join(left)}")
    if not any(by_pair):
        return _open(evidence, [variant for pair in variants for variant in pair])
    largest = sorted((some[-1] for some in by_pair if some), key=lambda pair: pair.ratio)
    orders = {
        f"{pair.graph} ({pair.fast} against {pair.slow})" if len(by_pair) > 1 else pair.graph: _order(
            pair, test
        )
        for some in by_pair
        for pair in some
    }
    found = list(orders.values())
    numbers = [
        *dict.fromkeys((str(largest[0]), str(largest[-1]))),
        f"faster in {found.count(-1)}, slower in {found.count(1)} of {len(found)}",
    ]
    reduced = [f"{share:.0%} of the vertices left on {graph}" for graph, share in left.items() if share < 1]
    if reduced:
        numbers.append(", ".join(reduced))
    if set(found) == {0} and any(pair.order == -1 for some in by_pair for pair in some):
        why = "faster, but for another reason: not outside the kernels"
        return Finding(Verdict.FAILS, "; ".join(numbers), why)
    return Finding(verdict(found), "; ".join(numbers), places(orders))


def _order(pair: Pair, test: claims.Faster) -> int:
    """Order a pair; what is faster for another reason than is claimed does not count."""
    other_reason = test.outside_kernels and pair.order == -1 and not pair.less_outside_kernels
    return 0 if other_reason else pair.order


def _shares_left(evidence: Evidence, further: Variant, without: Variant) -> dict[str, float]:
    """Return by graph the share of vertices that a further reduction leaves."""
    left, whole = (
        {
            label: float(entry.record.observed.get("searched_vertices", 0)) if entry.record else 0.0
            for label, entry in evidence.timed(variant).items()
        }
        for variant in (further, without)
    )
    return {label: number / whole[label] for label, number in left.items() if whole.get(label)}


def not_faster(report: Report, test: claims.NotFaster, evidence: Evidence) -> Finding:
    """Judge whether a version is no faster than another: it may be slower, or the same."""
    own, base = report.variant(test.not_faster), report.variant(test.than)
    found = pairs_of(evidence, own, base, test.by)
    if not found:
        return _open(evidence, (own, base))
    orders = {pair.graph: 1 if pair.order == -1 else -1 for pair in found}
    slower, quicker = sum(pair.order == 1 for pair in found), list(orders.values()).count(1)
    measured = f"{found[-1]}; slower on {slower}, faster on {quicker} of {len(found)} graphs"
    return Finding(verdict(list(orders.values())), measured, places(orders))


def somewhere_faster(report: Report, test: claims.SomewhereFaster, evidence: Evidence) -> Finding:
    """Judge up to which graph a variant is faster."""
    own, base = report.variant(test.faster_on_some), report.variant(test.than)
    found = pairs_of(evidence, own, base, test.by)
    if len(found) < 2:
        return _open(evidence, [own, base])
    where = [pair.graph for pair in found if pair.order == -1]
    measured = f"{found[0]}; {found[-1]}"
    if not where:
        return Finding(Verdict.FAILS, measured, f"{base} is no slower on any graph")
    more = "" if where[-1] != found[-1].graph else ", the largest measured"
    return Finding(Verdict.HOLDS, measured, f"{own} is faster up to {where[-1]}{more}")


def fastest(report: Report, test: claims.Fastest, evidence: Evidence) -> Finding:
    """Judge whether a variant is the fastest of several."""
    best = report.variant(test.fastest)
    others = [other for spec in test.expand(test.of) if str(other := report.variant(spec)) != str(best)]
    times = {str(variant): evidence.summaries(variant, test.by) for variant in (best, *others)}
    orders, quoted = {}, []
    for graph, own in times[str(best)].items():
        there = {name: found[graph] for name, found in times.items() if graph in found}
        if len(there) < 2 or (len(there) <= len(others) and not test.any_present):
            continue
        orders[graph] = max(rank(own, other) for name, other in there.items() if name != str(best))
        least = min(there, key=lambda name: there[name].median)
        beaten = f", {best} takes {ratio(own.median / there[least].median)}" if least != str(best) else ""
        quoted.append(
            f"{graph}: fastest of {len(there)} is {least} ({duration(there[least].median)}{beaten})"
        )
    if not orders:
        return _open(evidence, [best, *others])
    numbers = dict.fromkeys((quoted[0], quoted[-1]))
    return Finding(verdict(list(orders.values())), "; ".join(numbers), places(orders))


def gain_grows(report: Report, test: claims.GainGrows, evidence: Evidence) -> Finding:
    """Judge whether what a variant saves grows from each size to the next."""
    own, base = report.variant(test.gain_grows), report.variant(test.over)
    found = pairs_of(evidence, own, base, test.by)
    if len(found) < 2:
        return _open(evidence, [own, base])
    saved = [pair.times[1].median - pair.times[0].median for pair in found]
    orders = {
        found[number].graph: -1 if saved[number] > saved[number - 1] else 1 for number in range(1, len(found))
    }
    texts = [
        f"{pair.graph}: {duration(abs(ms))} {'saved' if ms >= 0 else 'lost'} ({ratio(pair.ratio)})"
        for pair, ms in ((found[0], saved[0]), (found[-1], saved[-1]))
    ]
    return Finding(verdict(list(orders.values())), "; ".join(texts), places(orders))


def transfer_share(report: Report, test: claims.TransferShare, evidence: Evidence) -> Finding:
    """Judge the share of the transfer in the total where it is greatest."""
    variant = report.variant(test.transfer_share)
    shares = {
        label: entry.times["transfer"]
        for label, entry in evidence.timed(variant).items()
        if entry.total and entry.total.enough
    }
    if not shares:
        return _open(evidence, [variant])
    greatest = max(shares, key=lambda graph: shares[graph].median)
    share, (low, high) = shares[greatest], test.between
    least = min(one.median for one in shares.values())
    measured = f"{least:.0%} to {share.median:.0%} of the total, most on {greatest}"
    if low <= share.q1 and share.q3 <= high:
        return Finding(Verdict.HOLDS, measured)
    if share.q3 < low:
        return Finding(Verdict.FAILS, measured, "it is less")
    if share.q1 > high:
        return Finding(Verdict.FAILS, measured, "it is more")
    return Finding(Verdict.OPEN, measured, f"the spread, {share.q1:.0%} to {share.q3:.0%}, is too wide")


def below(report: Report, test: claims.Below, evidence: Evidence) -> Finding:
    """Judge the slowest of some variants."""
    late, untimed, slowest = [], [], (0.0, "")
    variants = [report.variant(spec) for spec in test.expand(test.every)]
    for variant in variants:
        found = [
            entry.times[test.by].q3 for entry in evidence.timed(variant).values() if test.by in entry.times
        ]
        if not found:
            untimed.append(str(variant))
            continue
        slowest = max(slowest, (max(found), str(variant)))
        if max(found) >= test.below_s * 1e3:
            late.append(str(variant))
    if len(untimed) == len(variants):
        why = "no graph of that size was measured as a whole" if evidence.on_gpu else ""
        return Finding(Verdict.OPEN, why=why) if why else _open(evidence, variants)
    measured = f"slowest: {duration(slowest[0])} ({slowest[1]})"
    if late:
        found_verdict = Verdict.FAILS if len(late) == len(variants) else Verdict.IN_PART
        return Finding(found_verdict, measured, f"not {', '.join(late)}")
    if untimed:
        return Finding(Verdict.IN_PART, measured, f"not measured: {', '.join(untimed)}")
    return Finding(Verdict.HOLDS, measured)


def one_off(report: Report, test: claims.OneOff, evidence: Evidence) -> Finding:
    """Judge by a function of its own."""
    own, base = report.variant(test.variant), report.variant(test.of)
    measured, orders = FUNCTIONS[test.function](pairs_of(evidence, own, base, test.by))
    if not orders:
        return _open(evidence, [own, base])
    return Finding(verdict(list(orders.values())), measured, places(orders))


JUDGES: dict[type, Callable[..., Finding]] = {
    claims.Faster: faster,
    claims.NotFaster: not_faster,
    claims.SomewhereFaster: somewhere_faster,
    claims.Fastest: fastest,
    claims.GainGrows: gain_grows,
    claims.TransferShare: transfer_share,
    claims.Below: below,
    claims.OneOff: one_off,
}


def verdict(orders: Sequence[int]) -> Verdict:
    """Turn comparisons, -1 where a claim is borne out, 1 where it is contradicted, into a verdict."""
    for_it, against = orders.count(-1), orders.count(1)
    if not for_it and not against:
        return Verdict.OPEN
    if not for_it:
        return Verdict.FAILS
    return Verdict.HOLDS if not against and 2 * for_it > len(orders) else Verdict.IN_PART


def places(orders: dict[str, int]) -> str:
    """Say why comparisons by their places give no plain verdict, if they do not."""
    match verdict(list(orders.values())):
        case Verdict.OPEN:
            return "no two times can be told apart"
        case Verdict.IN_PART:
            agree = [place for place, order in orders.items() if order == -1]
            return f"only on {', '.join(agree)}" if len(agree) <= 3 else f"in {len(agree)} of {len(orders)}"
    return ""


def _open(evidence: Evidence, variants: Iterable[Variant]) -> Finding:
    """Return the finding where there is nothing to judge by."""
    return Finding(Verdict.OPEN, why=evidence.why_untimed(variants))
