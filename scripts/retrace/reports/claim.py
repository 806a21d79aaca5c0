"""What a report claims in words, as a comparison that measurements bear out or not.

Each kind of comparison states its rule in words, made from the same data by which it is judged.
"""

from itertools import product
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Tag

from retrace.records.record import Phase
from retrace.records.statistics import SAME
from retrace.reports.wording import plural, word_list
from retrace.system.models import FileModel

Spec = Annotated[str, Field(min_length=1, description="a variant, such as streams:parts=2")]
Specs = Spec | list[Spec]
Quantity = Annotated[str, Field(pattern="^[a-z][a-z_0-9]*$")]
"""What a record says: a phase, what `retrace.reports.judge` derives from it, or what a solver observed."""


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


class Comparison(FileModel):
    """A comparison of variants by a phase; `for` stands for each of its values in the variants' names."""

    by: Phase = "total"
    beside: Phase | None = Field(default=None, description="what else is quoted, and decides nothing")
    for_: dict[str, list[int]] = Field(default_factory=dict, alias="for")
    where: Where = Where()

    compared: ClassVar[tuple[str, ...]] = ()
    """The keys that hold variants."""
    wording: ClassVar[str] = ""
    """The rule; what stands in its braces is in `_said`."""

    def judged_by(self, phase: Phase) -> Self:
        """Return the same by another phase, with nothing quoted beside it."""
        return self.model_copy(update={"by": phase, "beside": None})

    def expand(self, specs: Specs) -> list[str]:
        """List variants, those with a placeholder such as `{n}` once for each of its values."""
        found = []
        for spec in _several(specs):
            keys = [key for key in self.for_ if f"{{{key}}}" in spec]
            for values in product(*(self.for_[key] for key in keys)):
                found.append(spec.format(**dict(zip(keys, values, strict=True))))
        return found

    @property
    def specs(self) -> list[str]:
        """All variants that are compared."""
        return [spec for key in self.compared for spec in self.expand(getattr(self, key))]

    @property
    def _said(self) -> dict[str, object]:
        ranges = [f", {key} = {word_list([str(v) for v in values])}" for key, values in self.for_.items()]
        variants = {key: word_list(_several(getattr(self, key))) for key in self.compared}
        return dict(self) | variants | {"conditions": "".join([*ranges, self.where.words])}

    @property
    def rule(self) -> str:
        """How it is judged."""
        also = f"; {self.beside} is quoted beside it" if self.beside else ""
        return self.wording.format(**self._said) + also


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
    def _said(self) -> dict[str, object]:
        pairs = zip(_several(self.faster), _several(self.than), strict=True)
        return super()._said | {"pairs": ", ".join(f"{fast} against {slow}" for fast, slow in pairs)}


class NotFaster(Comparison):
    """A variant is nowhere faster than another; it may be slower, or the same."""

    not_faster: Spec
    than: Spec

    compared = ("not_faster", "than")
    wording = "{by} of {not_faster} against {than}{conditions}; contradicted where it is less"


class SomewhereFaster(Comparison):
    """A variant is faster than another on some graphs."""

    faster_on_some: Spec
    than: Spec

    compared = ("faster_on_some", "than")
    wording = "{by} of {faster_on_some} against {than}{conditions}; holds if it is less on some graphs"


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
    def _said(self) -> dict[str, object]:
        return super()._said | {"less": "over" if self.as_ratio else "less"}


class TransferShare(Comparison):
    """The share of upload and download in the total lies within bounds where it is greatest."""

    transfer_share: Spec
    between: Annotated[list[float], Field(min_length=2, max_length=2)]

    compared = ("transfer_share",)
    wording = (
        "upload + download of {transfer_share} over its total{conditions}; holds if the greatest share is "
        "{between[0]:.0%} to {between[1]:.0%}"
    )


class Below(Comparison):
    """Every one of some variants stays below a time."""

    below_s: float
    every: list[Spec]

    compared = ("every",)
    wording = "{by} of {every}{conditions}; holds if the third quartile of each is less than {below_s:g} s"


class Spread(Comparison):
    """The slowest of some variants takes at least so many times as long as the fastest."""

    spread: Specs
    at_least: float

    compared = ("spread",)
    wording = (
        "{by} of the slowest over that of the fastest of {spread}{conditions}; borne out where it is at "
        "least {at_least:g}"
    )


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
    outside: bool = Field(default=False, description="it lies not within the bounds, but outside")
    somewhere: bool = Field(default=False, description="it holds if it is borne out on some graph")

    wording = (
        "{of} of {ratio}{on} over {over_its} of {over}{over_on}{conditions}; borne out where it is "
        "{bounds}{enough}"
    )

    def judged_by(self, phase: Phase) -> Self:
        """Return the same ratio of another phase."""
        return self.model_copy(update={"of": phase, "beside": None})

    @property
    def specs(self) -> list[str]:
        """The variant, and the one that it is held against."""
        return [self.ratio, self.over or self.ratio]

    @property
    def _said(self) -> dict[str, object]:
        ends = {"at least": self.at_least, "at most": self.at_most}
        bounds = [f"{words} {end:g}" for words, end in ends.items() if end is not None]
        own = {"over": self.over or "the same", "over_its": self.over_its or self.of}
        own |= {"bounds": "not " * self.outside + word_list(bounds)}
        own |= {"enough": "; one graph is enough" if self.somewhere else ""}
        others = ["those of the same names"] if self.over_graphs == self.graphs else self.over_graphs
        places = {"on": self.graphs, "over_on": self.graphs and others}
        own |= {key: f" on {word_list(_several(names))}" if names else "" for key, names in places.items()}
        return super()._said | own

    @property
    def held_against(self) -> dict[str, str]:
        """The graphs that count, each with the one that it is held against; empty if all do."""
        graphs, others = self.expand(self.graphs), self.expand(self.over_graphs or self.graphs)
        return dict(zip(graphs, others, strict=True))


class Verified(Comparison):
    """Every answer of some variants is the oracle's; if said so, with a proven tree of predecessors."""

    verified: Specs
    tree: bool = False

    compared = ("verified",)
    wording = "answers of {verified}{conditions}; holds if all are verified{and_tree}"

    @property
    def _said(self) -> dict[str, object]:
        return super()._said | {"and_tree": ", and their predecessors too" if self.tree else ""}


class TooLarge(Comparison):
    """A variant does not fit into memory where another has an answer; the largest graph alone decides."""

    too_large: Spec
    than: Spec

    compared = ("too_large", "than")
    wording = (
        "memory of {too_large}{conditions}; borne out where it does not suffice and {than} has an answer"
    )


class NewerGPU(Comparison):
    """A variant takes less time, or more, on one GPU than on another."""

    newer_gpu: str = Field(description="part of the name of the newer GPU")
    than: str = Field(description="part of the name of the older one")
    variant: Spec
    takes: Literal["less", "more"] = "less"
    in_print: Annotated[list[str], Field(default_factory=list, max_length=2)]
    """The newer and the older GPU whose times the report prints, which are quoted."""

    compared = ("variant",)
    wording = (
        "{by} of {variant} on an {newer_gpu} against an {than}{conditions}; borne out where it is {takes}"
    )

    def judged_by(self, phase: Phase) -> Self:
        """Return the same by another phase, of which a report prints nothing."""
        return super().judged_by(phase).model_copy(update={"in_print": []})


class OneOff(Comparison):
    """A comparison of its own kind: what prefix sums on the GPU save, beside a variant's total."""

    function: Literal["prefix_sums_save_little"]
    variant: Spec
    of: Spec

    compared = ("variant", "of")
    wording = (
        "prefix sums on the host less those on the GPU; holds if they are "
        f"{SAME - 1:.0%} of vert's total or less on every graph"
    )


def _several(specs: Specs) -> list[str]:
    return [specs] if isinstance(specs, str) else specs


COMPARISON_KEYS = (
    "faster", "not_faster", "faster_on_some", "fastest", "gain_grows", "transfer_share", "below_s", "ratio",
    "spread", "verified", "too_large", "newer_gpu", "function",
)  # fmt: skip
"""The keys that tell each kind of comparison from the others."""


def _kind(value: Any) -> str | None:
    return next((key for key in COMPARISON_KEYS if isinstance(value, dict) and key in value), None)


AnyComparison = Annotated[
    Annotated[Faster, Tag("faster")]
    | Annotated[NotFaster, Tag("not_faster")]
    | Annotated[SomewhereFaster, Tag("faster_on_some")]
    | Annotated[Fastest, Tag("fastest")]
    | Annotated[GainGrows, Tag("gain_grows")]
    | Annotated[TransferShare, Tag("transfer_share")]
    | Annotated[Below, Tag("below_s")]
    | Annotated[Ratio, Tag("ratio")]
    | Annotated[Spread, Tag("spread")]
    | Annotated[Verified, Tag("verified")]
    | Annotated[TooLarge, Tag("too_large")]
    | Annotated[NewerGPU, Tag("newer_gpu")]
    | Annotated[OneOff, Tag("function")],
    Discriminator(
        _kind,
        custom_error_type="unknown_test",
        custom_error_message=f"Input should be one of the keys {', '.join(COMPARISON_KEYS)}",
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
    experiment: str | list[str] | None = None
    """what it is judged by, one or several; none if nothing measures it"""
    test: AnyComparison | None = None
    missing: str = Field(default="", description="without a test: what it would take to judge it")
    refuted: str = Field(default="", description="without a test: why it is wrong, whatever is measured")
    quote: Quote | None = None

    @property
    def experiments(self) -> list[str]:
        """The experiments that it is judged by."""
        return _several(self.experiment or [])

    @property
    def rule(self) -> str:
        """How it is judged; empty if nothing here measures it."""
        return self.test.rule if self.test else ""
