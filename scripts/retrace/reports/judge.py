"""Whether a claim holds on a machine: the numbers that were measured for it, and a verdict.

Times are compared graph by graph, by the one rule of `retrace.records.statistics.rank`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise, permutations, product
from math import fsum, inf, log2
from typing import cast

from retrace.graphs.query import NoGraph
from retrace.records.record import PHASES, Phase
from retrace.records.statistics import RULE, SAME, Summary, rank
from retrace.records.variant import Variant
from retrace.reports import claim as claims
from retrace.reports.claim import Claim
from retrace.reports.evidence import Evidence, Pair, fits, pairs_of
from retrace.reports.frame import Entry, Frame, Measured, differences, why_incomparable
from retrace.reports.report import Report
from retrace.reports.wording import duration, ratio, word_list


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
    largest: str = ""
    """The number on the graph of the most work, if the numbers do not begin with it."""

    @property
    def number(self) -> str:
        """The one number that decides, with the reason if it decides nothing."""
        found = self.largest or (self.short or self.measured).partition("; ")[0]
        return f"{found} ({self.why})" if found and self.verdict == Verdict.OPEN else found

    @property
    def sentence(self) -> str:
        """The verdict, and why."""
        return f"{self.verdict}: {self.why}" if self.why else str(self.verdict)


def by_verdict(findings: Mapping[str, Finding]) -> dict[Verdict, list[str]]:
    """Return the machines of each verdict, in their order."""
    found: dict[Verdict, list[str]] = {}
    for machine, finding in findings.items():
        found.setdefault(finding.verdict, []).append(machine)
    return found


Order = tuple[int, int]
"""What a comparison says, -1 for a claim, 1 against it and 0 for neither, and the work of its graph."""
SLIGHT = 0.1
"""The share of the weight that may contradict a claim that holds."""
COMPARING = (
    f"{RULE} Times are medians. A comparison weighs by the logarithm of its graph's vertices, or of sources "
    "times arcs where each source is a search. A claim holds if it is borne out on the largest graph and by "
    f"more than half of the weight, and contradicted by no more than {SLIGHT:.0%}; it does not hold if the "
    "reverse is true, or if nothing bears it out. All else holds in part. A tie speaks for neither. The "
    "numbers quoted are those of the graph with the most work; of several comparisons on it, those with the "
    "least and the greatest ratio."
)
"""What the verdicts mean."""


def judge(report: Report, claim: Claim, frame: Frame, machine: str) -> Finding:
    """Judge a claim by what a machine has measured, and quote what would be found by another phase."""
    finding, test = _judge(report, claim, frame, machine), claim.test
    if test is None or test.beside is None or not finding.measured:
        return finding
    other = judge(report, claim.model_copy(update={"test": test.judged_by(test.beside)}), frame, machine)
    if not other.measured:
        return finding
    quoted = f"by {test.beside} it {other.verdict}: {other.measured}"
    return replace(finding, measured=f"{finding.measured}; {quoted}")


def _judge(report: Report, claim: Claim, frame: Frame, machine: str) -> Finding:
    test = claim.test
    if test is None:
        why = claim.refuted or claim.missing or "nothing here measures it"
        return Finding(Verdict.FAILS if claim.refuted else Verdict.OPEN, why=why)
    evidence = Evidence.of(frame, claim.experiments, machine, test.where)
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
        orders[f"{pair.graph}{against}"] = pair.order, pair.work
    found = [order for order, _ in orders.values()]
    counts = [f"faster in {found.count(-1)}, slower in {found.count(1)} of {len(found)}"]
    reduced = [f"{share:.0%} of the vertices left on {graph}" for graph, share in left.items() if share < 1]
    counts += [", ".join(reduced)] if reduced else []
    return _weigh(orders, str(largest[0]), str(largest[-1]), *counts, short=_short(largest, counts))


def _short(pairs: Sequence[Pair], counts: Sequence[str]) -> str:
    ratios = dict.fromkeys(ratio(pair.ratio) for pair in (pairs[0], pairs[-1]))
    return "; ".join([f"{' to '.join(ratios)} on {pairs[0].graph}", *counts])


def _shares_left(evidence: Evidence, further: Variant, without: Variant) -> dict[str, float]:
    """Return by graph the share of vertices that a further reduction leaves."""
    left, whole = evidence.timed(further), evidence.timed(without)
    whole_of = {label: _observed(entry, "searched_vertices") for label, entry in whole.items()}
    return {g: _observed(e, "searched_vertices") / whole_of[g] for g, e in left.items() if whole_of.get(g)}


def _observed(entry: Measured, key: str) -> float:
    return float(entry.record.observed.get(key, 0))


def _not_faster(found: Sequence[Pair]) -> Finding:
    orders = {pair.graph: (1 if pair.order == -1 else -1, pair.work) for pair in found}
    slower, quicker = (sum(pair.order == order for pair in found) for order in (1, -1))
    counts = f"slower on {slower}, faster on {quicker} of {len(found)} graphs"
    return _weigh(orders, str(found[-1]), counts, short=_short(found[-1:], [counts]))


def _somewhere_faster(found: Sequence[Pair]) -> Finding | None:
    """Judge whether one is faster on some graphs; medians that differ within the spread leave it open."""
    if len(found) < 2:
        return None
    first, last = found[0], found[-1]
    where = [pair.graph for pair in found if pair.order == -1]
    unclear = [pair.graph for pair in found if pair.order == 0 and pair.ratio > SAME]
    if where:
        more = ", the largest measured" if last.graph in where else ""
        verdict, why = Verdict.HOLDS, f"{first.fast} is faster up to {where[-1]}{more}"
    elif unclear:
        verdict, why = Verdict.OPEN, f"the spread on {word_list(unclear)} is too wide"
    else:
        verdict, why = Verdict.FAILS, f"{first.slow} is no slower on any graph"
    short = ", ".join(f"{ratio(pair.ratio)} on {pair.graph}" for pair in (first, last))
    return Finding(verdict, f"{first}; {last}", why, short)


def _fastest(test: claims.Fastest, evidence: Evidence, best: Variant, *of: Variant) -> Finding | None:
    """Judge whether one of several is the fastest; those of one solver are named by their settings."""
    names = _names([best, *of])
    timed = {name: evidence.timed(variant) for variant, name in names.items()}
    orders, quoted, largest, called = {}, [], "", names[best]
    for graph, mine in timed[called].items():
        entries = {name: found[graph] for name, found in timed.items() if graph in found}
        alike = {name: entry for name, entry in entries.items() if why_incomparable(mine, entry) is None}
        summaries = {name: entry.times.get(test.by) for name, entry in alike.items()}
        there = {name: times for name, times in summaries.items() if times and times.enough}
        if called not in there or len(there) < 2 or (len(there) < len(timed) and not test.any_present):
            continue
        own = there[called]
        order = max(rank(own, other) for name, other in there.items() if name != called)
        orders[graph] = order, mine.work[0]
        least = min(there, key=lambda name: there[name].median)
        longer = ratio(own.median / there[least].median) if least != called else ""
        beaten = f", {called} takes {longer}" if longer else ""
        quoted.append(
            f"{graph}: fastest of {len(there)} is {least} ({duration(there[least].median)}{beaten})"
        )
        largest = f"{least}{f' by {longer}' if longer else ''} on {graph}"
    if not orders:
        return None
    return replace(_weigh(orders, quoted[0], quoted[-1], short=quoted[-1]), largest=largest)


def _names(variants: Sequence[Variant]) -> dict[Variant, str]:
    alone = len({variant.solver for variant in variants}) == 1
    return {variant: (alone and str(variant).partition(":")[2]) or str(variant) for variant in variants}


def _gain_grows(test: claims.GainGrows, evidence: Evidence, fast: Variant, slow: Variant) -> Finding | None:
    """Judge each step to a larger graph; a step whose ranges overlap, by the quartiles, is a tie."""
    found = pairs_of(evidence, fast, slow, test.by)
    if len(found) < 2:
        return None
    orders, texts = {}, []
    for smaller, larger in pairwise(found):
        (low, high), (least, most) = (_gain(pair, test.as_ratio) for pair in (smaller, larger))
        orders[larger.graph] = (-1 if least > high else int(most < low), larger.work)
    for pair in (found[0], found[-1]):
        ms = pair.times[1].median - pair.times[0].median
        saved = f"{duration(abs(ms))} {'saved' if ms >= 0 else 'lost'}"
        texts.append(f"{pair.graph}: {saved} ({ratio(pair.ratio)})")
    return _weigh(orders, *texts, short=texts[0])


def _gain(pair: Pair, as_ratio: bool) -> tuple[float, float]:
    """Return the range of what the first of a pair gains, by the quartiles."""
    fast, slow = pair.times
    if as_ratio:
        return slow.q1 / fast.q3, slow.q3 / fast.q1
    return slow.q1 - fast.q3, slow.q3 - fast.q1


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
    orders: dict[str, Order] = {}
    measured = ""
    for pair in found:
        device, host = (_observed(pair.entries[0], f"prefix_{where}_ms") for where in ("device", "host"))
        total = pair.times[1].median
        if device and host:
            orders[pair.graph] = (1 if host - device > (SAME - 1) * total else -1, pair.work)
            both = f"{duration(device)} on the GPU, {duration(host)} on the host"
            measured = f"{pair.graph}: {both}, of {duration(total)} in all"
    return _weigh(orders, measured) if orders else None


def _ratio(test: claims.Ratio, evidence: Evidence, one: Variant, other: Variant) -> Finding | None:
    """Judge a ratio of quantities graph by graph; times whose quartiles lie on both sides of a bound tie."""
    low, high = test.at_least or 0.0, inf if test.at_most is None else test.at_most
    mine, others = evidence.timed(one), list(evidence.timed(other).values())
    orders, found = {}, {}
    for graph, entry in mine.items():
        base = next((one for one in others if _is_over(test, entry, one)), None)
        top = _quantity(entry, test.of)
        unit = _quantity(base, test.over_its or test.of) if base else None
        if top and unit and unit.median:
            shown = found[graph] = top.over(unit.median)
            inside = [low <= value <= high for value in (shown.q1, shown.q3)]
            order = -1 if all(inside) else int(not any(inside))
            orders[graph] = (-order if test.outside else order, entry.work[0])
    if not found:
        if not mine or not others:
            return None
        here, wanted = {entry.graph for entry in (*mine.values(), *others)}, test.held_against.items()
        if wanted and not any(here.issuperset(pair) for pair in wanted):
            lacking = dict.fromkeys(name for pair in wanted for name in pair if name not in here)
            return Finding(Verdict.OPEN, why=f"{word_list(list(lacking))}: not measured")
        if test.of in (*PHASES, *DERIVED):
            return None
        return Finding(Verdict.OPEN, why=f"no record says {test.of} of {one}")
    if test.somewhere:
        orders = {graph: order for graph, order in orders.items() if order[0] == -1} or orders
    if list(found) == [NoGraph.name]:
        return _weigh(orders, ratio(found[NoGraph.name].median))
    least, most = (choose(found, key=lambda graph: found[graph].median) for choose in (min, max))
    ends = dict.fromkeys((least, most, list(found)[-1]))
    told = _weigh(orders, *(f"{graph}: {ratio(found[graph].median)}" for graph in ends))
    return replace(told, largest=f"{ratio(found[list(found)[-1]].median)} on {list(found)[-1]}")


def _is_over(test: claims.Ratio, entry: Entry, base: Entry) -> bool:
    """Return whether a ratio is over another record: of the very same graph, or of the one named for it."""
    if test.graphs and test.held_against.get(entry.graph) != base.graph:
        return False
    apart = differences(entry, base)
    return not apart or (bool(test.over_graphs) and apart == ["another graph"])


def _spread(test: claims.Spread, evidence: Evidence, *variants: Variant) -> Finding | None:
    """Judge how far apart variants are; a ratio whose quartiles lie on both sides of the bound ties."""
    widest: dict[str, Pair] = {}
    for two in permutations(variants, 2):
        for pair in pairs_of(evidence, *two, test.by):
            widest[pair.graph] = max(widest.get(pair.graph, pair), pair, key=lambda one: one.ratio)
    orders = {}
    for graph, pair in widest.items():
        low, high = _gain(pair, as_ratio=True)
        orders[graph] = (-1 if low >= test.at_least else int(high < test.at_least), pair.work)
    ends = sorted(widest.values(), key=lambda pair: pair.work)
    return _weigh(orders, str(ends[0]), str(ends[-1]), short=str(ends[-1])) if ends else None


DERIVED = ("outside_kernels", "kernel_per_iteration")
"""Times of a record that are no phases: of solve, what its kernels do not take, and a kernel's average."""


def _quantity(entry: Measured, name: str) -> Summary | None:
    """Return a quantity of a record: a time that can be ranked, a count, or what was observed."""
    record, times = entry.record, entry.times.get(cast(Phase, name))
    gpu = record.machine.gpu
    if name == "outside_kernels":
        outside = [trial.solve - trial.kernel for trial in record.trials if trial.kernel is not None]
        times = Summary.of(outside) if outside else None
    elif name == "kernel_per_iteration":
        kernel = entry.times.get("kernel")
        times = kernel.over(record.iterations) if kernel and record.iterations else None
    if times:
        return times if times.enough else None
    known = {
        "iterations": record.iterations,
        "vertices": entry.vertices,
        "arcs": entry.arcs,
        "arcs_of_iterations": record.iterations and entry.arcs * record.iterations,
        "possible_arcs": entry.vertices * (entry.vertices - 1),
        "graph_bytes": 4 * (entry.vertices + 1 + 2 * entry.arcs),
        "device_bytes": gpu.memory_gib * 2**30 if gpu else None,
    }
    value = known.get(name, record.observed.get(name))
    return None if value is None else Summary.of([float(value)])


def _verified(test: claims.Verified, evidence: Evidence, *variants: Variant) -> Finding | None:
    """Judge whether all answers are right, whatever they took, if there are some of each variant."""
    done = [entry for entry in evidence.entries if entry.record.status == "ok"]
    if not all(any(fits(entry, variant) for entry in done) for variant in variants):
        return None
    found = [entry for entry in done if any(fits(entry, variant) for variant in variants)]
    right = [e for e in found if e.outcome == "ok" and (not test.tree or "tree" in str(e.record.oracle))]
    wrong = [f"{entry.title} ({entry.name})" for entry in found if entry not in right]
    told = Verdict.HOLDS if not wrong else Verdict.IN_PART if right else Verdict.FAILS
    why = f"not on {', '.join(wrong)}" if told == Verdict.IN_PART else ""
    return Finding(told, f"verified in {len(right)} of {len(found)} records", why)


def _too_large(test: claims.TooLarge, evidence: Evidence, large: Variant, small: Variant) -> Finding | None:
    """Judge on which graphs that one variant has answered another was skipped for want of memory."""
    others = [entry for entry in evidence.entries if fits(entry, large)]
    orders, reasons = {}, []
    for graph, entry in evidence.timed(small).items():
        for other in (one for one in others if why_incomparable(entry, one) is None):
            reason = str(other.record.reason)
            lacking = other.outcome == "skipped" and "memory" in reason
            orders[graph] = (-1 if lacking else 1, entry.work[0])
            reasons += [f"{graph}: {reason}"] if lacking else []
    fitting = [graph for graph, (order, _) in orders.items() if order == 1]
    largest = [f"largest that fits: {fitting[-1]}"] if fitting else []
    return _weigh(orders, *reasons[-1:], *largest) if orders else None


def _newer_gpu(test: claims.NewerGPU, evidence: Evidence, variant: Variant) -> Finding | None:
    """Hold the times of machines with the newer GPU against the older one's, and quote printed ones."""
    sign = -1 if test.takes == "less" else 1
    timed = sorted((e for e in evidence.shown.measured if e.total and fits(e, variant)), key=lambda e: e.work)
    older, newer = ([e for e in timed if gpu in e.hardware] for gpu in (test.than, test.newer_gpu))
    orders, texts, of_other_commits = {}, [], False
    for new, old in product(newer, older):
        differ = {"another graph", "another commit"}.intersection(differences(new, old))
        if new.title != old.title or evidence.machine not in (new.machine, old.machine):
            continue
        of_other_commits |= differ == {"another commit"}
        if not differ:
            both = [(entry.machine, entry.times[test.by]) for entry in (new, old)]
            orders[f"{new.title} ({old.machine})"] = (-sign * rank(both[0][1], both[1][1]), new.work[0])
            said = ", ".join(f"{duration(times.median)} ({machine})" for machine, times in both)
            texts.append(f"{new.title}: {said}")
    printed: dict[str, dict[str, str]] = {}
    for number in evidence.shown.printed:
        if number.hardware in test.in_print:
            printed.setdefault(number.graph, {})[number.hardware] = number.printed.text
    quoted = [
        f"{graph}, printed: " + ", ".join(f"{cells[gpu]} ({gpu})" for gpu in test.in_print)
        for graph, cells in printed.items()
        if len(cells) == len(test.in_print)
    ]
    if not orders:
        needed = f"the records of an {test.newer_gpu} and of an {test.than}"
        why = f"{needed} are of different commits" if of_other_commits else f"it takes {needed}"
        return Finding(Verdict.OPEN, "; ".join(quoted), why)
    return _weigh(orders, texts[-1], *quoted)


OF_PAIRS: dict[type, Callable[[Sequence[Pair]], Finding | None]] = {
    claims.NotFaster: _not_faster,
    claims.SomewhereFaster: _somewhere_faster,
    claims.OneOff: _one_off,
}
"""By the kind of a comparison of two variants."""
JUDGES: dict[type, Callable[..., Finding | None]] = {
    claims.Faster: _faster,
    claims.Fastest: _fastest,
    claims.GainGrows: _gain_grows,
    claims.TransferShare: _transfer_share,
    claims.Below: _below,
    claims.Ratio: _ratio,
    claims.Spread: _spread,
    claims.Verified: _verified,
    claims.NewerGPU: _newer_gpu,
    claims.TooLarge: _too_large,
}
"""By the kind of any other; None where its variants have no times to judge by."""


def verdict(judged: Sequence[Order]) -> Verdict:
    """Turn comparisons, -1 where a claim is borne out and 1 where it is contradicted, into a verdict.

    A comparison weighs by the logarithm of its graph's work, and what the largest graph says must agree.
    """
    weights = [log2(2 + work) for _, work in judged]
    largest = [order for order, work in judged if work == max(work for _, work in judged)]

    def share(of: int) -> float:
        return fsum(w for (order, _), w in zip(judged, weights, strict=True) if order == of) / fsum(weights)

    def says(order: int) -> bool:
        agree = 2 * largest.count(order) > len(largest) and -order not in largest
        return agree and share(order) > 1 / 2 and share(-order) <= SLIGHT

    if not share(-1):
        return Verdict.FAILS if share(1) else Verdict.OPEN
    return Verdict.HOLDS if says(-1) else Verdict.FAILS if says(1) else Verdict.IN_PART


def _weigh(judged: Mapping[str, Order], *numbers: str, short: str = "") -> Finding:
    """Make a finding of comparisons by their places, and say where a claim holds that does in part."""
    found, why = verdict(list(judged.values())), ""
    agree, against = ([place for place, (order, _) in judged.items() if order == o] for o in (-1, 1))
    if found == Verdict.OPEN:
        why = "no two times can be told apart"
    elif found == Verdict.IN_PART:
        why = f"only on {', '.join(agree)}" if len(agree) <= 3 else f"in {len(agree)} of {len(judged)}"
    elif found == Verdict.HOLDS and against:
        why = f"but not on {', '.join(against)}"
    return Finding(found, "; ".join(dict.fromkeys(numbers)), why, short)
