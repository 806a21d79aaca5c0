"""What a solver is: the base classes of all solvers, their registries, and how a name makes one."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from cuda_device.errors import LacksError
from cuda_device.gpu_limits import GPULimits, Needs
from cuda_device.host_loop import HostLoop, Repeated
from cuda_device.interface import MAX_THREADS, Buffer, Device, Dim, Kernel, Module, PackedLaunch
from retrace.catalogue.known_solvers import CATALOGUE, PROBLEMS, KnownSolver, read_settings, unknown_solver
from retrace.catalogue.setting import LOOP, Setting, Settings, Value
from retrace.devices.host import c_graph, host_function, loaded_library, pointer
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.graphs.random import RandomGraph
from retrace.system.errors import RetraceError
from retrace.system.project import KERNELS, kernel_name, with_headers
from retrace.system.solver_packages import import_solvers, is_of_package, kernels_of

WARP = 32
"""Threads of a warp, which are its lanes."""
BLOCK_SIZE = 256
"""Threads in a block where a report does not state them; Harish and Narayanan's own choice."""
WIDE = ("WIDE",)
"""What is defined where kernels are compiled for offsets of 64 bits: kernels/offset.h."""
SPOILT = 119
"""What an answer is filled with that a further search should find anew."""


class Sources:
    """A solver class's kernel files: those that it names, and the headers that they include."""

    def __get__(self, solver: object, kind: type[Solver]) -> tuple[str, ...]:
        return with_headers(kind.source, *kind.more_sources) if kind.source else ()


class KernelFolder:
    """The folder of a solver class's kernel files: what its package names as `kernels`, or `kernels/`."""

    def __get__(self, solver: object, kind: type[Solver]) -> Path:
        return kernels_of(kind.__module__) or KERNELS


class Solver(ABC):
    """A way to solve a problem. Its four phases are called in order and timed separately.

    A solver returns int32: the level or distance of each vertex, shape (vertices,), or, for st-connectivity,
    the number of arcs from source to target, shape (1,); `UNREACHABLE` where there is no path. Betweenness is
    float64, shape (vertices,). A generator returns a `CSRGraph`, a solver of `limits` uint64, shape (3,).
    """

    name: ClassVar[str]
    """Problem and variant, such as `bfs/bsp`."""
    problem: ClassVar[str]
    """The first half of the name."""
    variant: ClassVar[str]
    """The second half of the name."""
    implements: ClassVar[str]
    """Report and algorithm, or the library call."""
    kernel_folder = KernelFolder()
    """Its kernel files include others by paths from there or from `kernels/`."""
    source: ClassVar[str] = ""
    """Its kernel file, a path in `kernel_folder` or `kernels/`, where it is not the one of its name."""
    more_sources: ClassVar[tuple[str, ...]] = ()
    """Further files that are compiled separately and loaded by the solver."""
    sources = Sources()
    backends: ClassVar[tuple[str, ...]] = ("host",)
    needs: ClassVar[Needs] = Needs()
    """What it needs of a GPU that some lack."""
    settings: ClassVar[Settings] = {}
    """What can be set after the solver's name, such as `bfs/bsp:block_size=64`."""
    defaults: ClassVar[Mapping[str, Value]] = {}
    former_settings: ClassVar[tuple[str, ...]] = ()
    """Settings that it has no longer, and records have."""
    at_most: ClassVar[Mapping[str, int]] = {}
    """What a machine's settings give this solver at most, where that is less than the setting's bound."""
    parameters: Mapping[str, Value] = MappingProxyType({})
    """The values of all settings of this solver, as a record stores them."""
    wide: ClassVar[bool] = False
    """Whether it takes graphs of more arcs than 32-bit offsets count."""
    apart: ClassVar[bool] = False
    """Whether it is measured in a process of its own, where no other library's threads delay its own."""
    calls_library: ClassVar[bool] = False
    """Whether it is a call of a library, and not a program of this project."""
    page_locks: ClassVar[bool] = False
    """Whether `upload` page-locks memory as large as the graph, which is timed as `lock`, off the clock."""
    repeats: bool = False
    """Whether `begin_again` and `solve` may follow a `download`, as often as wanted."""
    answer_in: ClassVar[tuple[str, ...]] = ("answer",)
    """The attributes that `solve` leaves its answer in."""
    ends_on_host: bool = False
    """Whether the last `solve` finished on the host; nothing to synchronise."""
    predecessor: Int32Array | None = None

    def __init_subclass__(cls) -> None:
        """Derive what follows from the name and the settings; register a solver of an installed package.

        A class that derives more of what its subclasses declare does so before it calls this one.
        """
        cls.parameters = cls.defaults = {key: setting.default for key, setting in cls.settings.items()}
        if cls.kernel_folder != KERNELS:
            cls.source = cls.file_named(cls.source) if cls.source else ""
            cls.more_sources = tuple(map(cls.file_named, cls.more_sources))
        if "name" in vars(cls):
            cls.problem, _, cls.variant = cls.name.partition("/")
            if cls.problem not in PROBLEMS:
                raise RetraceError(
                    f"{cls.__name__}: name: {cls.name!r}, expected {' or '.join(PROBLEMS)}/..."
                )
            if cls.__module__.startswith("retrace.solvers.") or is_of_package(cls.__module__):
                REGISTRIES.get(cls.problem, REGISTRY).add(cls)

    @classmethod
    def file_named(cls, name: str) -> str:
        """Return what a device loads a file by: its path in `kernels/`, or an absolute one outside.

        Raise RetraceError if it is in neither folder.
        """
        for folder in (cls.kernel_folder.resolve(), KERNELS):
            if (file := folder / name).is_file():
                return kernel_name(file)
        folders = f"{cls.kernel_folder} or {KERNELS}"
        raise RetraceError(f"{cls.__name__}: there is no {name} in {folders}; check source and more_sources")

    @classmethod
    def as_known(cls) -> KnownSolver:
        """Return what the class declares, without its code."""
        return KnownSolver(
            cls.name, cls.implements, cls.__module__, cls.backends, cls.source, cls.more_sources,
            dict(cls.settings), dict(cls.at_most), cls.needs, cls.calls_library, cls.page_locks,
            cls.former_settings,
        )  # fmt: skip

    @classmethod
    def unavailable(cls) -> str | None:
        """Return why this computer cannot run the solver, which is then skipped; None if it can."""
        return None

    @classmethod
    def missing_from(cls, limits: GPULimits) -> str | None:
        """Return what a GPU lacks that the solver needs, which is then skipped; None if it lacks nothing."""
        return cls.needs.missing_from(limits)

    @classmethod
    def sources_on(cls, limits: GPULimits) -> tuple[str, ...]:
        """Return those of `sources` that a GPU of such limits uses."""
        return () if cls.missing_from(limits) else cls.sources

    @classmethod
    def exceeded_by(cls, graph: Any) -> str | None:
        """Return why a graph has too many arcs for the solver's 32-bit offsets; None if it has not."""
        if cls.wide or not isinstance(graph, CSRGraph | RandomGraph) or graph.arcs <= csr.MOST_ARCS:
            return None
        rivals = REGISTRIES.get(cls.problem, REGISTRY).of_problem(cls.problem)
        larger = " or ".join(kind.name for kind in rivals if kind.wide)
        instead = f"use {larger}" if larger else f"no solver of {cls.problem} takes more"
        return (
            f"the graph has {graph.arcs} arcs, expected at most {csr.MOST_ARCS} (32-bit offsets); {instead}"
        )

    def number(self, key: str) -> int:
        return int(self.parameters[key])

    @property
    def finds_predecessors(self) -> bool:
        """Whether the setting asks for predecessors."""
        return self.parameters.get("predecessors") == "yes"

    @abstractmethod
    def setup(self, graph: Any) -> None:
        """Load code and, for a library, build its own graph object. Not part of `total`.

        `graph` is a `CSRGraph`; Bellman-Ford also takes a `DenseGraph`, a generator a `RandomGraph`, and a
        solver of `limits` a `NoGraph`.
        """

    def tune(self, query: Query, chosen: Mapping[str, float]) -> None:  # noqa: B027 - most have no choice
        """Choose what is fastest on the graph, or what an earlier process observed to have `chosen`."""

    def upload(self, query: Query) -> None:  # noqa: B027 - a solver on the host has nothing to send
        """Send the graph, and allocate and initialise the working arrays."""

    @abstractmethod
    def solve(self, query: Query) -> int | None:
        """Compute the answer; return the number of iterations if the solver counts them."""

    @abstractmethod
    def download(self) -> Any:
        """Return the answer."""

    def begin_again(self, query: Query) -> None:  # noqa: B027 - most begin anew in `solve`
        """Prepare a further `solve` on the graph in place, of this query, where `solve` needs it."""

    def forget(self) -> None:
        """Spoil the last answer, so that a further `solve` that finds none does not go unnoticed."""
        for name in self.answer_in:
            vars(self).pop(name, None)

    def observed(self) -> dict[str, float]:
        """Return what else a record should store about the last solve, such as the number of searches."""
        return {}

    def predecessors(self) -> Int32Array | None:
        """Return each vertex's predecessor, -1 if it has none; None from a solver that computes none."""
        return self.predecessor

    def found_predecessors(self) -> Int32Array | None:
        """Return predecessors only if `solve` has found them."""
        return self.predecessors()

    def declines(self, query: Query) -> str | None:
        """Return why this solver cannot answer a query, or None if it can."""
        return None

    def prefers_all(self, query: Query) -> bool:
        """Return whether this solver is faster if a query is not split into batches."""
        return False

    def predict_seconds(self, query: Query) -> float | None:
        """Predict the time of `solve` from a small part of it; return None where it is surely short."""
        return None


@dataclass
class Registry:
    """Solvers by name, in the order they were added."""

    registered: dict[str, type[Solver]] = field(default_factory=dict)
    """Those whose modules were imported."""

    @property
    def solvers(self) -> dict[str, type[Solver]]:
        """Return all, with those of packages."""
        import_solvers()
        return self.registered

    def add(self, solver: type[Solver]) -> type[Solver]:
        """Register a solver class under its name; those of installed packages do it themselves."""
        if solver.name in self.registered:
            raise ValueError(f"two solvers are called {solver.name}")
        self.registered[solver.name] = solver
        CATALOGUE.add(solver.as_known())
        return solver

    def find(self, spec: str) -> type[Solver]:
        """Return the solver class of a name without its settings; raise RetraceError if there is none."""
        name = spec.partition(":")[0]
        if solver := self.registered.get(name) or self.solvers.get(name):
            return solver
        known = CATALOGUE.listed.get(name)
        raise RetraceError(known.lack) if known and not known.is_there else unknown_solver(name, self.solvers)

    def of_problem(self, problem: str) -> list[type[Solver]]:
        return [solver for solver in self.solvers.values() if solver.problem == problem]


REGISTRY = Registry()

GENERATORS = Registry()
"""Solvers whose answer is a graph: they take a `RandomGraph` instead of a graph and a query."""

LIMITS = Registry()
"""Solvers that measure the machine itself: they take no graph."""

REGISTRIES = {"generate": GENERATORS, "limits": LIMITS}
"""By problem, where it is not `REGISTRY`."""


class HostSolver(Solver):
    """A C++ function of `kernels/host/`: file and function have the solver's name, `bfs_queue` for bfs/queue.

    Arguments are converted to C++ types in `setup`, which leaves a microsecond of the call itself in `solve`.
    """

    symbol: ClassVar[str]
    ends_on_host = True
    repeats = True

    def __init_subclass__(cls) -> None:
        """Take the C++ file of the solver's name if there is one, and else that of its base."""
        if "name" in vars(cls):
            file = f"host/{cls.name.replace('/', '_').replace('-', '_')}.cpp"
            if "source" not in vars(cls) and (cls.kernel_folder / file).is_file():
                cls.source = file
            cls.symbol = PurePath(cls.source).stem
        super().__init_subclass__()

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.c_graph = c_graph(graph)
        self.function = host_function(self.source, self.symbol)
        self.allocate_answer(graph.vertices)

    def allocate_answer(self, size: int, dtype: type[np.number[Any]] = np.int32) -> None:
        """Allocate the array that the function fills."""
        self.answer: NDArray[Any] = np.empty(size, dtype)
        self.c_answer = pointer(self.answer)

    def forget(self) -> None:
        self.answer.fill(SPOILT)

    def solve(self, query: Query) -> int:
        return int(self.function(self.c_graph, query.source, self.c_answer))

    def download(self) -> NDArray[Any]:
        return self.answer


class DeviceSolver(Solver):
    """A solver written against the device interface: the same code runs on CUDA and on the emulator.

    A solver that sends the CSR arrays as they are declares in `bytes_per_vertex` what else it allocates; any
    other overrides `memory_bytes`.
    """

    backends = ("cuda", "emulator")
    settings: ClassVar[Settings] = {"block_size": Setting(BLOCK_SIZE, "threads in a block", most=MAX_THREADS)}
    bytes_per_vertex: ClassVar[int | None] = None
    answer_in: ClassVar[tuple[str, ...]] = ("answer", "level", "label", "distance", "score")

    def __init_subclass__(cls) -> None:
        """Take the kernel file of the solver's name if there is one, and else that of its base."""
        file = f"{vars(cls).get('name')}.cu"
        if "source" not in vars(cls) and (cls.kernel_folder / file).is_file():
            cls.source = file
        super().__init_subclass__()

    def __init__(self, device: Device) -> None:
        self.device = device

    def memory_bytes(self, graph: Any) -> int:
        """Predict the device memory of all phases in bytes, before `setup`; 0 where it is not known."""
        if self.bytes_per_vertex is None:
            return 0
        arrays_of_arcs = 2 if self.problem == "sssp" else 1
        vertices, arcs = int(graph.vertices), int(graph.arcs)
        return 4 * (vertices + 1 + arrays_of_arcs * arcs) + self.bytes_per_vertex * vertices

    def forget(self) -> None:
        for name in self.answer_in:
            buffers = vars(self).get(name, [])
            for buffer in buffers if isinstance(buffers, list) else [buffers]:
                self.device.fill(buffer, SPOILT)

    def load_host_files(self) -> None:
        """Load the C++ files that `upload` calls, so that no trial does."""
        for source in self.more_sources:
            if PurePath(source).parent.name == "host":
                loaded_library(source)

    def load_for(self, graph: CSRGraph, source: str) -> Module:
        """Load a kernel file that is compiled for the offsets of a graph."""
        return self.device.load(source, WIDE if graph.is_wide else ())

    def load_kernels(self, *names: str) -> list[Kernel]:
        if not self.source:
            raise RetraceError(
                f"{self.name}: there is no {self.name}.cu in {self.kernel_folder}; write it there"
            )
        module = self.device.load(self.source)
        return [module.kernel(name) for name in names]

    @property
    def block_size(self) -> int:
        return self.number("block_size")

    def require_whole_warps(self) -> None:
        """Raise RetraceError if the last warp of a block would lack threads."""
        if self.block_size % WARP:
            asked = f"{self.name}: block_size is {self.block_size}"
            raise RetraceError(f"{asked}, expected a multiple of {WARP}")

    def pack(self, kernel: Kernel, grid: Dim | None, *arguments: Any, shared: int = 0) -> PackedLaunch:
        """Return a launch for a loop, of the solver's blocks; without a grid, of as many as were counted."""
        return kernel.with_arguments(grid, self.block_size, *arguments, shared=shared, cooperative=False)

    def repeat(self, loop: HostLoop) -> Repeated:
        """Execute a loop, in C++ if the setting says so."""
        in_cpp = self.parameters.get("loop") == "c++"
        return self.device.repeat(loop) if in_cpp else loop.in_python(self.device)

    def grid(self, threads: int) -> int:
        """Return the number of blocks that hold this many threads, at least one."""
        return max(1, -(-threads // self.block_size))

    def arrays_of(self, graph: CSRGraph) -> list[Int32Array]:
        """Return `indptr` and `indices`, and the weights if the problem has any."""
        if self.problem != "sssp":
            return [graph.indptr, graph.indices]
        assert graph.weights is not None
        return [graph.indptr, graph.indices, graph.weights]

    def upload_arcs(self, graph: CSRGraph) -> list[Buffer]:
        """Copy the arrays of a graph to the device."""
        return [self.device.upload(array) for array in self.arrays_of(graph)]


class BulkSynchronous(DeviceSolver):
    """Two kernels an iteration: one proposes updates, one applies them and sets a flag that the host reads.

    P. Harish and P. J. Narayanan, "Accelerating large graph algorithms on the GPU using CUDA", HiPC 2007.
    """

    settings: ClassVar[Settings] = {**DeviceSolver.settings, **LOOP}
    repeats = True
    kernels: ClassVar[tuple[str, str]]
    """The names of the two kernels in `source`."""
    answer: Buffer
    loop: HostLoop

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.first, self.second = self.load_kernels(*self.kernels)

    def alternate(self, of_first: Sequence[Any], of_second: Sequence[Any], more: Buffer) -> None:
        """Make the loop of both kernels, each with its arguments, and the flag: the last step of `upload`."""
        grid = self.grid(self.graph.vertices)
        launches = [self.pack(self.first, grid, *of_first), self.pack(self.second, grid, *of_second, more)]
        self.loop = HostLoop(rounds=[launches], state=more, seen=np.ones(1, np.int32), clears=True)

    def solve(self, query: Query) -> int:
        return self.repeat(self.loop).iterations

    def download(self) -> Int32Array:
        return self.device.download(self.answer)


def only(vertex: int, graph: CSRGraph) -> NDArray[np.bool_]:
    """Return a mask in which one vertex is set, shape (vertices,)."""
    mask = np.zeros(graph.vertices, dtype=np.bool_)
    mask[vertex] = True
    return mask


def unreached(graph: CSRGraph, source: int) -> Int32Array:
    """Return initial lengths, shape (vertices,), int32: 0 at the source, else `UNREACHABLE`."""
    lengths = np.full(graph.vertices, UNREACHABLE, dtype=np.int32)
    lengths[source] = 0
    return lengths


def fill_but_one(device: Device, buffer: Buffer, value: int, index: int, other: int) -> None:
    """Set all elements of a buffer on the device, and one of them to another value from the host."""
    device.fill(buffer, value)
    device.write(device.view(buffer, index, 1), np.array([other], dtype=buffer.dtype))


def seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def seconds_on(solver: Solver, small: Any) -> float:
    """Return the seconds in which a fresh solver solves a small graph from vertex 0."""
    solver.setup(small)
    solver.upload(Query(0))
    return seconds_of(lambda: solver.solve(Query(0)))


def find(spec: str) -> type[Solver]:
    """Return the class of a solver of any registry; raise RetraceError if there is none of that name."""
    return REGISTRIES.get(spec.partition("/")[0], REGISTRY).find(spec)


def parse(spec: str) -> tuple[type[Solver], dict[str, Value]]:
    """Return the class of a solver, and the values of all its settings, by default or as given.

    Raise RetraceError as `Catalogue.parse` does.
    """
    solver = find(spec)
    return solver, read_settings(spec, solver.settings)


def make(spec: str, device: Device | None = None) -> Solver:
    """Create a solver from its name and settings, on an open device if it needs one.

    Raise LacksError if the device lacks what the solver needs.
    """
    kind, parameters = parse(spec)
    if "host" in kind.backends:
        solver = kind()
    elif device is None:
        raise ValueError(f"{kind.name} needs a device")
    elif (missing := kind.missing_from(device.limits)) is not None:
        raise LacksError(f"{kind.name}: {missing}")
    else:
        solver = cast(type[DeviceSolver], kind)(device)
    solver.parameters = parameters
    return solver


def all_solvers() -> list[type[Solver]]:
    """Return the classes of all registries, with those of packages outside."""
    return [kind for registry in (REGISTRY, GENERATORS, LIMITS) for kind in registry.solvers.values()]
