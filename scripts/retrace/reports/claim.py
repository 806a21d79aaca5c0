"""What a report claims in words, as a comparison that measurements bear out or not.

Each kind of comparison states its rule in words, made from the same data by which it is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from retrace.records.record import Phase
from retrace.reports.one_offs import RULES
from retrace.reports.wording import plural, word_list
from retrace.system.models import FileModel

Spec = Annotated[str, Field(min_length=1, description="a variant, such as streams:parts=2")]
Specs = Spec | list[Spec]


class Where(FileModel):
    """Which measurements count."""

    arcs_per_vertex: int | None = Field(default=None, description="random graphs of this density")
    least_vertices: int | None = None
    all_sources: bool = Field(default=False, description="betweenness of all sources, not of a sample")
    compaction_helps: bool = Field(
        default=False, description="runs on a compacted graph count only if compaction removed vertices"
    )
    reduced: bool = Field(default=False, description="graphs that lose vertices by what is claimed to help")

    @property
    def words(self) -> str:
        """The conditions, as the end of a rule."""
        texts = []
        if self.arcs_per_vertex is not None:
            texts.append(f"on random graphs of {plural(self.arcs_per_vertex, 'arc')} per vertex")
        if self.least_vertices is not None:
            texts.append(f"on graphs of at least {self.least_vertices:,} vertices")
        if self.all_sources:
            texts.append("with all vertices as sources")
        if self.compaction_helps:
            texts.append("compacted graphs counting only where compaction removes vertices")
        if self.reduced:
            texts.append("on graphs that lose vertices by it")
        return "".join(f", {text}" for text in texts)


class Comparison(FileModel):
    """A comparison of variants by a phase; `for` stands for each of its values in the variants' names."""

    by: Phase = "total"
    for_: dict[str, list[int]] = Field(default_factory=dict, alias="for")
    where: Where = Where()

    def expand(self, specs: Specs) -> list[str]:
        """List variants, those with a placeholder such as `{n}` once for each of its values."""
        found = []
        for spec in [specs] if isinstance(specs, str) else specs:
            keys = [key for key in self.for_ if f"{{{key}}}" in spec]
            for values in product(*(self.for_[key] for key in keys)):
                found.append(spec.format(**dict(zip(keys, values, strict=True))))
        return found

    def named(self, specs: Specs) -> str:
        """Name variants as they are written, placeholders as such."""
        return word_list([specs] if isinstance(specs, str) else list(specs))

    @property
    def conditions(self) -> str:
        """The values of placeholders and the conditions, in words."""
        ranges = [f", {key} = {word_list([str(v) for v in values])}" for key, values in self.for_.items()]
        return "".join([*ranges, self.where.words])


class Faster(Comparison):
    """Each of some variants takes less time than its partner; if said so, less outside the kernels too."""

    faster: Specs
    than: Specs
    outside_kernels: bool = False

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The variants said to be faster, each with what it is held against."""
        return list(zip(self.expand(self.faster), self.expand(self.than), strict=True))

    @property
    def rule(self) -> str:
        """How it is judged."""
        sides = [[side] if isinstance(side, str) else side for side in (self.faster, self.than)]
        pairs = ", ".join(f"{fast} against {slow}" for fast, slow in zip(*sides, strict=True))
        outside = ", outside the kernels too" if self.outside_kernels else ""
        return (
            f"{self.by} of {pairs}{self.conditions}; holds if it is less{outside}, in more than half of the "
            "comparisons and more in none"
        )


class NotFaster(Comparison):
    """A variant is nowhere faster than another; it may be slower, or the same."""

    not_faster: Spec
    than: Spec

    @property
    def rule(self) -> str:
        """How it is judged."""
        compared = f"{self.by} of {self.not_faster} against {self.than}"
        return f"{compared}{self.conditions}; holds if it is less nowhere"


class SomewhereFaster(Comparison):
    """A variant is faster than another on some graphs."""

    faster_on_some: Spec
    than: Spec

    @property
    def rule(self) -> str:
        """How it is judged."""
        return (
            f"{self.by} of {self.faster_on_some} against {self.than}{self.conditions}; holds if it is less "
            "on some graphs"
        )


class Fastest(Comparison):
    """A variant is the fastest of several."""

    fastest: Spec
    of: list[Spec]
    any_present: bool = Field(default=False, description="compare those that were measured, not only all")

    @property
    def rule(self) -> str:
        """How it is judged."""
        return (
            f"{self.by} of {self.fastest} against {self.named(self.of)}{self.conditions}; holds if it is the "
            "least on more than half of the graphs and beaten on none"
        )


class GainGrows(Comparison):
    """What a variant saves grows from each size to the next."""

    gain_grows: Spec
    over: Spec

    @property
    def rule(self) -> str:
        """How it is judged."""
        return (
            f"{self.by} of {self.over} less that of {self.gain_grows}{self.conditions}; holds if it grows "
            "from each size to the next"
        )


class TransferShare(Comparison):
    """The share of upload and download in the total lies within bounds where it is greatest."""

    transfer_share: Spec
    between: Annotated[list[float], Field(min_length=2, max_length=2)]

    @property
    def rule(self) -> str:
        """How it is judged."""
        low, high = self.between
        return (
            f"upload + download of {self.transfer_share} over its total{self.conditions}; holds if the "
            f"greatest share is {low:.0%} to {high:.0%}"
        )


class Below(Comparison):
    """Every one of some variants stays below a time."""

    below_s: float
    every: list[Spec]

    @property
    def rule(self) -> str:
        """How it is judged."""
        return (
            f"{self.by} of {self.named(self.every)}{self.conditions}; holds if the third quartile of each is "
            f"less than {self.below_s:g} s"
        )


class OneOff(Comparison):
    """A comparison of its own kind: a function of `retrace.reports.one_offs`."""

    function: Literal["prefix_sums_save_little"]
    variant: Spec
    of: Spec

    @property
    def rule(self) -> str:
        """How it is judged."""
        return RULES[self.function]


COMPARISONS: dict[str, type[Comparison]] = {
    "faster": Faster,
    "not_faster": NotFaster,
    "faster_on_some": SomewhereFaster,
    "fastest": Fastest,
    "gain_grows": GainGrows,
    "transfer_share": TransferShare,
    "below_s": Below,
    "function": OneOff,
}
"""By the key that tells each kind from the others."""


def _kind(value: Any) -> str | None:
    keys: Sequence[str] = list(value) if isinstance(value, dict) else []
    return next((key for key in COMPARISONS if key in keys), None)


AnyComparison = Annotated[
    Annotated[Faster, Tag("faster")]
    | Annotated[NotFaster, Tag("not_faster")]
    | Annotated[SomewhereFaster, Tag("faster_on_some")]
    | Annotated[Fastest, Tag("fastest")]
    | Annotated[GainGrows, Tag("gain_grows")]
    | Annotated[TransferShare, Tag("transfer_share")]
    | Annotated[Below, Tag("below_s")]
    | Annotated[OneOff, Tag("function")],
    Discriminator(
        _kind,
        custom_error_type="unknown_test",
        custom_error_message=f"Input should be one of the keys {', '.join(COMPARISONS)}",
    ),
]


class Quote(FileModel):
    """A time that is quoted beside a verdict, which does not rest on it."""

    variant: Spec
    words: str


class Claim(FileModel):
    """A statement of a report."""

    section: str = Field(min_length=1, description="where the report says so: a section or a heading")
    says: str = Field(min_length=1, description="what the report says, in our words")
    experiment: str | None = Field(
        default=None, description="what it is judged by; none if nothing measures it"
    )
    test: AnyComparison | None = None
    quote: Quote | None = None

    @property
    def rule(self) -> str:
        """How it is judged; empty if nothing here measures it."""
        return self.test.rule if self.test else ""
