"""Experiments: their model, those that packages add to experiments.yaml, and the names of their graphs."""

import re
from collections.abc import Iterable, Mapping
from itertools import chain, product
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from cuda_device.errors import OneLineError
from retrace.catalogue.known_solvers import CATALOGUE, DRAWABLE, given
from retrace.graphs.graph_names import (
    COMPLETE_GRAPH,
    HUB_GRAPH,
    NO_GRAPH,
    RANDOM_GRAPH,
    STANDARD_GRAPH,
    require_complete,
    resolve_arcs,
)
from retrace.records.statistics import LEAST_TRIALS
from retrace.system.errors import RetraceError
from retrace.system.models import (
    FileModel,
    Given,
    Many,
    OneOrMore,
    OneOrMoreTexts,
    Some,
    Text,
    at,
    read_as,
    read_yaml,
)
from retrace.system.project import ROOT
from retrace.system.solver_packages import declared_files

Positive = Annotated[int, Field(ge=1, lt=2**31)]
Seconds = Annotated[float, Field(gt=0)]
LeastTrials = Annotated[int, Field(ge=LEAST_TRIALS, lt=2**31)]
Scale = Literal["default", "paper"]


class SolverMatrix(FileModel):
    """Solvers and their settings. Lists are multiplied out; the last setting varies fastest."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, OneOrMoreTexts]

    solver: OneOrMore
    """Name of a solver, such as bellman-ford/streams, or several names."""

    def specs(self) -> list[str]:
        """Return each combination as one text, such as `bellman-ford/streams:parts=2`."""
        settings = self.model_extra or {}
        return [
            with_settings(name, dict(zip(settings, values, strict=True)))
            for name, *values in product(self.solver, *settings.values())
        ]


MatrixOrName = Annotated[
    SolverMatrix,
    BeforeValidator(
        lambda value: {"solver": value} if isinstance(value, str) else value,
        json_schema_input_type=str | SolverMatrix,
    ),
]
"""A solver that may be written as its name alone."""


class Experiment(Given):
    """Solvers, and the graphs that they are measured on."""

    solvers: Some[MatrixOrName]
    """Names of solvers, with settings or without, or mappings whose lists are multiplied out."""
    graphs: Some[str]
    """Data sets, or generated graphs such as random-14-5 and dense-256."""
    larger_graphs: Many[str] = ()
    """Graphs that are measured with `scale: paper` only."""
    longest_s: dict[Scale, Seconds] = Field(default_factory=dict)
    """By scale, in place of `longest_s` in the limits, for a baseline that takes minutes."""
    budget_s: dict[Scale, Seconds] = Field(default_factory=dict)
    """By scale, in place of `budget_s` in the limits."""
    least_trials: dict[Scale, LeastTrials] = Field(default_factory=dict)
    """By scale, in place of `least_trials` in the limits."""
    emulated_vertices: dict[Scale, Positive] = Field(default_factory=dict)
    """By scale, in place of `emulated_vertices` in the limits."""
    sources: dict[Scale, Positive] = Field(default_factory=dict)
    """By scale, how many sources, or pairs for st-connectivity, the seed draws from each graph: a trial has
    one of its own, and there are as many trials as `budget_s` allows. Without it, all have the graph's."""
    energy: dict[Scale, Seconds] = Field(default_factory=dict)
    """By scale, for how many seconds a search is repeated on a GPU to measure its energy; else it is not."""
    gpus: Annotated[int, Field(ge=0, lt=2**31)] = 0
    """GPUs without which the larger graphs are not measured."""
    more_tables: Many[Text] = ()
    """Further files in `results/tables/`, which rules of a package make."""
    setups: Annotated[int, Field(ge=0, lt=2**31)] = 0
    """Passes that time a device solver's setup; no more begin after a quarter of a second."""

    @property
    def specs(self) -> list[str]:
        """Return every solver with its settings, such as `bellman-ford/streams:parts=2`."""
        return list(chain.from_iterable(matrix.specs() for matrix in self.solvers))

    @property
    def given(self) -> str:
        """Return what the solvers are given: `graph`, or their problem if they take no stored graph."""
        return given(self.specs[0])

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for spec in self.specs:
            try:
                solver, _ = CATALOGUE.parse(spec)
            except OneLineError as error:
                raise at("solvers", str(error)) from None
            if not solver.is_there:
                raise at("solvers", solver.lack)
        listed = {"solvers": self.specs, "graphs": self.graphs, "larger_graphs": self.larger_graphs}
        for key, names in listed.items():
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise at(key, f"expected each item once, found {twice} twice")
        shown: dict[str, str] = {}
        for spec in self.specs:  # a table names a solver without its problem
            if (other := shown.setdefault(spec.partition("/")[2], spec)) != spec:
                advice = "give each problem an experiment"
                raise at("solvers", f"{other} and {spec} would stand under one name; {advice}")
        problems = {spec.partition("/")[0] for spec in self.specs}
        if self.sources and (others := sorted(problems.difference(DRAWABLE))):
            raise at("sources", f"expected solvers of {' or '.join(DRAWABLE)} alone, found {others[0]}")
        if len({given(spec) for spec in self.specs}) > 1:
            expected = "expected generators, solvers of limits, or others, found several"
            raise at("solvers", f"{expected}; give each an experiment")
        return self

    def check_graphs(self, key: str, datasets: Iterable[str]) -> None:
        """Raise RetraceError, which names the key, for a graph that is neither a data set nor generated."""
        data_sets: list[str] = []
        pattern, expected = RANDOM_GRAPH, ["a random graph such as random-14-5"]
        if self.given == "limits":
            pattern, expected = NO_GRAPH, [NO_GRAPH]
        elif self.given == "graph":
            data_sets = sorted(datasets)
            pattern = "|".join((RANDOM_GRAPH, HUB_GRAPH, STANDARD_GRAPH, COMPLETE_GRAPH))
            expected = [
                *data_sets,
                *expected,
                "one with a hub such as hub-14-5",
                "one of GAP's such as kron-14 and urand-14",
                "a complete one such as dense-256",
            ]
        for kind in ("graphs", "larger_graphs"):
            for name in getattr(self, kind):
                if name in data_sets:
                    continue
                if not re.fullmatch(pattern, name):
                    raise RetraceError(f"{key}.{kind}: no graph {name}; expected {', '.join(expected)}")
                try:
                    _require_possible(name, connected=self.given == "graph")
                except OneLineError as error:
                    raise RetraceError(f"{key}.{kind}: {name}: {error}") from None


ABSENT = "neither experiments.yaml nor a package has this experiment; correct the name, or update Retrace"
"""Of an experiment that a package names."""

ExperimentName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=100)]


class ExperimentsOfPackage(FileModel):
    """The file of experiments of a package that has solvers."""

    experiments: dict[ExperimentName, Experiment] = Field(default_factory=dict)
    """New ones, by name."""
    more_solvers: dict[ExperimentName, Some[MatrixOrName]] = Field(default_factory=dict)
    """What is added to experiments that are there."""


def with_experiments_of_packages(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a configuration with the experiments of packages that have solvers.

    What the configuration says of such an experiment takes the place of the same keys, and of the same
    scales below them; nothing is added to solvers that it names itself. Raise RetraceError, which names the
    file and the key, if a file is not sound, has an experiment that another one has, or adds solvers to one
    that is not there. The project's own packages may: a user can take experiments away.
    """
    configured = config.get("experiments")
    if not isinstance(configured, Mapping):
        return dict(config)
    experiments = dict(configured)
    shipped = dict(read_yaml(ROOT / "experiments.yaml")["experiments"])
    owners = dict.fromkeys(shipped, "experiments.yaml")
    files = {path: read_yaml(path) for path in declared_files("experiments")}
    for path, keys in files.items():
        for name in read_as(ExperimentsOfPackage, keys, str(path)).experiments:
            if (owner := owners.setdefault(name, str(path))) != str(path):
                advice = f"{owner} has it already; add solvers to it under more_solvers"
                raise RetraceError(f"{path}: experiments.{name}: {advice}")
            shipped[name] = keys["experiments"][name]
            experiments[name] = _changed(shipped[name], experiments.get(name, {}))
    extended = {
        name
        for name, known in experiments.items()
        if isinstance(known, Mapping) and "solvers" in known
        if known["solvers"] == shipped.get(name, known)["solvers"]
    }
    from_outside = declared_files("experiments", outside_alone=True)
    for path, keys in files.items():
        for name, added in keys.get("more_solvers", {}).items():
            if name not in experiments and path in from_outside:
                raise RetraceError(f"{path}: more_solvers.{name}: {ABSENT}")
            if name in extended:
                known = experiments[name]
                solvers = {"solvers": [*known["solvers"], *added]}
                experiments[name] = {**known, **solvers}
                read_as(Experiment, {**shipped.get(name, known), **solvers}, f"{path}: more_solvers.{name}")
    return {**config, "experiments": experiments}


def _changed(old: object, new: object) -> object:
    """Return what stands in place of a value, as Snakemake merges configurations: mappings key by key."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return old | {key: _changed(old.get(key), value) for key, value in new.items()}


def _require_possible(name: str, connected: bool) -> None:
    """Raise RetraceError if no generated graph has the numbers of its name."""
    kind, *numbers = name.split("-")
    sizes = [int(number) for number in numbers]
    if kind == "dense":
        require_complete(sizes[0])
    elif kind in ("random", "hub"):
        vertices = 2 ** sizes[0]
        resolve_arcs(vertices, per_vertex=sizes[1], connected=connected)
        if sizes[2:] and not 1 <= sizes[2] <= vertices:
            raise RetraceError(f"{sizes[2]} sources: expected from 1 to {vertices}, the graph's vertices")


def with_settings(spec: str, settings: Mapping[str, object]) -> str:
    """Add settings to a solver's name, such as `betweenness/vert` or `betweenness/vert:blocks=33`."""
    added = ",".join(f"{key}={value}" for key, value in settings.items())
    return f"{spec}{',' if ':' in spec else ':'}{added}" if added else spec
