"""Whether a claim holds on a machine: the numbers that were measured for it, and a verdict.

Times are compared graph by graph, by the one rule of `retrace.records.statistics.rank`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from retrace.records.record import Phase
from retrace.records.statistics import RULE, SAME, Summary, rank
from retrace.reports import claim as claims
from retrace.reports.claim import Claim, Where
from retrace.reports.frame import Entry, Frame, why_incomparable
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
    """What a machine's records say of a claim."""

    verdict: Verdict
    measured: str = ""
    """The numbers that the verdict rests on."""
    why: str = ""
    """What the verdict alone does not say: where it holds, or why nothing can be told."""
    short: str = ""
    """The numbers that a figure has room for; all if empty."""

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
    """The records of a machine that count for a claim, and whether any of its times is a GPU's."""

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
        """Return a variant's timed entries by graph, the least work first; RetraceError of two on one."""
        found: dict[str, Entry] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.work):
            if entry.total and fits(entry, variant) and found.setdefault(entry.label, entry) is not entry:
                twice = f"two records of {variant} on {entry.label} from {self.machine}"
                raise RetraceError(f"{entry.experiment}: {twice}; give one")
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
    left = record.observed.get("searched_vertices") if record and "-comp" in entry.solver else None
    whole = left is not None and left >= entry.vertices
    return (
        condition.arcs_per_vertex in (None, entry.arcs_per_vertex)
        and entry.vertices >= (condition.least_vertices or 0)
        and not (condition.all_sources and record and record.parameters.get("sources"))
        and not (condition.compaction_helps and whole)
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
        times = [(entry.times["solve"], entry.times.get("kernel")) for entry in self.entries]
        outside = [solve.median - kernel.median for solve, kernel in times if kernel]
        return len(outside) == 2 and outside[0] < outside[1]

    def __str__(self) -> str:
        first, second = (duration(times.median) for times in self.times)
        return f"{self.graph}: {first} ({self.fast}), {second} ({self.slow}), {ratio(self.ratio)}"


def pairs_of(evidence: Evidence, fast: Variant, slow: Variant, phase: Phase) -> list[Pair]:
    """Pair the times of two variants on the very same graphs, as far as they can be ranked."""
    mine, others = evidence.timed(fast), evidence.timed(slow)
    found = []
    for graph, own in mine.items():
        if graph in others and why_incomparable(own, others[graph]) is None:
            first, second = (entry.times.get(phase) for entry in (own, others[graph]))
            if first and second and first.enough and second.enough:
                found.append(Pair(graph, fast, slow, (own, others[graph]), (first, second)))
    return found


def judge(report: Report, claim: Claim, frame: Frame, machine: str) -> Finding:
    """Judge a claim by what a machine has measured."""
    test = claim.test
    if test is None or claim.experiment is None:
        return Finding(Verdict.OPEN, why="nothing here measures it")
    evidence = Evidence.of(frame, claim.experiment, machine, test.where)
    variants = [report.variant(spec) for spec in test.specs]
    if own := OF_PAIRS.get(type(test)):
        pairs = pairs_of(evidence, variants[0], variants[1], test.by)
        finding = own(pairs) if pairs else None
    else:
        finding = JUDGES[type(test)](test, evidence, *variants)
    if finding is None:
        return Finding(Verdict.OPEN, why=evidence.why_untimed(variants))
    if claim.quote and finding.measured:
        quoted = evidence.summaries(report.variant(claim.quote.variant), test.by)
        for label, times in list(quoted.items())[-1:]:
            words = f"{label}: {duration(times.median)} {claim.quote.words}"
            return replace(finding, measured=f"{finding.measured}; {words}")
    return finding


def _faster(test: claims.Faster, evidence: Evidence, *variants: Variant) -> Finding | None:
    """Judge whether the first of each pair is faster: of their largest graphs, two ratios are quoted."""
    pairs = list(zip(variants[::2], variants[1::2], strict=True))
    by_pair = [some for pair in pairs if (some := pairs_of(evidence, *pair, test.by))]
    left = _shares_left(evidence, *pairs[0]) if test.where.reduced else {}
    if left:
        by_pair = [[pair for pair in some if left.get(pair.graph, 1) < 1] for some in by_pair]
        if min(left.values()) >= 1:
            return Finding(Verdict.OPEN, why=f"there is nothing to remove from {', '.join(left)}")
    if not any(by_pair):
        return None
    largest = sorted((some[-1] for some in by_pair if some), key=lambda pair: pair.ratio)
    orders = {}
    for pair in (pair for some in by_pair for pair in some):
        against = f" ({pair.fast} against {pair.slow})" if len(by_pair) > 1 else ""
        other_reason = test.outside_kernels and pair.order == -1 and not pair.less_outside_kernels
        orders[f"{pair.graph}{against}"] = 0 if other_reason else pair.order
    found = list(orders.values())
    counts = [f"faster in {found.count(-1)}, slower in {found.count(1)} of {len(found)}"]
    reduced = [f"{share:.0%} of the vertices left on {graph}" for graph, share in left.items() if share < 1]
    counts += [", ".join(reduced)] if reduced else []
    finding = _weigh(orders, str(largest[0]), str(largest[-1]), *counts, short=_short(largest, counts))
    if set(found) == {0} and any(pair.order == -1 for some in by_pair for pair in some):
        why = "faster, but for another reason: not outside the kernels"
        return replace(finding, verdict=Verdict.FAILS, why=why)
    return finding


def _short(pairs: Sequence[Pair], counts: Sequence[str]) -> str:
    ratios = dict.fromkeys(ratio(pair.ratio) for pair in (pairs[0], pairs[-1]))
    return "; ".join([f"{' to '.join(ratios)} on {pairs[0].graph}", *counts])


def _shares_left(evidence: Evidence, further: Variant, without: Variant) -> dict[str, float]:
    """Return by graph the share of vertices that a further reduction leaves."""
    left, whole = evidence.timed(further), evidence.timed(without)
    whole_of = {label: _observed(entry, "searched_vertices") for label, entry in whole.items()}
    return {g: _observed(e, "searched_vertices") / whole_of[g] for g, e in left.items() if whole_of.get(g)}


def _observed(entry: Entry, key: str) -> float:
    return float(entry.record.observed.get(key, 0)) if entry.record else 0.0


def _not_faster(found: Sequence[Pair]) -> Finding:
    orders = {pair.graph: 1 if pair.order == -1 else -1 for pair in found}
    slower, quicker = sum(pair.order == 1 for pair in found), list(orders.values()).count(1)
    counts = f"slower on {slower}, faster on {quicker} of {len(found)} graphs"
    return _weigh(orders, str(found[-1]), counts, short=_short(found[-1:], [counts]))


def _somewhere_faster(found: Sequence[Pair]) -> Finding | None:
    if len(found) < 2:
        return None
    where = [pair.graph for pair in found if pair.order == -1]
    more = ", the largest measured" if found[-1].graph in where else ""
    why = f"{found[0].fast} is faster up to {where[-1]}{more}" if where else ""
    why = why or f"{found[0].slow} is no slower on any graph"
    short = ", ".join(f"{ratio(pair.ratio)} on {pair.graph}" for pair in (found[0], found[-1]))
    return Finding(Verdict.HOLDS if where else Verdict.FAILS, f"{found[0]}; {found[-1]}", why, short)


def _fastest(test: claims.Fastest, evidence: Evidence, best: Variant, *of: Variant) -> Finding | None:
    timed = {str(variant): evidence.timed(variant) for variant in (best, *of)}
    orders, quoted = {}, []
    for graph, mine in timed[str(best)].items():
        entries = {name: found[graph] for name, found in timed.items() if graph in found}
        alike = {name: entry for name, entry in entries.items() if why_incomparable(mine, entry) is None}
        summaries = {name: entry.times.get(test.by) for name, entry in alike.items()}
        there = {name: times for name, times in summaries.items() if times and times.enough}
        if str(best) not in there or len(there) < 2 or (len(there) < len(timed) and not test.any_present):
            continue
        own = there[str(best)]
        orders[graph] = max(rank(own, other) for name, other in there.items() if name != str(best))
        least = min(there, key=lambda name: there[name].median)
        beaten = f", {best} takes {ratio(own.median / there[least].median)}" if least != str(best) else ""
        time = duration(there[least].median)
        quoted.append(f"{graph}: fastest of {len(there)} is {least} ({time}{beaten})")
    return _weigh(orders, quoted[0], quoted[-1], short=quoted[-1]) if orders else None


def _gain_grows(found: Sequence[Pair]) -> Finding | None:
    if len(found) < 2:
        return None
    saved = {pair.graph: pair.times[1].median - pair.times[0].median for pair in found}
    later = zip(list(saved)[1:], saved.values(), strict=False)
    orders = {graph: -1 if saved[graph] > before else 1 for graph, before in later}
    texts = []
    for graph, ms, times in (
        (pair.graph, saved[pair.graph], ratio(pair.ratio)) for pair in (found[0], found[-1])
    ):
        texts.append(f"{graph}: {duration(abs(ms))} {'saved' if ms >= 0 else 'lost'} ({times})")
    return _weigh(orders, *texts, short=texts[0])


def _transfer_share(test: claims.TransferShare, evidence: Evidence, variant: Variant) -> Finding | None:
    timed = evidence.timed(variant).items()
    shares = {label: e.times["transfer"] for label, e in timed if e.total and e.total.enough}
    if not shares:
        return None
    greatest = max(shares, key=lambda graph: shares[graph].median)
    share, (low, high) = shares[greatest], test.between
    least = min(one.median for one in shares.values())
    measured = f"{least:.0%} to {share.median:.0%} of the total, most on {greatest}"
    if low <= share.q1 and share.q3 <= high:
        return Finding(Verdict.HOLDS, measured)
    if share.q3 < low or share.q1 > high:
        return Finding(Verdict.FAILS, measured, "it is less" if share.q3 < low else "it is more")
    return Finding(Verdict.OPEN, measured, f"the spread, {share.q1:.0%} to {share.q3:.0%}, is too wide")


def _below(test: claims.Below, evidence: Evidence, *variants: Variant) -> Finding | None:
    slowest = {}
    for variant in variants:
        times = [entry.times[test.by] for entry in evidence.timed(variant).values() if test.by in entry.times]
        slowest[str(variant)] = max((one.q3 for one in times), default=0.0)
    if not any(slowest.values()):
        why = "no graph of that size was measured as a whole"
        return Finding(Verdict.OPEN, why=why) if evidence.on_gpu else None
    ms, name = max((ms, name) for name, ms in slowest.items())
    measured = f"slowest: {duration(ms)} ({name})"
    if late := [name for name, ms in slowest.items() if ms >= test.below_s * 1e3]:
        part = Verdict.FAILS if len(late) == len(slowest) else Verdict.IN_PART
        return Finding(part, measured, f"not {', '.join(late)}")
    if untimed := [name for name, ms in slowest.items() if not ms]:
        return Finding(Verdict.IN_PART, measured, f"not measured: {', '.join(untimed)}")
    return Finding(Verdict.HOLDS, measured)


def _one_off(found: Sequence[Pair]) -> Finding | None:
    """Compare what prefix sums on the GPU save with the total of the variant that has them from the host."""
    orders, measured = {}, ""
    for pair in found:
        device, host = (_observed(pair.entries[0], f"prefix_{where}_ms") for where in ("device", "host"))
        total = pair.times[1].median
        if device and host:
            orders[pair.graph] = 1 if host - device > (SAME - 1) * total else -1
            both = f"{duration(device)} on the GPU, {duration(host)} on the host"
            measured = f"{pair.graph}: {both}, of {duration(total)} in all"
    return _weigh(orders, measured) if orders else None


OF_PAIRS: dict[type, Callable[[Sequence[Pair]], Finding | None]] = {
    claims.NotFaster: _not_faster,
    claims.SomewhereFaster: _somewhere_faster,
    claims.GainGrows: _gain_grows,
    claims.OneOff: _one_off,
}
"""By the kind of a comparison of two variants."""
JUDGES: dict[type, Callable[..., Finding | None]] = {
    claims.Faster: _faster,
    claims.Fastest: _fastest,
    claims.TransferShare: _transfer_share,
    claims.Below: _below,
}
"""By the kind of any other; None where its variants have no times to judge by."""


def verdict(orders: Sequence[int]) -> Verdict:
    """Turn comparisons, -1 where a claim is borne out, 1 where it is contradicted, into a verdict."""
    for_it, against = orders.count(-1), orders.count(1)
    if not for_it:
        return Verdict.FAILS if against else Verdict.OPEN
    return Verdict.HOLDS if not against and 2 * for_it > len(orders) else Verdict.IN_PART


def _weigh(orders: Mapping[str, int], *numbers: str, short: str = "") -> Finding:
    """Make a finding of comparisons by their places, and say where a claim holds that does in part."""
    found, why = verdict(list(orders.values())), ""
    if found == Verdict.OPEN:
        why = "no two times can be told apart"
    elif found == Verdict.IN_PART:
        agree = [place for place, order in orders.items() if order == -1]
        why = f"only on {', '.join(agree)}" if len(agree) <= 3 else f"in {len(agree)} of {len(orders)}"
    return Finding(found, "; ".join(dict.fromkeys(numbers)), why, short)
