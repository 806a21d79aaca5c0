"""What a solver is, and the list of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from retrace.devices.base import Device
from retrace.graphs.csr import UNREACHABLE, Int32Array
from retrace.graphs.dense import Graph
from retrace.graphs.generators import sample_vertices
from retrace.graphs.random import RandomGraph
from retrace.system.errors import RetraceError

Subject = Graph | RandomGraph
"""What is put before a solver: a graph, or, before a generator, what it is to be."""

Setting = int | float | str
"""Value of a solver's own setting, such as its threads a block."""

BLOCK_SIZE = 256
"""Threads a block where a report does not say; Harish and Narayanan's own choice."""


@dataclass(frozen=True)
class Query:
    """What is asked of a graph.

    Attributes
    ----------
    source
        Vertex id, 0-based; betweenness has `sources` instead.
    target
        Vertex id for st-connectivity, else None.
    pair
        Which of the data set's pairs this is: near, far or unreachable.
    sources
        For betweenness: vertex ids, each once; None for all vertices.
    source_seed
        What they were drawn with, if they were.
    """

    source: int = 0
    target: int | None = None
    pair: str | None = None
    sources: tuple[int, ...] | None = None
    source_seed: int | None = None

    @classmethod
    def sampled(cls, vertices: int, count: int, seed: int) -> Query:
        """Ask for a random sample of sources, the same on every machine."""
        drawn = sample_vertices(vertices, count, seed)
        return cls(sources=tuple(drawn.tolist()), source_seed=seed)

    def parameters(self) -> dict[str, int | str]:
        """Tell the query beyond its source, as a record holds it."""
        found = {
            "target": self.target,
            "pair": self.pair,
            "sources": None if self.sources is None else len(self.sources),
            "source_seed": self.source_seed,
        }
        return {key: value for key, value in found.items() if value is not None}


class Solver(ABC):
    """A way to solve a problem. Its four phases are called in order and timed apart.

    A solver answers with int32: the level or distance of each vertex, shape (vertices,), or, for
    st-connectivity, the number of arcs from source to target, shape (1,); `UNREACHABLE` without a path.
    Betweenness is float64, shape (vertices,).
    """

    name: ClassVar[str]
    """Problem and variant, such as `bfs/bsp`."""
    implements: ClassVar[str]
    """Report and algorithm, or the library call."""
    sources: ClassVar[tuple[str, ...]] = ()
    """Kernel files, from `kernels/` on."""
    backends: ClassVar[tuple[str, ...]] = ("host",)
    defaults: ClassVar[Mapping[str, Setting]] = {}
    """The solver's own settings; `make` lays those that are asked for over them."""
    parameters: Mapping[str, Setting] = MappingProxyType({})
    """The settings of this solver, as a record holds them."""

    def __init_subclass__(cls) -> None:
        """Let a solver that was not made by `make` have its defaults."""
        cls.parameters = cls.defaults

    @abstractmethod
    def setup(self, graph: Any) -> None:
        """Load code and, for a library, make its own graph object. Not part of `total`.

        The graph is a `CSRGraph`, or, for Bellman-Ford, perhaps a `DenseGraph`;
        for a generator, a `RandomGraph`.
        """

    def upload(self, query: Query) -> None:  # noqa: B027 - the host has nothing to send
        """Send the graph and create and initialise the working arrays."""

    @abstractmethod
    def solve(self, query: Query) -> int | None:
        """Iterate to the end; returns the number of iterations if the solver counts them."""

    @abstractmethod
    def download(self) -> Any:
        """Fetch the answer, an array as said above; a generator's is a `CSRGraph`."""

    def observed(self) -> dict[str, float]:
        """Tell what else a record should hold of the last solve, such as how many arcs were relaxed."""
        return {}

    def predecessors(self) -> Int32Array | None:
        """Fetch each vertex's predecessor, -1 where it has none; None from a solver without them."""
        return None

    def declines(self, query: Query) -> str | None:
        """Say why this solver cannot be asked this, or None if it can."""
        return None

    def prefers_all(self, query: Query) -> bool:
        """Tell whether this solver does better if it is asked for all of a query at once."""
        return False

    def predict_seconds(self, query: Query) -> float | None:
        """Predict the time of `solve` from a small part of it, or None where it is surely short."""
        return None


class DeviceSolver(Solver):
    """A solver written against the device interface: the same on CUDA and on the emulator.

    One that sends the graph as it is says what else it allocates in `bytes_per_vertex`; one that does not
    may replace `memory_bytes`.
    """

    backends = ("cuda", "emulator")
    defaults: ClassVar[Mapping[str, Setting]] = {"block_size": BLOCK_SIZE}
    bytes_per_vertex: ClassVar[int | None] = None

    def __init__(self, device: Device) -> None:
        self.device = device

    def memory_bytes(self, graph: Any) -> int:
        """Predict the device memory that all phases take together; 0 where it is not known.

        Called before `setup`: a graph that does not fit is skipped.
        """
        if self.bytes_per_vertex is None:
            return 0
        arrays_of_arcs = 2 if self.name.startswith("sssp/") else 1
        vertices, arcs = int(graph.vertices), int(graph.arcs)
        return 4 * (vertices + 1 + arrays_of_arcs * arcs) + self.bytes_per_vertex * vertices

    @property
    def block_size(self) -> int:
        """Threads a block."""
        return int(self.parameters["block_size"])

    def grid(self, threads: int) -> int:
        """Blocks that hold this many threads, at least one."""
        return max(1, -(-threads // self.block_size))


@dataclass
class Registry:
    """All solvers by name."""

    solvers: dict[str, type[Solver]] = field(default_factory=dict)

    def add(self, solver: type[Solver]) -> type[Solver]:
        """Class decorator: make a solver known by its name."""
        if solver.name in self.solvers:
            raise ValueError(f"two solvers are called {solver.name}")
        self.solvers[solver.name] = solver
        return solver

    def find(self, spec: str) -> type[Solver]:
        """Look a solver up; settings after its name are left aside.

        Raises
        ------
        RetraceError
            If there is none of that name.
        """
        name = spec.partition(":")[0]
        if name not in self.solvers:
            problem = name.split("/")[0]
            like = [solver.name for solver in self.of_problem(problem)]
            problems = dict.fromkeys(f"{known.split('/')[0]}/..." for known in self.solvers)
            raise RetraceError(
                f"no solver is called {name or 'nothing'}; there are {', '.join(sorted(like or problems))}; "
                "`python -m retrace solvers` lists all"
            )
        return self.solvers[name]

    def of_problem(self, problem: str) -> list[type[Solver]]:
        """All solvers of one problem, in the order they were added."""
        return [solver for name, solver in self.solvers.items() if name.split("/")[0] == problem]


REGISTRY = Registry()

GENERATORS = Registry()
"""Solvers whose answer is a graph: they are given a `RandomGraph`, and not asked about a graph."""


def find(spec: str) -> type[Solver]:
    """Look up a solver or a generator; settings after its name are left aside.

    Raises
    ------
    RetraceError
        If there is none of that name.
    """
    return (GENERATORS if spec.startswith("generate/") else REGISTRY).find(spec)


def parse(spec: str) -> tuple[type[Solver], dict[str, Setting]]:
    """Read a solver's name and settings, such as `betweenness/vert:blocks=132,block_size=512`.

    Raises
    ------
    RetraceError
        If there is no such solver, it has no such setting, one is given twice, or a value is not of the
        default's type, or a number too small or too large.
    """
    solver = find(spec)
    settings: dict[str, Setting] = dict(solver.defaults)
    given: set[str] = set()
    for part in spec.split(":", 1)[1].split(",") if ":" in spec else []:
        key, _, text = part.partition("=")
        if key not in settings:
            there_are = ", ".join(settings) or "none"
            raise RetraceError(f"{spec}: {solver.name} has no setting {key!r}; there are {there_are}")
        try:
            settings[key] = type(settings[key])(text)
        except ValueError:
            kind = type(settings[key]).__name__
            raise RetraceError(f"{spec}: {key}: {text!r} is not {KINDS[kind]}") from None
        if key in given:
            raise RetraceError(f"{spec}: {key} is given twice; give one")
        given.add(key)
        value, least = settings[key], int(key not in MAY_BE_ZERO)
        if isinstance(value, int) and not least <= value < UNREACHABLE:
            raise RetraceError(f"{spec}: {key} is {value}, expected from {least} to {UNREACHABLE - 1}")
    return solver, settings


MAY_BE_ZERO = ("blocks", "batch", "streams")
"""Settings that do without, or choose by themselves, at 0."""

KINDS = {"int": "an integer", "float": "a number"}


def make(spec: str, device: Device | None = None) -> Solver:
    """Create a solver from its name and settings; one that runs on a device needs it."""
    kind, settings = parse(spec)
    if issubclass(kind, DeviceSolver):
        if device is None:
            raise ValueError(f"{kind.name} needs a device")
        solver: Solver = kind(device)
    else:
        solver = kind()
    solver.parameters = settings
    return solver
