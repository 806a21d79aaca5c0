"""The graph files that commands read, of any format or stored arrays, and the files that they write."""

import gzip
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from tqdm import tqdm

from cuda_device.compiled_files import naming_output
from cuda_device.errors import escaped
from retrace.devices.matrices import rows_of
from retrace.graphs import csr, dense, identity
from retrace.graphs.arc_sets import is_symmetric, with_reverse_arcs
from retrace.graphs.csr import CSRGraph
from retrace.graphs.formats.he import write_he
from retrace.graphs.formats.lines import LAYOUTS, open_graph
from retrace.graphs.formats.parsing import parse_stream
from retrace.solvers import find
from retrace.system.errors import RetraceError, say
from retrace.system.files import check_writable
from retrace_commands.paths import ArcIds

STORED_KIND = "stored"
"""The format of a folder that `csr.save` wrote; its ids count from 0."""


def stage_bar(desc: str) -> Any:
    """Show a description until the block ends, on a terminal only."""
    return tqdm(desc=escaped(desc), bar_format="{desc}", leave=False, disable=None)


@dataclass(frozen=True)
class GraphFile:
    """A graph, and the ids of its vertices in the file."""

    graph: CSRGraph
    """The graph; its vertices count from 0."""
    path: Path
    kind: str
    """A key of `LAYOUTS`, or `STORED_KIND`."""
    base: int
    """The smallest vertex id in the file."""
    note: str = ""
    """What was assumed of the graph, for `print_note`."""

    def print_note(self) -> None:
        """Say on standard error, beside a result, what was assumed."""
        if self.note:
            say(f"note: {self.note}", sys.stderr)

    def vertex(self, number: int, option: str) -> int:
        """Convert an id of the file to one from 0; raise RetraceError if the graph has no such vertex."""
        last = self.graph.vertices - 1 + self.base
        if not self.base <= number <= last:
            expected = f"an id from {self.base} to {last}" if self.graph.vertices else "a graph with vertices"
            raise RetraceError(f"{option} {number}: expected {expected}, as {self.path} ({self.kind}) counts")
        return number - self.base


def read_graph(path: Path, kind: str, solver: str | None = None, directed: bool | None = None) -> GraphFile:
    """Read a graph of any format, or a stored folder; only solvers of Bellman-Ford get negative weights.

    `directed` overrides what the file says. If neither says anything and some arcs have no reverse, it is
    taken as directed, and its `note` says so; for scores RetraceError is raised.
    """
    graph_file = _read(path, kind, solver)
    graph = graph_file.graph
    if directed is not None:
        graph = (
            replace(graph, info={**graph.info, "directed": True}) if directed else with_reverse_arcs(graph)
        )
        return replace(graph_file, graph=graph)
    if "directed" not in graph.info and not is_symmetric(graph):
        reason = f"{path}: some arcs have no reverse, and nothing says whether the graph is directed"
        if solver is not None and solver.startswith("betweenness"):
            raise RetraceError(f"{reason}, on which scores depend; say --directed or --undirected")
        return replace(
            graph_file, note=f"{reason}; it is taken as directed (--undirected adds the reverse arcs)"
        )
    return graph_file


def _read(path: Path, kind: str, solver: str | None) -> GraphFile:
    negative = solver is not None and solver.startswith("bellman-ford/")
    if path.is_dir():
        if kind != "auto" or not (path / "graph.json").is_file():
            raise RetraceError(
                f"{path}: is a folder{'' if kind == 'auto' else ', not a file'}; expected a graph file, or a "
                "folder with a graph.json, as `stage get-graph` and `convert` write"
            )
        wide = solver is not None and find(solver).wide
        complete = dense.is_complete(identity.stored_info(path))
        graph = rows_of(dense.load(path)) if complete else csr.load(path, negative, wide)
        return GraphFile(graph, path, STORED_KIND, 0)
    known = detect_format(path) if kind == "auto" else kind
    with interruptible(), open_graph(path) as file:
        size = None if isinstance(file, gzip.GzipFile) else path.stat().st_size
        description = escaped(f"reading {path}")
        with tqdm.wrapattr(file, "read", total=size, desc=description, leave=False, disable=None) as watched:
            graph = parse_stream(cast(BinaryIO, watched), known, path, negative=negative)
    graph = replace(graph, info={**graph.info, "name": path.name})
    return GraphFile(graph, path, known, LAYOUTS[known].base)


def detect_format(path: Path) -> str:
    """Return a file's format by its first lines; raise RetraceError if they belong to none."""
    with open_graph(path) as file:
        head = file.read(1 << 16)
    if head.startswith(b"%%MatrixMarket"):
        return "matrix-market"
    lines = [line for line in head.splitlines() if line.split()]
    for line in lines:
        match line.split():
            case [b"p", b"sp", *_]:
                return "dimacs"
            case [b"p", b"tw", *_]:
                return "pace"
            case [b"H", *_]:
                return "he"
            case [first, *rest] if first.startswith(b"#") or (first.isdigit() and len(rest) == 1):
                return "snap"
            case [first, *_] if not first.startswith(b"c"):  # a comment of DIMACS and PACE
                break
    if not lines:
        raise RetraceError(f"{path}: it is empty; say --format, or name another file")
    known, beginning = ", ".join(LAYOUTS), ascii(line.strip()[:60].decode("latin-1"))
    reason = f"{beginning} begins no format among {known}"
    raise RetraceError(f"{path}: {reason}; say --format, or for edges with whole weights, write H/E")


def write_graph(graph: CSRGraph, path: Path, route: ArcIds | None = None) -> str:
    """Write a graph, or the arcs of a path in it, as H/E; or a graph as a folder; return the format.

    Raise RetraceError if it cannot be written, or has no weights for H/E, or the folder holds something else.
    """
    if path.suffix == ".he":
        if graph.weights is None:
            hint = f"{graph.name} has none; draw some: `convert --weights`"
            raise RetraceError(f"{path}: H/E needs weights, and {hint}")
        if (graph.weights < 0).any():
            hint = f"{graph.name} has some; write .csv or .npy"
            raise RetraceError(f"{path}: H/E has no negative weights, and {hint}")
        with writing(path):
            write_he(graph, path, route)
        return "he"
    with writing(path):
        csr.save(replace(graph, info={**graph.info, "name": path.name}), path)
    return STORED_KIND


def check_outputs(paths: Iterable[Path], graph: Path | None = None, folders: bool = False) -> None:
    """Raise RetraceError if an output cannot be written, is given twice, or is the graph itself."""
    refusals = {} if graph is None else {graph.resolve(): "is the graph itself, which would be lost"}
    for path in paths:
        if refusal := refusals.get(path.resolve()):
            raise RetraceError(f"{path}: {refusal}; name another file")
        refusals[path.resolve()] = "is to be written twice"
        into_folder = folders and path.suffix == "" and path.is_dir()
        check_writable(path / "graph.json" if into_folder else path)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Show on a terminal what is written; convert the system's errors to RetraceError."""
    with naming_output(path):
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
        with stage_bar(desc=f"writing {path}"):
            yield


@contextmanager
def stage(task: str) -> Iterator[None]:
    """Show on a terminal what is being done, and let Ctrl-C end it."""
    with interruptible(), stage_bar(desc=task):
        yield


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the program even in C++ code, where Python cannot handle them.

    Not for writing files.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
