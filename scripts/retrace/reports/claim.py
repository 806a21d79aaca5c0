"""What a report claims in words, as a comparison: each kind has its fields, its rule, and judges itself.

The rule is made from the same data by which it is judged. Times are compared graph by graph, by the one rule
of `retrace.records.statistics.rank`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise, permutations, product
from math import inf
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import Discriminator, Field, GetPydanticSchema, Tag

from retrace.graphs.graph_names import NO_GRAPH
from retrace.records.ranking import Order, is_same, most_of, rank, ratio_range
from retrace.records.record import PHASES
from retrace.records.variant import Variant
from retrace.reports.finding import Finding, Speaks, Verdict, Weighed, weigh
from retrace.reports.measures import MEASURES, Measure
from retrace.reports.wording import duration, plural, ratio, speed, speed_range, word_list
from retrace.system.models import FileModel

if TYPE_CHECKING:  # they read reports, which hold comparisons
    from retrace.reports.evidence import Evidence, Pair
    from retrace.reports.frame import Entry, Measured

Word = TypeVar("Word", bound=str)
Spec = Annotated[str, Field(min_length=1, description="a variant, such as streams:parts=2")]
Specs = Spec | list[Spec]
Quantity = Annotated[str, Field(pattern="^[a-z][a-z_0-9]*$")]
"""What a record says: a phase, what `Measured.quantity` derives from it, or what a solver observed."""
DERIVED = ("outside_kernels", "kernel_per_iteration")
"""Times of a record that are no phases: of solve, what its kernels do not take, and a kernel's average."""
TIME_MEASURES = tuple(measure for measure in MEASURES if measure not in ("transfer", "energy"))
"""Those in milliseconds: no share, no energy."""
LITTLE = 0.02
"""The share of a time that is little: a bound of ours."""
REAL = ("dimacs", "snap")
"""The origins of real graphs."""


def several(names: Word | Sequence[Word]) -> list[Word]:
    """List variants or measures, of which there may be one."""
    return [names] if isinstance(names, str) else [*names]


class Where(FileModel):
    """Which measurements count."""

    arcs_per_vertex: int | None = Field(default=None, description="random graphs of this density")
    least_vertices: int | None = None
    most_vertices: int | None = None
    real: bool = Field(default=False, description="real graphs, not generated or made up ones")
    pair: Literal["near", "far", "unreachable"] | None = None
    all_sources: bool = Field(default=False, description="betweenness of all sources, not of a sample")
    compaction_helps: bool = False
    """runs on a compacted graph count only if compaction removed vertices"""
    reduced: bool = Field(default=False, description="graphs that lose vertices by what is claimed to help")

    @property
    def words(self) -> str:
        """The conditions, as the end of a rule."""
        arcs, least, most = plural(self.arcs_per_vertex or 0, "arc"), self.least_vertices, self.most_vertices
        texts = {
            f"on random graphs of {arcs} per vertex": self.arcs_per_vertex is not None,
            f"on graphs of at least {least:,} vertices" if least is not None else "": least is not None,
            f"on graphs of at most {most:,} vertices" if most is not None else "": most is not None,
            "on real graphs": self.real,
            f"with the {self.pair} pair": self.pair is not None,
            "with all vertices as sources": self.all_sources,
            "compacted graphs counting only where compaction removes vertices": self.compaction_helps,
            "on graphs that lose vertices by it": self.reduced,
        }
        return "".join(f", {text}" for text, said in texts.items() if said)

    def counts(self, entry: Entry) -> bool:
        """Return whether an entry counts under the conditions."""
        record = entry.record
        left = record.observed.get("searched_vertices") if record and "-comp" in entry.solver else None
        whole = left is not None and left >= entry.vertices
        return (
            self.arcs_per_vertex in (None, entry.arcs_per_vertex)
            and entry.vertices >= (self.least_vertices or 0)
            and entry.vertices <= (self.most_vertices or entry.vertices)
            and not (self.real and not (record and record.graph.origin in REAL))
            and self.pair in (None, entry.pair)
            and not (self.all_sources and record and record.parameters.get("sources"))
            and not (self.compaction_helps and whole)
        )


class Comparison(FileModel):
    """A comparison of variants by a measure; `for` stands for each of its values in the variants' names."""

    by: Measure = "total"
    beside: Measure | list[Measure] = Field(default_factory=list)
    """what else is quoted, and decides nothing"""
    for_: dict[str, list[int]] = Field(default_factory=dict, alias="for")
    where: Where = Where()

    compared: ClassVar[tuple[str, ...]] = ()
    """The keys that hold variants."""
    wording: ClassVar[str] = ""
    """The rule; what stands in its braces is in `_words`."""
    deciding: ClassVar[str] = "{by}"

    @property
    def decides(self) -> str:
        """The measure or quantity of a record that decides; empty if only its answer does."""
        return self.deciding.format(**dict(self))

    @property
    def is_of_time(self) -> bool:
        """Whether a time decides, not an answer, a count, a share or a size."""
        return self.decides in (*TIME_MEASURES, *DERIVED) or self.decides.endswith("_ms")

    def judged_by(self, measure: Measure) -> Self:
        """Return the same by another measure, with nothing quoted beside it."""
        return self.model_copy(update={"by": measure, "beside": []})

    def expand(self, specs: Specs) -> list[str]:
        """List variants, those with a placeholder such as `{n}` once for each of its values."""
        expanded = []
        for spec in several(specs):
            keys = [key for key in self.for_ if f"{{{key}}}" in spec]
            for values in product(*(self.for_[key] for key in keys)):
                expanded.append(spec.format(**dict(zip(keys, values, strict=True))))
        return expanded

    @property
    def specs(self) -> list[str]:
        """All variants that are compared."""
        return [spec for key in self.compared for spec in self.expand(getattr(self, key))]

    @property
    def _words(self) -> dict[str, object]:
        ranges = [f", {key} = {word_list([str(v) for v in values])}" for key, values in self.for_.items()]
        variants = {key: word_list(several(getattr(self, key))) for key in self.compared}
        return dict(self) | variants | {"conditions": "".join([*ranges, self.where.words])}

    @property
    def rule(self) -> str:
        """How it is judged."""
        beside = several(self.beside)
        verb = "are" if len(beside) > 1 else "is"
        also = f"; {word_list(beside)} {verb} quoted beside it" if beside else ""
        return self.wording.format(**self._words) + also

    @abstractmethod
    def judge(self, evidence: Evidence) -> Finding:
        """Return the verdict of the records that count, and the numbers that it rests on."""


class Faster(Comparison):
    """Each of some variants takes less time than its partner."""

    faster: Specs
    than: Specs

    compared = ("faster", "than")
    wording = "{by} of {pairs}{conditions}; borne out where it is less, contradicted where it is more"

    @property
    def specs(self) -> list[str]:
        """The variants said to be faster, each followed by what it is held against."""
        pairs = zip(self.expand(self.faster), self.expand(self.than), strict=True)
        return [spec for pair in pairs for spec in pair]

    @property
    def _words(self) -> dict[str, object]:
        pairs = zip(several(self.faster), several(self.than), strict=True)
        return super()._words | {"pairs": ", ".join(f"{fast} against {slow}" for fast, slow in pairs)}

    def judge(self, evidence: Evidence) -> Finding:
        """Judge whether the first of each two is faster: of their largest graphs, two ratios are quoted."""
        couples = list(zip(evidence.variants[::2], evidence.variants[1::2], strict=True))
        by_couple = [pairs for couple in couples if (pairs := evidence.pairs(couple, self.by))]
        left = _shares_left(evidence, *couples[0]) if self.where.reduced else {}
        if left:
            by_couple = [[pair for pair in pairs if left.get(pair.graph, 1) < 1] for pairs in by_couple]
            if min(left.values()) >= 1:
                return Finding(Verdict.OPEN, why=f"there is nothing to remove from {', '.join(left)}")
        if not any(by_couple):
            return evidence.untimed
        largest = sorted((pairs[-1] for pairs in by_couple if pairs), key=lambda pair: pair.ratio)
        comparisons: dict[str, Weighed] = {}
        for pair in (pair for pairs in by_couple for pair in pairs):
            against = f" ({pair.fast} against {pair.slow})" if len(by_couple) > 1 else ""
            speaks = Speaks.of(pair.order is Order.LESS, pair.order is Order.MORE, pair.unclear)
            comparisons[f"{pair.graph}{against}"] = Weighed(speaks, pair.work, pair.assurance)
        sides = [one.speaks for one in comparisons.values()]
        faster, slower = sides.count(Speaks.FOR), sides.count(Speaks.AGAINST)
        counts = [f"faster in {faster}, slower in {slower} of {len(sides)}"]
        shares = {graph: f"{share:.0%} of the vertices left" for graph, share in left.items() if share < 1}
        counts += [", ".join(f"{share} on {graph}" for graph, share in shares.items())] if shares else []
        return weigh(comparisons, str(largest[0]), str(largest[-1]), *counts, short=_short(largest, counts))


class NotFaster(Comparison):
    """A variant is nowhere faster than another; it may be slower, or the same."""

    not_faster: Spec
    than: Spec

    compared = ("not_faster", "than")
    wording = "{by} of {not_faster} against {than}{conditions}; contradicted where it is less"

    def judge(self, evidence: Evidence) -> Finding:
        """Judge on which graphs the first is not the faster."""
        pairs = evidence.pairs(evidence.variants, self.by)
        if not pairs:
            return evidence.untimed
        orders = [pair.order for pair in pairs]
        sides = [
            Speaks.of(order is not Order.LESS and not pair.unclear, order is Order.LESS, pair.unclear)
            for pair, order in zip(pairs, orders, strict=True)
        ]
        comparisons = {
            pair.graph: Weighed(side, pair.work, inf if pair.order is Order.TIE else pair.assurance)
            for pair, side in zip(pairs, sides, strict=True)
        }
        slower, quicker = orders.count(Order.MORE), orders.count(Order.LESS)
        counts = f"slower on {slower}, faster on {quicker} of {len(pairs)} graphs"
        return weigh(comparisons, str(pairs[-1]), counts, short=_short(pairs[-1:], [counts]))


class SomewhereFaster(Comparison):
    """A variant is faster than another on some graphs."""

    faster_on_some: Spec
    than: Spec

    compared = ("faster_on_some", "than")
    wording = "{by} of {faster_on_some} against {than}{conditions}; holds if it is less on some graphs"

    def judge(self, evidence: Evidence) -> Finding:
        """Judge whether one is faster on some graphs; medians that differ within the spread leave it open."""
        pairs = evidence.pairs(evidence.variants, self.by)
        if len(pairs) < 2:
            return evidence.untimed
        first, last = pairs[0], pairs[-1]
        faster = [pair.graph for pair in pairs if pair.order is Order.LESS]
        unclear = [pair.graph for pair in pairs if pair.unclear]
        sure = inf
        if faster:
            sure = max(pair.assurance for pair in pairs if pair.order is Order.LESS)
            more = ", the largest measured" if last.graph in faster else ""
            verdict, why = Verdict.HOLDS, f"{first.fast} is faster up to {faster[-1]}{more}"
        elif unclear:
            verdict, why = Verdict.OPEN, f"the spread on {word_list(unclear)} is too wide"
        else:
            verdict, why = Verdict.FAILS, f"{first.slow} is no slower on any graph"
            sure = min((pair.assurance for pair in pairs if pair.order is Order.MORE), default=inf)
        short = ", ".join(f"{speed(pair.ratio)} on {pair.graph}" for pair in (first, last))
        noisy = verdict == Verdict.OPEN
        return Finding(verdict, f"{first}; {last}", why, short, stands_to=sure, noisy=noisy)


class Fastest(Comparison):
    """A variant is the fastest of several."""

    fastest: Spec
    of: list[Spec]
    any_present: bool = Field(default=False, description="compare those that were measured, not only all")

    compared = ("fastest", "of")
    wording = (
        "{by} of {fastest} against {of}{conditions}; borne out where it is the least, contradicted where "
        "it is beaten"
    )

    def judge(self, evidence: Evidence) -> Finding:
        """Judge whether one of several is the fastest; those of one solver are named by their settings."""
        alone = len({variant.solver for variant in evidence.variants}) == 1
        names = {v: (alone and str(v).partition(":")[2]) or str(v) for v in evidence.variants}
        best, *others = names
        pairs = [pair for other in others for pair in evidence.pairs((best, other), self.by)]
        comparisons: dict[str, Weighed] = {}
        quoted, largest = [], ""
        for graph in evidence.timed(best):
            here = [pair for pair in pairs if pair.graph == graph]
            if not here or (len(here) < len(others) and not self.any_present):
                continue
            orders = {pair.order for pair in here}
            unclear = any(pair.unclear for pair in here)
            speaks = Speaks.of(orders == {Order.LESS}, Order.MORE in orders, unclear)
            beaten = [pair.assurance for pair in here if pair.order is Order.MORE]
            sure = max(beaten) if beaten else min(pair.assurance for pair in here)
            comparisons[graph] = Weighed(speaks, here[0].work, sure)
            medians = {best: here[0].times[0].median} | {pair.slow: pair.times[1].median for pair in here}
            least = min(medians, key=lambda variant: medians[variant])
            faster = f", {speed(medians[best] / medians[least])}" if least != best else ""
            time = duration(medians[least]) + (f"{faster} than {names[best]}" if faster else "")
            quoted.append(f"{graph}: fastest of {len(medians)} is {names[least]} ({time})")
            largest = f"{names[least]}{faster} on {graph}"
        if not comparisons:
            return evidence.untimed
        return weigh(comparisons, quoted[0], quoted[-1], short=quoted[-1], largest=largest)


class GainGrows(Comparison):
    """What a variant saves, or how many times faster it is, grows from each size to the next."""

    gain_grows: Spec
    over: Spec
    as_ratio: bool = Field(default=False, description="the gain is a ratio, not a difference")

    compared = ("gain_grows", "over")
    wording = (
        "{by} of {over} {less} that of {gain_grows}{conditions}; borne out where it grows to the next size"
    )

    @property
    def _words(self) -> dict[str, object]:
        return super()._words | {"less": "over" if self.as_ratio else "less"}

    def judge(self, evidence: Evidence) -> Finding:
        """Judge each step to a larger graph; a step whose ranges overlap is a tie."""
        pairs = evidence.pairs(evidence.variants, self.by)
        if len(pairs) < 2:
            return evidence.untimed
        comparisons, texts = {}, []
        for smaller, larger in pairwise(pairs):
            (low, high), (least, most) = (pair.gain(self.as_ratio) for pair in (smaller, larger))
            speaks = Speaks.of(least > high, most < low, unclear=True)
            comparisons[larger.graph] = Weighed(speaks, larger.work)
        for pair in (pairs[0], pairs[-1]):
            ms = pair.times[1].median - pair.times[0].median
            saved = f"{duration(abs(ms))} {'saved' if ms >= 0 else 'lost'}"
            texts.append(f"{pair.graph}: {saved} ({speed(pair.ratio)})")
        return weigh(comparisons, *texts, short=texts[0])


class TransferShare(Comparison):
    """The share of upload and download in the total lies within bounds where it is greatest."""

    transfer_share: Spec
    between: Annotated[list[float], Field(min_length=2, max_length=2)]

    compared = ("transfer_share",)
    deciding: ClassVar[str] = "transfer"
    wording = (
        "upload + download of {transfer_share} over its total{conditions}; holds if the greatest share is "
        "{between[0]:.0%} to {between[1]:.0%}"
    )

    def judge(self, evidence: Evidence) -> Finding:
        """Judge by the quartiles of the share where it is greatest."""
        timed = evidence.timed(evidence.variants[0]).items()
        shares = {graph: e.times["transfer"] for graph, e in timed if e.total and e.total.enough}
        if not shares:
            return evidence.untimed
        greatest = max(shares, key=lambda graph: shares[graph].median)
        share, (low, high) = shares[greatest], self.between
        least = min(summary.median for summary in shares.values())
        measured = f"{least:.0%} to {share.median:.0%} of the total, most on {greatest}"
        if low <= share.q1 and share.q3 <= high:
            return Finding(Verdict.HOLDS, measured)
        if share.q3 < low or share.q1 > high:
            return Finding(Verdict.FAILS, measured, "it is less" if share.q3 < low else "it is more")
        spread = f"the spread, {share.q1:.0%} to {share.q3:.0%}, is too wide"
        return Finding(Verdict.OPEN, measured, spread, noisy=True)


class Below(Comparison):
    """Every one of some variants stays below a time."""

    below_s: float
    every: list[Spec]

    compared = ("every",)
    wording = "{by} of {every}{conditions}; holds if each is less than {below_s:g} s by more than the margin"

    def judge(self, evidence: Evidence) -> Finding:
        """Judge by each variant where it takes longest, the end of its interval widened by the margin."""
        slowest: dict[str, tuple[float, float]] = {}
        for variant in evidence.variants:
            times = [entry.times.get(self.by) for entry in evidence.timed(variant).values()]
            ends = [(most_of(summary), summary.median) for summary in times if summary]
            slowest[str(variant)] = max(ends, default=(0.0, 0.0))
        if not any(most for most, _ in slowest.values()):
            why = "no graph of that size was measured as a whole"
            return Finding(Verdict.OPEN, why=why) if evidence.on_gpu else evidence.untimed
        (most, ms), name = max((times, name) for name, times in slowest.items())
        measured = f"slowest: {duration(ms)} ({name})"
        bound = self.below_s * 1e3
        if late := [name for name, (_, ms) in slowest.items() if ms >= bound]:
            part = Verdict.FAILS if len(late) == len(slowest) else Verdict.IN_PART
            return Finding(part, measured, f"not {', '.join(late)}")
        if most >= bound:
            spread = f"the spread, to {duration(most)}, is too wide"
            return Finding(Verdict.OPEN, measured, spread, noisy=True)
        if untimed := [name for name, (most, _) in slowest.items() if not most]:
            return Finding(Verdict.IN_PART, measured, f"not measured: {', '.join(untimed)}")
        return Finding(Verdict.HOLDS, measured, stands_to=bound / most)


class Ratio(Comparison):
    """A quantity of a variant lies within bounds, as a multiple of another quantity or another variant's.

    Both are of the very same graph, unless `over_graphs` names one for each of `graphs`.
    """

    ratio: Spec
    of: Quantity
    over: Spec | None = Field(default=None, description="the variant itself if absent")
    over_its: Quantity | None = Field(default=None, description="the same quantity if absent")
    graphs: Specs = Field(default_factory=list, description="those that count; all if absent")
    over_graphs: Specs = Field(default_factory=list, description="as many; the very same if absent")
    at_least: float | None = None
    at_most: float | None = None
    somewhere: bool = Field(default=False, description="it holds if it is borne out on some graph")

    deciding: ClassVar[str] = "{of}"
    wording = (
        "{of} of {ratio}{on} over {over_its} of {over}{over_on}{conditions}; borne out where it is "
        "{bounds}{enough}"
    )

    def judged_by(self, measure: Measure) -> Self:
        """Return the same ratio of another measure."""
        return self.model_copy(update={"of": measure, "beside": []})

    @property
    def specs(self) -> list[str]:
        """The variant, and the one that it is held against."""
        return [self.ratio, self.over or self.ratio]

    @property
    def _words(self) -> dict[str, object]:
        ends = {"at least": self.at_least, "at most": self.at_most}
        bounds = [f"{words} {end:g}" for words, end in ends.items() if end is not None]
        words = {"over": self.over or "the same", "over_its": self.over_its or self.of}
        words |= {"bounds": word_list(bounds)}
        words |= {"enough": "; one graph is enough" if self.somewhere else ""}
        others = ["those of the same names"] if self.over_graphs == self.graphs else self.over_graphs
        places = {"on": self.graphs, "over_on": self.graphs and others}
        words |= {key: f" on {word_list(several(names))}" if names else "" for key, names in places.items()}
        return super()._words | words

    @property
    def held_against(self) -> dict[str, str]:
        """The graphs that count, each with the one that it is held against; empty if all do."""
        graphs, others = self.expand(self.graphs), self.expand(self.over_graphs or self.graphs)
        return dict(zip(graphs, others, strict=True))

    def judge(self, evidence: Evidence) -> Finding:
        """Judge graph by graph; a ratio whose range, widened by the margin, has a bound in it ties."""
        low, high = self.at_least or 0.0, inf if self.at_most is None else self.at_most
        variant, base_variant = evidence.variants
        entries, bases = evidence.timed(variant), list(evidence.timed(base_variant).values())
        comparisons: dict[str, Weighed] = {}
        ratios = {}
        for graph, entry in entries.items():
            base = next((base for base in bases if self._is_over(entry, base)), None)
            top = entry.quantity(self.of)
            unit = base.quantity(self.over_its or self.of) if base else None
            if top and unit and unit.median:
                ratios[graph] = top.median / unit.median
                least, most = ratio_range(unit, top)
                speaks = Speaks.of(low <= least <= most <= high, most < low or least > high, unclear=True)
                are_counts = top.margin == unit.margin == 1
                sure = inf if are_counts else bounded(least, most, low, high)
                comparisons[graph] = Weighed(speaks, entry.work[0], sure)
        if not ratios:
            return self._without_ratio(evidence, list(entries.values()), bases)
        if self.somewhere:
            comparisons = {
                g: one for g, one in comparisons.items() if one.speaks is Speaks.FOR
            } or comparisons
        if list(ratios) == [NO_GRAPH]:
            return weigh(comparisons, ratio(ratios[NO_GRAPH]))
        lowest, highest = (choose(ratios, key=ratios.__getitem__) for choose in (min, max))
        last = list(ratios)[-1]
        numbers = [f"{graph}: {ratio(ratios[graph])}" for graph in dict.fromkeys((lowest, highest, last))]
        return weigh(comparisons, *numbers, largest=f"{ratio(ratios[last])} on {last}")

    def _is_over(self, entry: Measured, base: Measured) -> bool:
        """Return whether it is over a record: of the very same graph, or of the one named for it.

        Counts of two hosts or commits compare, as times do not.
        """
        if self.graphs and self.held_against.get(entry.graph) != base.graph:
            return False
        both = entry.quantity(self.of), base.quantity(self.over_its or self.of)
        are_counts = all(each is not None and each.margin == 1 for each in both)
        apart = set(entry.differences(base)) - ({"another host", "another commit"} if are_counts else set())
        return not apart or (bool(self.over_graphs) and apart == {"another graph"})

    def _without_ratio(self, evidence: Evidence, entries: list[Measured], bases: list[Measured]) -> Finding:
        """Say what is lacking to form a ratio."""
        if not entries or not bases:
            return evidence.untimed
        here, wanted = {entry.graph for entry in (*entries, *bases)}, self.held_against.items()
        if wanted and not any(here.issuperset(pair) for pair in wanted):
            lacking = dict.fromkeys(name for pair in wanted for name in pair if name not in here)
            return Finding(Verdict.OPEN, why=f"{word_list(list(lacking))}: not measured")
        if self.of in (*PHASES, *DERIVED):
            return evidence.untimed
        if any(entry.quantity(self.of) for entry in entries):
            return Finding(Verdict.OPEN, why="no two records are of one graph, host and commit")
        return Finding(Verdict.OPEN, why=f"no record says {self.of} of {evidence.variants[0]}")


class Spread(Comparison):
    """The slowest of some variants takes at least so many times as long as the fastest."""

    spread: Specs
    at_least: float

    compared = ("spread",)
    wording = (
        "{by} of the slowest over that of the fastest of {spread}{conditions}; borne out where it is at "
        "least {at_least:g}"
    )

    def judge(self, evidence: Evidence) -> Finding:
        """Judge how far apart variants are; a ratio whose range has the bound in it ties."""
        widest: dict[str, Pair] = {}
        for two in permutations(evidence.variants, 2):
            for pair in evidence.pairs(two, self.by):
                widest[pair.graph] = max(widest.get(pair.graph, pair), pair, key=lambda each: each.ratio)
        comparisons = {}
        for graph, pair in widest.items():
            low, high = pair.gain(as_ratio=True)
            speaks = Speaks.of(low >= self.at_least, high < self.at_least, unclear=True)
            comparisons[graph] = Weighed(speaks, pair.work, bounded(low, high, self.at_least, inf))
        if not widest:
            return evidence.untimed
        ends = sorted(widest.values(), key=lambda pair: pair.work)
        return weigh(comparisons, str(ends[0]), str(ends[-1]), short=str(ends[-1]))


class Verified(Comparison):
    """Every answer of some variants is the oracle's; if said so, with a proven tree of predecessors."""

    verified: Specs
    tree: bool = False
    denies: bool = Field(default=False, description="it is said to be impossible: a right answer denies it")

    compared = ("verified",)
    deciding: ClassVar[str] = ""
    wording = "answers of {verified}{conditions}; {holds} verified{and_tree}"

    @property
    def _words(self) -> dict[str, object]:
        holds = "does not hold if one is" if self.denies else "holds if all are"
        and_tree = ", and their predecessors too" if self.tree else ""
        return super()._words | {"holds": holds, "and_tree": and_tree}

    def judge(self, evidence: Evidence) -> Finding:
        """Judge whether all answers are right, whatever they took, if there are some of each variant."""
        by_variant = [evidence.records(variant) for variant in evidence.variants]
        if not all(any(entry.record.status == "ok" for entry in entries) for entries in by_variant):
            return evidence.untimed
        answers = [e for e in evidence.records(*evidence.variants) if e.record.status == "ok"]
        proven = [e for e in answers if not self.tree or "tree" in str(e.record.oracle)]
        right = [entry for entry in proven if entry.outcome == "ok"]
        wrong = [f"{entry.title} ({entry.name})" for entry in answers if entry not in right]
        if self.denies:
            possible = Verdict.FAILS if right else Verdict.HOLDS
            return Finding(possible, f"what it rules out was right in {len(right)} of {len(answers)} records")
        verdict = Verdict.HOLDS if not wrong else Verdict.IN_PART if right else Verdict.FAILS
        why = f"not on {', '.join(wrong)}" if verdict == Verdict.IN_PART else ""
        return Finding(verdict, f"verified in {len(right)} of {len(answers)} records", why)


class NewerGPU(Comparison):
    """A variant takes less time, or more, on a GPU of a later generation than on an earlier one's."""

    newer_gpu: Spec = Field(description="the variant that both have run")
    takes: Literal["less", "more"] = "less"
    in_print: Annotated[list[str], Field(default_factory=list, max_length=2)]
    """The newer and the older GPU whose times the report prints, which are quoted."""

    compared = ("newer_gpu",)
    wording = (
        "{by} of {newer_gpu} on two GPUs{conditions}; borne out where it is {takes} on that of the greater "
        "compute capability; GPUs of the same one are of one generation, and neither is newer"
    )

    def judged_by(self, measure: Measure) -> Self:
        """Return the same by another measure, of which a report prints nothing."""
        return super().judged_by(measure).model_copy(update={"in_print": []})

    def judge(self, evidence: Evidence) -> Finding:
        """Hold times of a machine against those of machines of other generations, and quote printed ones."""
        (variant,) = evidence.variants
        fitting = [e for e in evidence.shown.measured if variant.fits(e.solver, e.record.parameters)]
        timed = sorted((entry for entry in fitting if entry.total), key=lambda entry: entry.work)
        claimed, contrary = (Order.LESS, Order.MORE) if self.takes == "less" else (Order.MORE, Order.LESS)
        comparisons, texts, of_other_commits = {}, [], False
        for new, old in product(timed, timed):
            differ = {"another graph", "another commit"}.intersection(new.differences(old))
            if new.title != old.title or evidence.machine not in (new.machine, old.machine):
                continue
            if generation(new) <= generation(old):
                continue
            of_other_commits |= differ == {"another commit"}
            if not differ:
                times = [entry.times[self.by] for entry in (new, old)]
                order = rank(*times)
                unclear = order is Order.TIE and not is_same(*times)
                speaks, (low, high) = (
                    Speaks.of(order is claimed, order is contrary, unclear),
                    ratio_range(*times),
                )
                said = Weighed(speaks, new.work[0], bounded(low, high, 1.0, inf))
                comparisons[f"{new.title} ({new.machine}, {old.machine})"] = said
                medians = [duration(summary.median) for summary in times]
                texts.append(f"{new.title}: {medians[0]} ({new.machine}), {medians[1]} ({old.machine})")
        printed: dict[str, dict[str, str]] = {}
        for number in evidence.shown.printed:
            if number.hardware in self.in_print:
                printed.setdefault(number.graph, {})[number.hardware] = number.printed.text
        quoted = [
            f"{graph}, printed: " + ", ".join(f"{cells[gpu]} ({gpu})" for gpu in self.in_print)
            for graph, cells in printed.items()
            if len(cells) == len(self.in_print)
        ]
        if not comparisons:
            here = [generation(entry) for entry in timed if entry.machine == evidence.machine]
            why = evidence.untimed.why
            if of_other_commits:
                why = "the records of two such GPUs are of different commits"
            elif here:
                why = f"it takes GPUs of two compute capabilities, found {'.'.join(map(str, here[0]))} alone"
            return Finding(Verdict.OPEN, "; ".join(quoted), why)
        return weigh(comparisons, texts[-1], *quoted)


def bounded(least: float, most: float, low: float, high: float) -> float:
    """Return how many times as wide the margin of a range may be until a bound is in it; 1 or less if so.

    The range from `least` to `most` is all between the bounds, or all beyond one, or has one in it.
    """
    sides = (least / low if low else inf, high / most if most else inf)
    beyond = (low / most if most else inf, least / high if high else inf)
    return max(min(sides), *beyond)


def generation(entry: Measured) -> tuple[int, ...]:
    """Return the compute capability of a record's GPU, such as (9, 0); nothing without a GPU."""
    gpu = entry.record.machine.gpu
    return tuple(map(int, gpu.compute_capability.split("."))) if gpu else ()


class OneOff(Comparison):
    """A comparison of its own kind: what prefix sums on the GPU save, beside a variant's total."""

    function: Literal["prefix_sums_save_little"]
    variant: Spec
    of: Spec

    compared = ("variant", "of")
    wording = (
        "prefix sums on the host less those on the GPU; holds if they are "
        f"{LITTLE:.0%} of vert's total or less on every graph"
    )

    def judge(self, evidence: Evidence) -> Finding:
        """Hold what the GPU saves against the total of the variant that has the sums from the host."""
        comparisons: dict[str, Weighed] = {}
        measured = ""
        for pair in evidence.pairs(evidence.variants, self.by):
            device, host = (_observed(pair.entries[0], f"prefix_{place}_ms") for place in ("device", "host"))
            total = pair.times[1].median
            if device and host:
                much = host - device > LITTLE * total
                comparisons[pair.graph] = Weighed(Speaks.of(not much, much), pair.work)
                both = f"{duration(device)} on the GPU, {duration(host)} on the host"
                measured = f"{pair.graph}: {both}, of {duration(total)} in all"
        return weigh(comparisons, measured) if comparisons else evidence.untimed


def _short(pairs: Sequence[Pair], counts: Sequence[str]) -> str:
    said = speed_range(pairs[0].ratio, pairs[-1].ratio)
    return "; ".join([f"{said} on {pairs[0].graph}", *counts])


def _shares_left(evidence: Evidence, further: Variant, without: Variant) -> dict[str, float]:
    """Return by graph the share of vertices that a further reduction leaves."""
    left, whole = evidence.timed(further), evidence.timed(without)
    whole_of = {graph: _observed(entry, "searched_vertices") for graph, entry in whole.items()}
    return {g: _observed(e, "searched_vertices") / whole_of[g] for g, e in left.items() if whole_of.get(g)}


def _observed(entry: Measured, key: str) -> float:
    return float(entry.record.observed.get(key, 0))


COMPARISONS = {next(iter(kind.__annotations__)): kind for kind in Comparison.__subclasses__()}
"""Each kind of comparison by its first key, which tells it from the others."""
ONE_OF_KINDS: Any = Annotated[
    reduce(or_, (Annotated[kind, Tag(key)] for key, kind in COMPARISONS.items())),
    Discriminator(
        lambda value: next((key for key in COMPARISONS if isinstance(value, dict) and key in value), None),
        custom_error_type="unknown_test",
        custom_error_message=f"Input should be one of the keys {', '.join(COMPARISONS)}",
    ),
]
AnyComparison = Annotated[Comparison, GetPydanticSchema(lambda _, handler: handler(ONE_OF_KINDS))]


class Quote(FileModel):
    """A time that is quoted beside a verdict, which does not rest on it."""

    variant: Spec
    words: str


class Claim(FileModel):
    """A statement of a report."""

    section: str = Field(min_length=1, description="where the report says so: a section or a heading")
    says: str = Field(min_length=1, description="what the report says, in our words")
    experiment: str | list[str] | None = None
    """what it is judged by, one or several; none if nothing measures it"""
    test: AnyComparison | None = None
    missing: str = Field(default="", description="without a test: what it would take to judge it")
    refuted: str = Field(default="", description="without a test: why it is wrong, whatever is measured")
    errata: list[str] = Field(default_factory=list)
    """tests or words of docs/errata.md that deny it"""
    quote: Quote | None = None

    @property
    def experiments(self) -> list[str]:
        """The experiments that it is judged by."""
        return several(self.experiment or [])

    @property
    def rule(self) -> str:
        """How it is judged; empty if nothing here measures it."""
        return self.test.rule if self.test else ""
