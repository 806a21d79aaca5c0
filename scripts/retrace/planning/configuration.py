"""The configuration, `config.yaml` and `experiments.yaml`: its model, and checks beyond single keys."""

import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import chain, product
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from cuda_device.errors import OneLineError
from cuda_device.gpu_limits import BY_CAPABILITY
from retrace.catalogue.known_solvers import CATALOGUE, fixed, given
from retrace.graphs.dataset_registry import Dataset, load_registry
from retrace.graphs.graph_names import (
    COMPLETE_GRAPH,
    HUB_GRAPH,
    NO_GRAPH,
    RANDOM_GRAPH,
    require_complete,
    resolve_arcs,
)
from retrace.graphs.query import DRAWABLE
from retrace.records.statistics import LEAST_TRIALS
from retrace.system.errors import RetraceError
from retrace.system.models import (
    FileModel,
    Many,
    Name,
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
Tuned = Literal["block_size", "blocks", "mdeg"]
SETTINGS: tuple[Tuned, ...] = get_args(Tuned)
"""The settings of a machine that solvers take."""


class Given(FileModel):
    """A mapping that the command line may give, too, where Snakemake's --config leaves numbers as texts."""

    @model_validator(mode="before")
    @classmethod
    def _read_texts(cls, value: Any) -> Any:
        return {key: read_text(one) for key, one in value.items()} if isinstance(value, dict) else value


def read_text(value: object) -> object:
    """Return the number, or true or false, that a text says; anything else as it is."""
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return {"true": True, "false": False}.get(value, value)


def _of_the_table(text: str) -> str:
    """Accept a compute capability whose limits are known."""
    if text not in (known := [*map(str, BY_CAPABILITY)]):
        raise PydanticCustomError("capability", f"it should be one of {', '.join(known)}")
    return text


class Machine(Given):
    """A GPU configuration. Without a setting, the solver or the card decides."""

    block_size: Annotated[int, Field(ge=32, le=1024, multiple_of=32)] | None = None
    """Threads per block, whole warps of 32; by default the solver's own number."""
    blocks: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    """Betweenness: blocks per launch; by default, or with 0, as many as the GPU runs at once."""
    mdeg: Positive | None = None
    """Betweenness: most arcs of a virtual vertex; by default the solver's own number."""
    memory_gib: Annotated[float, Field(gt=0)] | None = None
    """Most GPU memory to use; by default all that is free."""
    compute_capability: Annotated[Text, AfterValidator(_of_the_table)] | None = None
    """Use the GPU, or the emulator, as if it were of this one, such as "8.6"; by default the card's own."""
    records: Annotated[str, Field(pattern=r"^[A-Za-z0-9_./-]+$")] | None = None
    """Folder of the machine's records; by default results/machines/<name>."""

    @property
    def settings(self) -> dict[str, int]:
        """Return the settings that solvers take."""
        return self.model_dump(include=set[str](SETTINGS), exclude_none=True)


MachineOrNone = Annotated[
    Machine,
    BeforeValidator(lambda value: {} if value is None else value, json_schema_input_type=Machine | None),
]
"""A machine of which nothing need be said."""


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


class Experiment(FileModel):
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
    sources: dict[Scale, Positive] = Field(default_factory=dict)
    """By scale, how many sources, or pairs for st-connectivity, the seed draws from each graph: a trial has
    one of its own, and there are as many trials as `budget_s` allows. Without it, all have the graph's."""
    energy: dict[Scale, Seconds] = Field(default_factory=dict)
    """By scale, for how many seconds a search is repeated on a GPU to measure its energy; else it is not."""
    gpus: Annotated[int, Field(ge=0, lt=2**31)] = 0
    """GPUs without which the larger graphs are not measured."""
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
                told = f"{other} and {spec} would stand under one name; give each problem an experiment"
                raise at("solvers", told)
        problems = {spec.partition("/")[0] for spec in self.specs}
        if self.sources and (others := sorted(problems.difference(DRAWABLE))):
            raise at("sources", f"expected solvers of {' or '.join(DRAWABLE)} alone, found {others[0]}")
        if len({given(spec) for spec in self.specs}) > 1:
            told = "expected generators, solvers of limits, or others, found several; give each an experiment"
            raise at("solvers", told)
        return self


ExperimentName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=100)]


class ExperimentsOfPackage(FileModel):
    """The file of experiments of a package that has solvers."""

    experiments: dict[ExperimentName, Experiment] = Field(default_factory=dict)
    """New ones, by name."""
    more_solvers: dict[ExperimentName, Some[MatrixOrName]] = Field(default_factory=dict)
    """What is added to experiments that are there; of others nothing is added."""


class Limits(Given):
    """How much is measured."""

    trials: Positive
    """Most timed runs of each solver; there are fewer if they agree."""
    least_trials: LeastTrials = LEAST_TRIALS
    """Fewest timed runs of each solver, if they agree or take long; fewer only for `budget_s`."""
    rounds: Positive = 1
    """Processes that measure each experiment, one after the other; they share the trials and the seconds."""
    budget_s: Seconds
    """Seconds for all trials of a solver on a graph; the first one may take longer."""
    longest_s: Seconds
    """Most seconds that a solver may predict for a trial; it is skipped if it predicts more."""
    emulated_vertices: Positive | None = None
    """The emulator skips graphs with more vertices; by default none."""


class Scores(Given):
    """How betweenness scores of one graph are computed, in shards."""

    solver: Text
    """A solver with the setting `sums`, and its settings."""
    shards: Positive
    """Jobs that the sources are cut into."""
    check: bool
    """Whether the scores are compared with the oracle's, which takes core hours for a large graph."""
    sources: Positive | None = None
    """Number of random sources; by default those that the graph's registry names, or all vertices."""
    devices: Positive | None = None
    """GPUs of a job; by default all that it sees."""

    @model_validator(mode="after")
    def _adds_up_in_fixed_point(self) -> Self:
        try:
            fixed(self.solver)
        except OneLineError as error:
            raise at("solver", str(error)) from None
        return self


class Configuration(FileModel):
    """config.yaml and experiments.yaml, and what --config and --configfile change in them."""

    _tuned: frozenset[str] = PrivateAttr(default=frozenset())
    machine: Name
    """The machine that measures: one of `machines`, or a new name."""
    machines: dict[Name, MachineOrNone]
    """GPU configurations by name. Tables show the records of each."""
    backend: Literal["auto", "cuda", "emulator"]
    """Where CUDA kernels run; auto is cuda if there is a GPU."""
    scale: Scale
    """Whether larger graphs are measured too."""
    limits: dict[Scale, Limits]
    """How much is measured, by scale."""
    trials: Positive | None = None
    """In place of `trials` in the limits of the scale."""
    least_trials: LeastTrials | None = None
    """In place of `least_trials` in the limits of the scale."""
    rounds: Positive | None = None
    """In place of `rounds` in the limits of the scale."""
    budget_s: Seconds | None = None
    """In place of `budget_s` in the limits of the scale."""
    longest_s: Seconds | None = None
    """In place of `longest_s` in the limits of the scale."""
    emulated_vertices: Positive | None = None
    """In place of `emulated_vertices` in the limits of the scale."""
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    """Seed of everything that is generated."""
    offline: Literal["stand-in", "fail"]
    """What to do if a graph is not available."""
    datasets: OneOrMore
    """Registry of data sets, or several; an entry replaces an entry of the same name in an earlier file."""
    scores: Scores
    """How the target results/scores/<graph>.csv is made."""
    experiments: Annotated[
        dict[ExperimentName, Experiment],
        Field(min_length=1),
    ]
    """Experiments by name. Each has a table and a figure of its own."""
    tuning: dict[Tuned, Experiment] = Field(default_factory=dict)
    """By setting of `machines`, what `snakemake tune` measures: solvers with values of it, and graphs."""

    @model_validator(mode="after")
    def _keep_names_and_records_apart(self) -> Self:
        for name in self.experiments:
            if name.startswith("claims-") or name in ("verification", "page"):
                told = f"expected another name than {name}, which another target has"
                raise at("experiments", told)
        for key, sweep in self.tuning.items():
            if without := [spec for spec in sweep.specs if f"{key}=" not in spec]:
                raise at(f"tuning.{key}.solvers", f"expected values of {key}, found {without[0]} without one")
        if self.scale not in self.limits:
            raise at(f"limits.{self.scale}", "expected the limits of this scale")
        owners: dict[str, str] = {}
        for name in dict.fromkeys([*self.machines, self.machine]):
            if (other := owners.setdefault(self.records(name), name)) != name:
                raise at(f"machines.{name}.records", f"expected another folder than that of {other}")
        return self

    def limits_of(self, experiment: str) -> Limits:
        """Return how much of an experiment this run measures."""
        given = {key: value for key in Limits.model_fields if (value := getattr(self, key)) is not None}
        of_experiment = self.experiments[experiment]
        by_scale = {key: getattr(of_experiment, key) for key in ("longest_s", "budget_s", "least_trials")}
        of_scale = {key: values[self.scale] for key, values in by_scale.items() if self.scale in values}
        return self.limits[self.scale].model_copy(update=of_scale | given)

    @property
    def tuned(self) -> frozenset[str]:
        """Return which settings of this machine are those that `snakemake tune` found."""
        return self._tuned

    @property
    def this(self) -> Machine:
        """Return the configuration of the machine that measures."""
        return self.settings_of(self.machine)

    def settings_of(self, machine: str) -> Machine:
        """Return the block of a machine; an empty one if it has none."""
        return self.machines.get(machine, Machine())

    def records(self, machine: str) -> str:
        """Return the folder of a machine's records."""
        return self.settings_of(machine).records or f"results/machines/{machine}"


def project_keys() -> dict[str, Any]:
    """Return the keys of the project's config.yaml and experiments.yaml, unchecked."""
    keys: dict[str, Any] = read_yaml(ROOT / "config.yaml")
    measured: dict[str, Any] = read_yaml(ROOT / "experiments.yaml")
    return keys | measured


def project_configuration() -> tuple[Configuration, dict[str, Dataset]]:
    """Read the project's configuration, and its data sets."""
    return load_configuration(project_keys())


def committed_records() -> list[Path]:
    """List the records of the machines that config.yaml names, in its order."""
    configuration, _ = project_configuration()
    folders = [ROOT / configuration.records(name) for name in configuration.machines]
    return [path for folder in folders for path in sorted(folder.glob("*/*.jsonl"))]


def load_configuration(config: Mapping[str, Any]) -> tuple[Configuration, dict[str, Dataset]]:
    """Check a configuration and read its data sets; a RetraceError names the key and what was expected."""
    checked = _with_tuned(read_as(Configuration, with_experiments_of_packages(config), "config"))
    datasets = load_registry(checked.datasets)
    every = {f"experiments.{key}": experiment for key, experiment in checked.experiments.items()}
    for key, experiment in (every | {f"tuning.{key}": one for key, one in checked.tuning.items()}).items():
        data_sets: list[str] = []
        pattern, expected = RANDOM_GRAPH, ["a random graph such as random-14-5"]
        if experiment.given == "limits":
            pattern, expected = NO_GRAPH, [NO_GRAPH]
        elif experiment.given == "graph":
            data_sets, pattern = sorted(datasets), f"{RANDOM_GRAPH}|{HUB_GRAPH}|{COMPLETE_GRAPH}"
            expected = [
                *data_sets,
                *expected,
                "one with a hub such as hub-14-5",
                "a complete one such as dense-256",
            ]
        for kind in ("graphs", "larger_graphs"):
            for name in getattr(experiment, kind):
                if name in data_sets:
                    continue
                if not re.fullmatch(pattern, name):
                    raise RetraceError(
                        f"config.{key}.{kind}: no graph {name}; expected {', '.join(expected)}"
                    )
                try:
                    _require_possible(name, connected=experiment.given == "graph")
                except OneLineError as error:
                    raise RetraceError(f"config.{key}.{kind}: {name}: {error}") from None
    return checked, datasets


def with_experiments_of_packages(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a configuration with the experiments of packages that have solvers.

    What the configuration says of such an experiment takes the place of the same keys. Raise RetraceError,
    which names the file and the key, if a file is not sound, or has an experiment that another one has.
    """
    asked = config.get("experiments")
    if not isinstance(asked, Mapping):
        return dict(config)
    experiments = dict(asked)
    owners = dict.fromkeys(read_yaml(ROOT / "experiments.yaml")["experiments"], "experiments.yaml")
    files = {path: read_yaml(path) for path in declared_files("experiments")}
    for path, keys in files.items():
        for name in read_as(ExperimentsOfPackage, keys, str(path)).experiments:
            if (owner := owners.setdefault(name, str(path))) != str(path):
                advice = f"{owner} has it already; add solvers to it under more_solvers"
                raise RetraceError(f"{path}: experiments.{name}: {advice}")
            changes = experiments.get(name, {})
            if isinstance(changes, Mapping):
                experiments[name] = keys["experiments"][name] | changes
    for path, keys in files.items():
        for name, added in keys.get("more_solvers", {}).items():
            if isinstance(there := experiments.get(name), Mapping) and "solvers" in there:
                experiments[name] = {**there, "solvers": [*there["solvers"], *added]}
                read_as(Experiment, experiments[name], f"{path}: more_solvers.{name}")
    return {**config, "experiments": experiments}


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


def tuned_file(machine: str) -> str:
    """Return the file of what `snakemake tune` found for a machine."""
    return f"results/tune/{machine}.yaml"


def _with_tuned(config: Configuration) -> Configuration:
    """Let what was tuned decide where the machine's entry in config.yaml does not."""
    path = Path(tuned_file(config.machine))
    if not path.exists():
        return config
    values = read_yaml(path)
    tuned = read_as(Machine, {} if values is None else values, str(path))
    undecided = {key: value for key, value in tuned.settings.items() if getattr(config.this, key) is None}
    machines = {**config.machines, config.machine: config.this.model_copy(update=undecided)}
    with_tuned = config.model_copy(update={"machines": machines})
    with_tuned._tuned = frozenset(undecided)
    return with_tuned


def with_settings(spec: str, settings: Mapping[str, object]) -> str:
    """Add settings to a solver's name, such as `betweenness/vert` or `betweenness/vert:blocks=33`."""
    added = ",".join(f"{key}={value}" for key, value in settings.items())
    return f"{spec}{',' if ':' in spec else ':'}{added}" if added else spec
