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
from retrace.reports.frame import Entry, Frame, same_graph
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
    short
        What of `measured` stands in a figure's head; empty if all of it does.
    """

    verdict: Verdict
    measured: str = ""
    why: str = ""
    short: str = ""

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
    variants = [report.variant(spec) for spec in test.specs]
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
    """Name the ratios of the first and the last of some pairs, and what was counted."""
    ratios = dict.fromkeys(ratio(pair.ratio) for pair in (pairs[0], pairs[-1]))
    return "; ".join([f"{' to '.join(ratios)} on {pairs[0].graph}", *counts])


def _shares_left(evidence: Evidence, further: Variant, without: Variant) -> dict[str, float]:
    """Return by graph the share of vertices that a further reduction leaves."""
    left, whole = (
        {label: _observed(entry, "searched_vertices") for label, entry in evidence.timed(variant).items()}
        for variant in (further, without)
    )
    return {label: number / whole[label] for label, number in left.items() if whole.get(label)}


def _observed(entry: Entry, key: str) -> float:
    return float(entry.record.observed.get(key, 0)) if entry.record else 0.0


def _not_faster(test: claims.NotFaster, evidence: Evidence, own: Variant, base: Variant) -> Finding | None:
    found = pairs_of(evidence, own, base, test.by)
    if not found:
        return None
    orders = {pair.graph: 1 if pair.order == -1 else -1 for pair in found}
    slower, quicker = sum(pair.order == 1 for pair in found), list(orders.values()).count(1)
    counts = f"slower on {slower}, faster on {quicker} of {len(found)} graphs"
    return _weigh(orders, str(found[-1]), counts, short=_short(found[-1:], [counts]))


def _somewhere_faster(
    test: claims.SomewhereFaster, evidence: Evidence, own: Variant, base: Variant
) -> Finding | None:
    """Judge up to which graph a variant is faster."""
    found = pairs_of(evidence, own, base, test.by)
    if len(found) < 2:
        return None
    where = [pair.graph for pair in found if pair.order == -1]
    more = ", the largest measured" if found[-1].graph in where else ""
    why = f"{own} is faster up to {where[-1]}{more}" if where else f"{base} is no slower on any graph"
    short = ", ".join(f"{ratio(pair.ratio)} on {pair.graph}" for pair in (found[0], found[-1]))
    return Finding(Verdict.HOLDS if where else Verdict.FAILS, f"{found[0]}; {found[-1]}", why, short)


def _fastest(test: claims.Fastest, evidence: Evidence, best: Variant, *of: Variant) -> Finding | None:
    times = {str(variant): evidence.summaries(variant, test.by) for variant in (best, *of)}
    orders, quoted = {}, []
    for graph, own in times[str(best)].items():
        there = {name: found[graph] for name, found in times.items() if graph in found}
        if len(there) < 2 or (len(there) < len(times) and not test.any_present):
            continue
        orders[graph] = max(rank(own, other) for name, other in there.items() if name != str(best))
        least = min(there, key=lambda name: there[name].median)
        beaten = f", {best} takes {ratio(own.median / there[least].median)}" if least != str(best) else ""
        quoted.append(
            f"{graph}: fastest of {len(there)} is {least} ({duration(there[least].median)}{beaten})"
        )
    return _weigh(orders, quoted[0], quoted[-1], short=quoted[-1]) if orders else None


def _gain_grows(test: claims.GainGrows, evidence: Evidence, own: Variant, base: Variant) -> Finding | None:
    found = pairs_of(evidence, own, base, test.by)
    if len(found) < 2:
        return None
    saved = {pair.graph: pair.times[1].median - pair.times[0].median for pair in found}
    orders = {graph: -1 if saved[graph] > before else 1
              for graph, before in zip(list(saved)[1:], saved.values(), strict=False)}  # fmt: skip
    texts = []
    for pair in (found[0], found[-1]):
        ms = saved[pair.graph]
        way = "saved" if ms >= 0 else "lost"
        texts.append(f"{pair.graph}: {duration(abs(ms))} {way} ({ratio(pair.ratio)})")
    return _weigh(orders, *texts, short=texts[0])


def _transfer_share(test: claims.TransferShare, evidence: Evidence, variant: Variant) -> Finding | None:
    """Judge the share of the transfer in the total where it is greatest."""
    shares = {
        label: entry.times["transfer"]
        for label, entry in evidence.timed(variant).items()
        if entry.total and entry.total.enough
    }
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
    """Judge the slowest of some variants."""
    slowest = {
        str(variant): max(
            (e.times[test.by].q3 for e in evidence.timed(variant).values() if test.by in e.times), default=0.0
        )
        for variant in variants
    }
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


def _one_off(test: claims.OneOff, evidence: Evidence, own: Variant, base: Variant) -> Finding | None:
    """Compare what prefix sums on the GPU save with the total of the variant that has them from the host."""
    orders, measured = {}, ""
    for pair in pairs_of(evidence, own, base, test.by):
        device, host = (_observed(pair.entries[0], f"prefix_{where}_ms") for where in ("device", "host"))
        total = pair.times[1].median
        if device and host:
            orders[pair.graph] = 1 if host - device > (SAME - 1) * total else -1
            both = f"{duration(device)} on the GPU, {duration(host)} on the host"
            measured = f"{pair.graph}: {both}, of {duration(total)} in all"
    return _weigh(orders, measured) if orders else None


JUDGES: dict[type, Callable[..., Finding | None]] = {
    claims.Faster: _faster,
    claims.NotFaster: _not_faster,
    claims.SomewhereFaster: _somewhere_faster,
    claims.Fastest: _fastest,
    claims.GainGrows: _gain_grows,
    claims.TransferShare: _transfer_share,
    claims.Below: _below,
    claims.OneOff: _one_off,
}
"""By the kind of comparison; None where its variants have no times to judge by."""


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
