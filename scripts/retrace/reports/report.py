"""A report as data: `results/published/<report>.yaml`, with its printed numbers in a CSV file beside it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from retrace.records.variant import Variant
from retrace.reports.claim import Claim, Spec, Where
from retrace.reports.measures import Measure
from retrace.system.errors import RetraceError
from retrace.system.models import FileModel, read_as, read_yaml
from retrace.system.project import ROOT
from retrace.system.solver_packages import declared_files

PUBLISHED = ROOT / "results" / "published"

Key = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9.-]*$")]


class SpeedUp(FileModel):
    """A column that says how many times less one solver takes than another on the same machine and graph."""

    of: Spec
    over: Spec


class System(FileModel):
    """A machine on which a report has measured, as it describes it."""

    cpu: str
    ram: str
    gpu: str
    cuda: str

    def __str__(self) -> str:
        return f"{self.cpu}, {self.ram}, {self.gpu}, CUDA {self.cuda}"


class TableLayout(FileModel):
    """How the table of an experiment is laid out."""

    title: str
    number: str = Field(default="", description="the report's own number, such as Table 3.3")
    solvers: dict[str, Spec] = Field(default_factory=dict)
    """printed columns or rows, each with the solver that repeats it"""
    groups: dict[str, list[Spec]] = Field(default_factory=dict)
    """kinds of solvers, told apart by colour where they are ranked. If one is `published`, ranked rows say
    how many times as long the fastest of its kernels takes."""
    rows: Literal["graphs", "solvers", "ranked"] = "solvers"
    """ranked: a table for each graph and machine, the fastest solver first"""
    by: Measure = Field(default="total", description="what the cells show")
    beside: Measure = Field(default="total", description="what stands beside it")
    sections: Literal["arcs_per_vertex"] | None = Field(default=None, description="a table for each value")
    speed_up: SpeedUp | None = None
    rate: bool = Field(default=False, description="show arcs per second beside each time")
    setup: list[Spec] = Field(default_factory=list)
    """solvers with columns for it and the total with it"""
    figure: bool = True
    """whether a figure ranks the solvers as well, unless one of the report shows all of them"""
    doubts: dict[str, str] = Field(default_factory=dict, description="why printed numbers are marked")
    remarks: list[str] = Field(default_factory=list)


class Fall(FileModel):
    """A printed time's way to ours, on one graph: a panel of a waterfall."""

    experiment: Key = Field(description="whose table has the printed times, and our runs of what is printed")
    graph: str
    kernel: Spec = Field(description="the published kernel")
    baseline: Spec = Field(description="what the report compares it with, on one core")
    ours: list[Spec] = Field(description="kernels of ours that may take its place")
    beside: Key = Field(description="the experiment in which they were measured together")


FigureKind = Literal[
    "lines", "bars", "heat map", "dumbbells", "phases", "distances", "rates", "scatter", "waterfall"
]
"""Of figures: lines against a size or a setting; solvers ranked; solvers by graphs, coloured by the ratio to
the best; printed and measured times joined; the phases of a time; single trials; how far the limit is; arcs
per second over the size; all printed times against measured ones; a printed time's way to ours."""


class Drawing(FileModel):
    """What a figure shows, and how."""

    experiment: Key
    title: str
    finding: str = ""
    """the title, with numbers in place of {a line}, {one over another as words} and the like"""
    number: str = Field(default="", description="the printed figure or table that it mirrors")
    kind: FigureKind = "lines"
    x: str = Field(default="vertices", description="vertices, or a setting of the solvers")
    axis: str = Field(default="", description="what a setting is, below the x axis")
    y: Measure = "total"
    beside: Measure | None = None
    """another measure: a mark beside each bar, or the right half of a heat map"""
    series: dict[str, Spec] | None = Field(default=None, description="variants by their names; all if absent")
    over: Spec | None = Field(default=None, description="what each line is divided by")
    pairs: dict[Spec, Spec] = Field(default_factory=dict)
    """of bars, each variant with what it is divided by; of printed lines, a panel of each pair"""
    printed: bool = Field(default=False, description="of lines that are divided: panels of what is printed")
    floor: Spec | None = Field(default=None, description="of such lines: whose upload is a further line")
    ideal: bool = Field(default=False, description="divide each line by its first value, beside one over x")
    where: Where = Where()
    graphs: list[str] = Field(default_factory=list)
    """of bars, heat maps, dumbbells and phases: which, the title's first"""
    falls: list[Fall] = Field(default_factory=list, description="of a waterfall: its panels")
    also: list[Key] = Field(default_factory=list, description="other experiments whose records it reads")
    level: float | None = Field(default=None, description="where a line is drawn across for comparison")
    level_name: str = Field(default="", description="what is written at the end of that line")
    claim: str | None = Field(default=None, description="the claim whose verdict the title states")
    caption: list[str] = Field(default_factory=list, description="what a reader must know beside the figure")

    @property
    def measures(self) -> list[Measure]:
        """What it shows: a measure, or one and another beside it."""
        return [self.y] if self.beside is None else [self.y, self.beside]

    @property
    def shows_all(self) -> bool:
        """Whether every solver of the experiment has a place."""
        of_all = self.kind in ("lines", "bars", "heat map")
        return of_all and self.series is None and not self.pairs and self.where == Where()


PLACEHOLDER = re.compile(r"\{(.*?)\}")
"""In an answer, the key of a claim whose number takes its place."""


class Front(FileModel):
    """What stands of a report on the first page: the claims answer the question."""

    question: str
    answer: str = ""
    """a sentence that is true of any numbers, with that of a claim in place of {its key}"""
    claims: Annotated[list[Key], Field(min_length=1)]
    figure: Key

    def answered(self, number_of: Callable[[str], str]) -> str:
        """Return the answer with the number of each claim that it names."""
        return PLACEHOLDER.sub(lambda found: number_of(found[1]), self.answer)

    @property
    def quoted(self) -> list[str]:
        """The claims whose numbers are in the answer."""
        return PLACEHOLDER.findall(self.answer)


class Report(FileModel):
    """One of the reports that Retrace re-runs."""

    key: Key
    title: str
    author: str
    institution: str = ""
    year: str = ""
    place: int = Field(default=100, description="where it stands on the page, the least first")
    problem: str = Field(default="", description="what variants without a problem of their own solve")
    machines: dict[str, System] = Field(default_factory=dict, description="by the names that tables print")
    tables: dict[Key, TableLayout] = Field(default_factory=dict, description="by experiment")
    figures: dict[Key, Drawing] = Field(default_factory=dict)
    claims: dict[Key, Claim] = Field(default_factory=dict)
    front: Front | None = Field(default=None, description="what stands of it on the first page")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        for name, figure in self.figures.items():
            if (figure.kind == "waterfall") != bool(figure.falls):
                raise ValueError(f"figures.{name}.falls: expected some of a waterfall, and of no other kind")
            if figure.claim is not None and figure.claim not in self.claims:
                told = f"figures.{name}.claim: {figure.claim} is no claim of the report"
                raise ValueError(f"{told}; there are {', '.join(self.claims) or 'none'}")
        front: dict[str, list[str]] = {}
        if self.front:
            front = {"claims": self.front.claims, "answer": self.front.quoted, "figure": [self.front.figure]}
        for key, names in front.items():
            known: Mapping[str, object] = self.figures if key == "figure" else self.claims
            if unknown := [name for name in names if name not in known]:
                told = f"front.{key}: the report has no {unknown[0]}"
                raise ValueError(f"{told}; there are {', '.join(known) or 'none'}")
        for name, claim in self.claims.items():
            if (claim.test is None) != (claim.experiment is None):
                raise ValueError(f"claims.{name}: expected both experiment and test, or neither")
            given = [key for key in ("test", "missing", "refuted") if getattr(claim, key)]
            if len(given) > 1:
                raise ValueError(f"claims.{name}: expected {' or '.join(given)}, found both")
        return self

    @property
    def experiments(self) -> list[str]:
        """The experiments of its tables, figures and claims."""
        names = (name for key, name in self.named_experiments if not key.endswith(".also"))
        return list(dict.fromkeys(names))

    @property
    def named_experiments(self) -> Iterator[tuple[str, str]]:
        """Every experiment that the file names, after the key that names it."""
        yield from (("tables", name) for name in self.tables)
        yield from ((f"figures.{key}.experiment", figure.experiment) for key, figure in self.figures.items())
        for key, claim in self.claims.items():
            yield from ((f"claims.{key}.experiment", name) for name in claim.experiments)
        for key, figure in self.figures.items():
            yield from ((f"figures.{key}.also", name) for name in figure.also)

    def also(self, experiment: str) -> list[str]:
        """Return the other experiments that an experiment's figures read, but for waterfalls."""
        drawings = (one for one in self.figures.values() if one.experiment == experiment and not one.falls)
        return list(dict.fromkeys(name for drawing in drawings for name in drawing.also))

    def variant(self, spec: str) -> Variant:
        """Read a variant that this report names."""
        return Variant.parse(spec, self.problem)


def load_report(path: Path) -> Report:
    """Read a report, whose key is the file's name; if it is not sound, a RetraceError names file and key."""
    value = read_yaml(path)
    if isinstance(value, dict) and "key" in value:
        raise RetraceError(f"{path}: key: unknown key; the file's name is the report's")
    return read_as(Report, {"key": path.stem, **value} if isinstance(value, dict) else value, str(path))


def report_paths() -> list[Path]:
    """List the files of the reports, and of pages that packages have; RetraceError if two have one name."""
    paths: dict[str, Path] = {}
    for path in [*PUBLISHED.glob("*.yaml"), *declared_files("report")]:
        if (other := paths.setdefault(path.stem, path)) != path:
            raise RetraceError(f"{path}: {other} has this name already; rename the file")
    return [paths[name] for name in sorted(paths)]


@cache
def load_reports() -> dict[str, Report]:
    """Read all of them, by key; a table or figure that two of them have is a RetraceError."""
    return read_reports(report_paths())


def read_reports(paths: Iterable[Path]) -> dict[str, Report]:
    """Read reports from their files, by key; a table or figure that two of them have is a RetraceError."""
    reports, owners = dict[str, Report](), dict[str, str]()
    for path in paths:
        key, report = path.stem, load_report(path)
        reports[key] = report
        for name in [*(f"tables.{n}" for n in report.tables), *(f"figures.{n}" for n in report.figures)]:
            if (other := owners.setdefault(name, key)) != key:
                raise RetraceError(f"{path}: {name}: {other} has it already; expected one")
    return reports


def table_layout(report: Report | None, experiment: str) -> TableLayout:
    """Return how an experiment's table is laid out; a plain one if no report says."""
    plain = TableLayout(title=experiment)
    return report.tables.get(experiment, plain) if report else plain
