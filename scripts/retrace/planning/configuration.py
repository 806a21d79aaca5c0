"""The configuration, `config.yaml` and `experiments.yaml`: its model, and checks beyond single keys."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from cuda_device.errors import OneLineError
from cuda_device.gpu_limits import BY_CAPABILITY
from retrace.catalogue.known_solvers import CATALOGUE, fixed
from retrace.graphs.dataset_registry import Dataset, load_registry
from retrace.planning.experiments import (
    Experiment,
    ExperimentName,
    LeastTrials,
    Positive,
    Scale,
    Seconds,
    with_experiments_of_packages,
    with_settings,
)
from retrace.records.statistics import LEAST_TRIALS
from retrace.system.models import FileModel, Given, Name, OneOrMore, Text, at, read_as, read_yaml
from retrace.system.project import ROOT

Tuned = Literal["block_size", "blocks", "mdeg"]
SETTINGS: tuple[Tuned, ...] = get_args(Tuned)
"""The settings of a machine that solvers take."""
EMULATED_THREADS = 256
"""Most threads in a block on the emulator, which switches stacks for each thread at each barrier."""


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
                raise at("experiments", f"expected another name than {name}, which another target has")
        for key, sweep in self.tuning.items():
            if without := [spec for spec in sweep.specs if f"{key}=" not in spec]:
                raise at(f"tuning.{key}.solvers", f"expected values of {key}, found {without[0]} without one")
        if self.scale not in self.limits:
            raise at(f"limits.{self.scale}", "expected the limits of this scale")
        owners: dict[str, str] = {}
        for name in dict.fromkeys([*self.machines, self.machine]):
            if (other := owners.setdefault(self.records(name), name)) != name:
                raise at(f"machines.{name}.records", f"expected another folder than that of {other}")
        for name, experiment in self.experiments.items():
            rounds, sources = self.limits_of(name).rounds, experiment.sources.get(self.scale, inf)
            if sources < rounds:
                place = f"experiments.{name}.sources.{self.scale}"
                raise at(place, f"expected at least one for each of {rounds} rounds, found {sources}")
        return self

    def limits_of(self, experiment: str) -> Limits:
        """Return how much of an experiment this run measures."""
        given = {key: value for key in Limits.model_fields if (value := getattr(self, key)) is not None}
        of_experiment = self.experiments[experiment]
        keys = ("longest_s", "budget_s", "least_trials", "emulated_vertices")
        by_scale = {key: getattr(of_experiment, key) for key in keys}
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


def check_files(paths: Iterable[Path]) -> None:
    """Raise RetraceError if a file is no YAML or has a key twice, of which Snakemake would take the last."""
    for path in paths:
        if path.suffix != ".json" and path.is_file():
            read_yaml(path)


def load_configuration(config: Mapping[str, Any]) -> tuple[Configuration, dict[str, Dataset]]:
    """Check a configuration and read its data sets; a RetraceError names the key and what was expected."""
    checked = _with_tuned(read_as(Configuration, with_experiments_of_packages(config), "config"))
    datasets = load_registry(checked.datasets)
    for kind, experiments in (("experiments", checked.experiments), ("tuning", checked.tuning)):
        for key, experiment in experiments.items():
            experiment.check_graphs(f"config.{kind}.{key}", datasets)
    return checked, datasets


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


@dataclass(frozen=True)
class Effective:
    """The value of a setting, and where it is from, in words."""

    value: object
    origin: str
    laid: bool
    """Whether it is laid over the solver's own: from the machine, what was tuned for it, or the emulator."""


def effective_settings(spec: str, config: Configuration, backend: str) -> dict[str, Effective]:
    """Return the settings that a solver runs with, by name, and where they are from.

    `spec` is a solver as an experiment or a command names it. The first of these decides:

    1. the name itself, such as `bfs/bsp:block_size=64`;
    2. the machine's block in config.yaml, or `--config`: `block_size`, `blocks` and `mdeg`;
    3. `results/tune/<machine>.yaml`, which `snakemake tune` writes;
    4. the emulator, which gives a block at most `EMULATED_THREADS` threads;
    5. the solver's own value.

    What 2 to 4 say is at most what the solver takes (`at_most`). A GPU's limits may cut it further in
    `setup`, which a record tells in `observed`. Raise RetraceError for an unknown solver or setting.
    """
    solver, values = CATALOGUE.parse(spec)
    named = {part.partition("=")[0] for part in spec.partition(":")[2].split(",")}
    machine = {
        key: (value, tuned_file(config.machine) if key in config.tuned else f"machines.{config.machine}")
        for key, value in config.this.settings.items()
    }
    own_threads = int(solver.defaults.get("block_size", 0))
    if backend == "emulator" and own_threads > EMULATED_THREADS:
        machine = {"block_size": (EMULATED_THREADS, "the emulator's limit")} | machine
    settings = {}
    for key, value in values.items():
        if key in named:
            settings[key] = Effective(value, "its name", laid=False)
        elif key in machine:
            wanted, origin = machine[key]
            most = solver.at_most.get(key, wanted)
            cut = f", cut from {wanted} to the most it takes" if most < wanted else ""
            settings[key] = Effective(min(wanted, most), origin + cut, laid=True)
        else:
            settings[key] = Effective(value, "the solver's own", laid=False)
    return settings


def set_for_machine(spec: str, config: Configuration, backend: str) -> str:
    """Return a solver's name with the settings that the machine, or the emulator, lays over its own."""
    settings = effective_settings(spec, config, backend)
    return with_settings(
        spec, {key: settings[key].value for key in SETTINGS if key in settings and settings[key].laid}
    )
