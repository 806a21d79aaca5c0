"""The solvers as data: `workflow/schemas/solvers.json`, which `make schemas` writes from their classes.

Records are read, configurations checked and claims judged by it, without the code of any solver. A class that
is registered adds itself, so that a solver which the file lacks is known wherever its class is imported. The
packages outside that have solvers are imported when one is asked for that is not known yet, or all are. A
solver of the file whose package was removed is known, so that its records can be read, and cannot run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import TypeAdapter

from cuda_device.errors import OneLineError
from cuda_device.gpu_limits import Needs
from retrace.catalogue.setting import Settings, Value
from retrace.system.errors import RetraceError, did_you_mean
from retrace.system.models import one_line
from retrace.system.option_words import by_caller
from retrace.system.project import CATALOGUE_FILE, ROOT, with_headers
from retrace.system.solver_packages import import_solvers, is_there, top_level

PROBLEMS = ("bfs", "stcon", "sssp", "bellman-ford", "betweenness", "generate", "limits")
"""What can be solved and checked."""
DRAWABLE = ("bfs", "sssp", "stcon", "betweenness")
"""Problems whose questions can be drawn, on graphs that are stored as arcs."""
WEIGHTED = ("sssp", "bellman-ford")
"""Problems that need weights: a path is as long as their sum."""
WITHOUT_GRAPH = ("generate", "limits")
"""Problems whose solvers are given no stored graph, but what to generate, or nothing."""


@dataclass(frozen=True)
class KnownSolver:
    """What a solver's class declares, without its code."""

    name: str
    """Problem and variant, such as `bfs/bsp`."""
    implements: str
    """Report and algorithm, or the library call."""
    module: str
    """The module of its class, which Python imports by this name."""
    backends: tuple[str, ...]
    source: str = ""
    """Its kernel file, a path in `kernels/`, or an absolute one outside; empty without one."""
    more_sources: tuple[str, ...] = ()
    """Further files that are compiled separately and loaded by the solver."""
    settings: Settings = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)
    """What a machine's settings give this solver at most, where that is less than the setting's bound."""
    needs: Needs = field(default_factory=Needs)
    """What it needs of a GPU that some lack."""
    calls_library: bool = False
    """Whether it is a call of a library, and not a program of this project."""
    page_locks: bool = False
    """Whether it page-locks memory as large as the graph, or a mask of its vertices."""
    former_settings: tuple[str, ...] = ()
    """Settings that it has no longer, and records have."""

    @property
    def problem(self) -> str:
        """Return the first half of the name."""
        return self.name.partition("/")[0]

    @property
    def variant(self) -> str:
        """Return the second half of the name."""
        return self.name.partition("/")[2]

    @property
    def given(self) -> str:
        """Return what it is given, as the function `given` does."""
        return given(self.name)

    @cached_property
    def defaults(self) -> dict[str, Value]:
        """Return the values of all settings where none is given."""
        return {key: setting.default for key, setting in self.settings.items()}

    @property
    def is_there(self) -> bool:
        """Whether the package that has its class is there."""
        return is_there(self.module)

    @property
    def lack(self) -> str:
        """Return why it cannot run where its package is not there."""
        package = top_level(self.module)
        return f"{self.name} is of the package {package}, which is not there; install it"

    @property
    def sources(self) -> tuple[str, ...]:
        """Return its kernel files, and the headers that they include."""
        return with_headers(self.source, *self.more_sources) if self.source else ()


@dataclass
class Catalogue:
    """Solvers by name: those of a file, which is read when one is first asked for, and what is added."""

    file: Path
    added: dict[str, KnownSolver] = field(default_factory=dict)

    def add(self, solver: KnownSolver) -> None:
        """Make a solver known in this process, in place of the one of its name."""
        self.added[solver.name] = solver

    @cached_property
    def listed(self) -> dict[str, KnownSolver]:
        """Return the solvers of the file; raise RetraceError if it cannot be read."""
        try:
            solvers = TypeAdapter(list[KnownSolver]).validate_json(self.file.read_bytes())
        except (OSError, ValueError) as error:
            advice = f"expected the solvers as make schemas writes them ({one_line(error)}); run make schemas"
            raise RetraceError(f"{self.file}: {advice}") from None
        return {solver.name: solver for solver in solvers}

    @property
    def solvers(self) -> list[KnownSolver]:
        """Return all whose package is there, in the file's order; what was added comes last."""
        import_solvers(outside_alone=True)
        installed = {name: solver for name, solver in self.listed.items() if solver.is_there}
        return list({**installed, **self.added}.values())

    def find(self, spec: str) -> KnownSolver:
        """Return the solver of a name without its settings; raise RetraceError if none is known."""
        name = spec.partition(":")[0]
        if name not in self.added and name not in self.listed:
            import_solvers(outside_alone=True)
        if solver := self.added.get(name) or self.listed.get(name):
            return solver
        raise unknown_solver(name, [solver.name for solver in self.solvers if solver.given == given(name)])

    def parse(self, spec: str) -> tuple[KnownSolver, dict[str, Value]]:
        """Read a solver's name and settings, such as `betweenness/vert:blocks=132,block_size=512`.

        Return the solver, and the values of all its settings, by default or as given. Raise RetraceError if
        there is no such solver or setting, a setting is given twice, or a value is not allowed.
        """
        solver = self.find(spec)
        return solver, read_settings(spec, solver.settings)


CATALOGUE = Catalogue(ROOT / CATALOGUE_FILE)


def unknown_solver(name: str, names: Iterable[str]) -> RetraceError:
    """Return the error of a name that no solver has: it tells those of the problem, or the problems."""
    like = sorted(other for other in names if other.partition("/")[0] == name.partition("/")[0])
    choices = like or sorted({f"{other.partition('/')[0]}/..." for other in names})
    meant = did_you_mean(name, names)
    return RetraceError(
        f"no solver is called {name or 'nothing'}; {meant}there are {', '.join(choices)}; "
        f"{by_caller('`python -m retrace solvers`', 'retrace.solvers()')} lists all"
    )


def read_settings(spec: str, settings: Settings) -> dict[str, Value]:
    """Return the values of all settings of a solver, by default or as its name gives them.

    Raise RetraceError if it gives one that the solver lacks, one twice, or a value that is not allowed.
    """
    values: dict[str, Value] = {}
    name, _, texts = spec.partition(":")
    for part in texts.split(",") if ":" in spec else []:
        key, _, text = part.partition("=")
        if key not in settings:
            there_are = ", ".join(settings) or "none"
            raise RetraceError(f"{spec}: {name} has no setting {key!r}; there are {there_are}")
        if key in values:
            raise RetraceError(f"{spec}: {key} is given twice; give it once")
        try:
            values[key] = settings[key].parse(key, text)
        except OneLineError as error:
            raise RetraceError(f"{spec}: {error}") from None
    return {**{key: setting.default for key, setting in settings.items()}, **values}


def given(spec: str) -> str:
    """Return what a solver is given: `graph`, or its problem where that is no stored graph."""
    problem = spec.partition("/")[0]
    return problem if problem in WITHOUT_GRAPH else "graph"


def fixed(spec: str) -> str:
    """Return a solver with `sums=fixed`; raise RetraceError if it has no such setting."""
    solver, values = CATALOGUE.parse(spec)
    if "sums" not in solver.settings:
        raise RetraceError(f"{spec}: adds up no scores in fixed point; expected one with the setting sums")
    settings = ",".join(f"{key}={value}" for key, value in {**values, "sums": "fixed"}.items())
    return f"{solver.name}:{settings}"
