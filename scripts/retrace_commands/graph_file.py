"""The graphs that commands read, of any format or stored arrays, and the files that they write."""

import io
import sys
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cuda_device.compiled_files import naming_output
from cuda_device.errors import escaped
from retrace.catalogue.known_solvers import WEIGHTED
from retrace.devices.matrices import rows_of
from retrace.graphs import csr, dense, identity
from retrace.graphs.arc_sets import has_parallel_arcs, is_symmetric
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.formats.lines import LAYOUTS
from retrace.graphs.formats.parsing import parse_stream
from retrace.solvers import find
from retrace.system.errors import RetraceError, say
from retrace.system.files import check_writable, naming_input
from retrace.system.interrupts import doing
from retrace.system.option_words import option
from retrace_commands.edge_lists import may_have_counts, split_rows
from retrace_commands.edge_table import WHOLE, EdgeTable, number, without_isolated
from retrace_commands.file_content import (
    HEAD_BYTES,
    STDIN,
    check_text,
    decoded,
    guessed_encoding,
    open_content,
    read_head,
    read_whole,
)
from retrace_commands.he_files import write_he
from retrace_commands.large_lists import all_comments, hidden_rows, read_large, read_large_table
from retrace_commands.list_comments import compare_counts, read_comments
from retrace_commands.list_doubts import refuse_doubtful_rows
from retrace_commands.parquet_files import is_parquet, read_parquet
from retrace_commands.paths import ArcIds
from retrace_commands.published_formats import read_table
from retrace_commands.recognition import REPORTS, is_in_reports, recognise
from retrace_commands.reverse_arcs import with_reverse_arcs
from retrace_commands.written_formats import WRITERS, write_as

LARGE_LIST = 1 << 20
"""Bytes from which a list of edges is read in pieces."""
Labels = NDArray[np.str_] | Int32Array

TABLES = ("snap", "edges", "parquet")
"""The formats of which columns can be chosen."""
STORED_KIND = "stored"
MERGING = {".mtx": "SciPy adds up", ".graph": "others merge", ".metis": "others merge"}
"""What readers of a format do with parallel arcs, by suffix."""
"""The format of a folder that `csr.save` wrote; its ids count from 0."""


def stage_bar(desc: str) -> Any:
    """Show a description until the block ends, on a terminal only."""
    return tqdm(desc=escaped(desc), bar_format="{desc}", leave=False, disable=None)


@dataclass(frozen=True)
class GraphFile:
    """A graph, and the ids of its vertices in the file, or in the object of a library."""

    graph: CSRGraph
    """The graph; its vertices count from 0."""
    path: Path
    """The file, or the name of the object's class."""
    kind: str
    """The format, `STORED_KIND`, or the library of an object."""
    base: int
    """The smallest vertex id in the file, unless vertices have `names`."""
    notes: tuple[str, ...] = ()
    """What was assumed of the graph, for `print_notes`."""
    names: Sequence[Hashable] | None = None
    """Name of each vertex, where ids are words, or whole numbers with gaps; of a file, each is text."""
    scale: int = 1
    """The graph's weights and distances are those of the file times this."""
    no_weights: str = ""
    """Why the graph has none of the file's weights; empty if it has them, or the file has none."""
    negative: str = ""
    """The place in the file of its first negative weight, and the weight, where it is known."""

    @property
    def has_weights(self) -> bool:
        """Whether the file has weights, be it such as the graph cannot have."""
        return self.graph.weights is not None or bool(self.no_weights)

    def with_notes(self, notes: tuple[str, ...]) -> Self:
        """Return the graph with notes before its own."""
        return replace(self, notes=(*notes, *self.notes))

    def print_notes(self) -> None:
        """Say on standard error, beside a result, what was assumed."""
        for note in self.notes:
            say(f"note: {note}", sys.stderr)

    @property
    def form(self) -> str:
        """The form of the file, in words."""
        return "edge list" if self.kind in ("edges", "snap") else self.kind

    @property
    def ids(self) -> str:
        """What ids in answers are, in words."""
        return f"ids from {self.base}" if self.names is None else "names of the file"

    def label(self, vertex: int) -> str:
        """Return the file's id of a vertex."""
        return str(vertex + self.base if self.names is None else self.names[vertex])

    def labels(self, vertices: Int32Array, role: str = "vertex") -> dict[str, Labels]:
        """Return a column of the file's ids; a negative vertex has none."""
        if self.names is None:
            return {
                f"{role}_from_{self.base}": np.where(vertices < 0, vertices, vertices + np.int32(self.base))
            }
        return {role: np.array([self.label(v) if v >= 0 else "" for v in vertices.tolist()], dtype=np.str_)}

    def vertex(self, name: Hashable, option: str) -> int:
        """Convert an id of the file to one from 0; raise RetraceError if the graph has no such vertex."""
        if self.names is not None:
            if name in self.names:
                return self.names.index(name)
            raise RetraceError(f"{option} {name}: no vertex of {self.path} ({self.form}) has this name")
        last = self.graph.vertices - 1 + self.base
        digits = str(name)
        number = int(digits) if WHOLE.fullmatch(digits) and len(digits) < 20 else -1
        if not self.base <= number <= last:
            expected = f"an id from {self.base} to {last}" if self.graph.vertices else "a graph with vertices"
            raise RetraceError(f"{option} {name}: expected {expected}, as {self.path} ({self.form}) counts")
        return number - self.base


def read_graph(
    path: Path,
    kind: str,
    solver: str | None = None,
    directed: bool | None = None,
    columns: Sequence[str] = (),
) -> GraphFile:
    """Read a graph of any format, or a stored folder; weights matter only to a solver that uses them.

    `directed` overrides what the file says. If neither says anything and some arcs have no reverse, it is
    taken as directed, and a note says so; for scores RetraceError is raised.
    """
    return with_directions(read_as_it_is(path, kind, solver, list(columns)), solver, directed)


def with_directions(
    graph_file: GraphFile,
    solver: str | None,
    directed: bool | None,
) -> GraphFile:
    """Return a graph with the directions that `directed` wants, or else with a note, as `read_graph` does."""
    graph, path = graph_file.graph, graph_file.path
    if directed is not None:
        graph = (
            replace(graph, info={**graph.info, "directed": True}) if directed else with_reverse_arcs(graph)
        )
        return replace(graph_file, graph=graph)
    if "directed" not in graph.info and not is_symmetric(graph):
        reason = f"{path}: some arcs have no reverse, and nothing says whether the graph is directed"
        if solver is not None and solver.startswith("betweenness"):
            assumed = "".join(f" ({note})" for note in graph_file.notes)
            ways = f"say {option('directed')} or {option('undirected')}"
            raise RetraceError(f"{reason}{assumed}, on which scores depend; {ways}")
        note = f"{reason}; it is taken as directed ({option('undirected')} adds the reverse arcs)"
        return replace(graph_file, notes=(*graph_file.notes, note))
    return graph_file


def read_as_it_is(path: Path, kind: str, solver: str | None, columns: list[str]) -> GraphFile:
    """Read a graph as `read_graph` does, with the directions that the file has."""
    with naming_input(path), doing(f"reading {path}"):
        if path != STDIN and path.is_dir():
            refuse_columns(path, STORED_KIND, columns)
            if kind != "auto" or not (path / "graph.json").is_file():
                raise RetraceError(
                    f"{path}: is a folder{'' if kind == 'auto' else ', not a file'}; expected a graph file, "
                    "or a folder with a graph.json, as `stage get-graph` and `convert` write"
                )
            wide = solver is not None and find(solver).wide
            complete = dense.is_complete(identity.stored_info(path))
            graph = rows_of(dense.load(path)) if complete else csr.load(path, True, wide)
            return GraphFile(graph, path, STORED_KIND, 0)
        if kind == "auto":
            kind = "parquet" if is_parquet(path) else recognise(read_head(path), path)
        refuse_columns(path, kind, columns)
        return _read_file(path, kind, solver, columns)


def refuse_columns(path: Path, kind: str, columns: list[str]) -> None:
    """Raise RetraceError if columns are chosen of a format that says what its columns are."""
    if columns and kind not in TABLES:
        chosen = option("columns", *columns)
        raise RetraceError(f"{path}: {chosen}: are those of a list of edges or Parquet, found {kind}")


def _read_file(path: Path, kind: str, solver: str | None, columns: list[str]) -> GraphFile:
    """Read plain files in C++, and what it refuses as a table; weights matter where used."""
    uses_weights = solver is not None and find(solver).problem in WEIGHTED
    negative = not uses_weights or str(solver).startswith("bellman-ford/")
    refusal: RetraceError | None = None
    graph_file: GraphFile | None = None
    if kind in REPORTS and not columns and is_in_reports(kind, read_head(path)):
        try:
            graph_file = _read_plain(path, kind, negative)
        except RetraceError as error:
            refusal = error
    if graph_file is None:
        try:
            graph_file = _read_as_table(path, kind, columns)
        except RetraceError:
            if refusal is None or kind in ("edges", "snap"):
                raise
            raise refusal from None
        if kind in ("edges", "snap"):
            refusal = None  # of what is no such list as the reports have
    graph = graph_file.graph
    check_weights(graph_file, solver, refusal)
    if kind == "matrix-market" and uses_weights and has_parallel_arcs(graph):
        note = f"{path}: entries are repeated: parallel arcs, of which SciPy would add up the weights"
        graph_file = replace(graph_file, notes=(*graph_file.notes, note))
    return replace(graph_file, graph=replace(graph, info={**graph.info, "name": path.name}))


def check_weights(graph_file: GraphFile, solver: str | None, refusal: RetraceError | None = None) -> None:
    """Raise RetraceError, or what was raised before, if a solver cannot use the weights that it needs."""
    if solver is None or find(solver).problem not in WEIGHTED:
        return
    graph, path = graph_file.graph, graph_file.path
    if graph_file.no_weights:
        reason = refusal or f"{path}: {solver} needs weights"
        raise RetraceError(f"{reason}; {graph_file.no_weights}; bfs/queue counts arcs")
    if solver.startswith("bellman-ford/") or not has_negative_weights(graph_file.graph):
        return
    where = graph_file.negative
    if not where:
        assert graph.weights is not None
        arc = int((graph.weights < 0).argmax())
        tail, head = (graph_file.label(int(ends[arc])) for ends in (graph.tails(), graph.indices))
        where = f": the weight {graph.weights[arc] / graph_file.scale:.10g} of the arc from {tail} to {head}"
    raise RetraceError(
        f"{path}{where} is negative, and {solver} takes weights from 0 on; bellman-ford/sequential takes "
        "it, and bfs/queue counts arcs"
    )


def has_negative_weights(graph: CSRGraph) -> bool:
    """Return whether an arc has a weight below 0."""
    return (
        isinstance(graph, CSRGraph) and graph.weights is not None and bool(graph.weights.min(initial=0) < 0)
    )


def _read_plain(path: Path, kind: str, negative: bool) -> GraphFile | None:
    """Read a file of a format of the reports; None if there is more to it."""
    layout = "snap" if kind == "edges" else kind
    with open_content(path) as file:
        size = path.stat().st_size if isinstance(getattr(file, "raw", None), io.FileIO) else None
        description = escaped(f"reading {path}")
        with tqdm.wrapattr(file, "read", total=size, desc=description, leave=False, disable=None) as watched:
            graph = parse_stream(cast(BinaryIO, watched), layout, path, negative=negative, any_sum=True)
    if kind == "matrix-market" and graph.info.get("directed") is False and has_parallel_arcs(graph):
        return None  # a symmetric matrix that has both halves
    if layout != "snap":
        return GraphFile(graph, path, kind, LAYOUTS[kind].base)
    head = read_head(path)
    comments = all_comments(path) if len(head) >= HEAD_BYTES else head
    if kind == "snap" and may_have_counts(head, graph.arcs):
        return None
    if rows := split_rows(head.rpartition("\n")[0], str(path), None):
        if kind == "snap":
            refuse_doubtful_rows(head, rows, str(path))
        width = len(rows[0][1])
        if hidden_rows(comments, width) > hidden_rows(head, width):
            return None  # of which the line is to be told
    told = EdgeTable(str(path))
    announced = read_comments(comments, told)
    arcs = graph.arcs
    graph, names, base = without_isolated(graph)
    if announced is not None:
        compare_counts(told, announced, arcs, graph.vertices)
    if told.directed is False:
        graph = with_reverse_arcs(graph)
    elif told.directed:
        graph = replace(graph, info={**graph.info, "directed": True})
    return GraphFile(graph, path, kind, base, tuple(told.notes), names)


def _read_as_table(path: Path, kind: str, columns: list[str]) -> GraphFile:
    """Read a file of any format: Parquet, a large list of edges in pieces, others whole."""
    table = read_parquet(path, columns) if kind == "parquet" else None
    if kind in ("edges", "snap", "konect", "matrix-market"):
        with open_content(path) as file:
            is_large = len(file.read(LARGE_LIST)) == LARGE_LIST
        is_list = kind in ("edges", "snap")
        if is_large:
            is_asked = kind == "snap" and not columns
            table = read_large(path, columns, is_asked) if is_list else read_large_table(path, kind)
    if table is None:
        with open_content(path) as file:
            content = read_whole(file, path)
        check_text(content, path)
        table = read_table(kind, decoded(content), path, columns)
        table.guessed = guessed_encoding(content)
    made = number(table)
    return GraphFile(
        made.graph, path, kind, made.base, made.notes, made.names, made.scale, made.no_weights, made.negative
    )


def write_graph(
    graph: CSRGraph, path: Path, route: ArcIds | None = None, otherwise: str = "write .mtx"
) -> str:
    """Write a graph, or the arcs of a path in it, as H/E; or a graph as a folder; return the format.

    `otherwise` says what to do of negative weights, which H/E lacks. Raise RetraceError if the graph cannot
    be written, or has no weights for H/E, or the folder holds something else.
    """
    if path.suffix in WRITERS:
        with writing(path):
            return write_as(graph, path)
    if path.suffix == ".he":
        if graph.weights is None:
            hint = f"{graph.name} has none; draw some: `convert --weights`"
            raise RetraceError(f"{path}: H/E needs weights, and {hint}")
        if (graph.weights < 0).any():
            raise RetraceError(f"{path}: H/E has no negative weights, and {graph.name} has some; {otherwise}")
        with writing(path):
            write_he(graph, path, route)
        return "he"
    with writing(path):
        csr.save(replace(graph, info={**graph.info, "name": path.name}), path)
    return STORED_KIND


def losses(graph_file: GraphFile, path: Path) -> list[str]:
    """Say what of a graph is not in the file that is written: names, ids, scale of weights, directions."""
    names, base = graph_file.names, graph_file.base
    counted_from = 1 if path.suffix in WRITERS and path.suffix != ".parquet" else 0
    said = []
    if names is not None:
        first = f": {names[0]} is the first vertex, and so on" if len(names) else ""
        said.append(f"names are not kept{first}")
    elif base != counted_from:
        said.append("ids in it count from 1" if counted_from else f"vertex {base} is now vertex 0, and so on")
    if graph_file.scale != 1 and graph_file.graph.weights is not None:
        said.append(f"weights are those of the file times {graph_file.scale}")
    if path.suffix in WRITERS and path.suffix != ".parquet" and graph_file.graph.info.get("directed") is True:
        said.append("it does not say that the graph is directed: read it with --directed")
    return said


def read_otherwise(graph: CSRGraph, path: Path) -> list[str]:
    """Say how the file of a graph is read as another: as directed, or by others without parallel arcs."""
    said = []
    if path.suffix == ".he" and not graph.info.get("directed") and is_symmetric(graph):
        said.append("it says that the graph is directed: scores of betweenness in it are twice as large")
    if path.suffix in MERGING and has_parallel_arcs(graph):
        said.append(f"it has parallel arcs, which {MERGING[path.suffix]}")
    return said


def write_arcs_of_paths(
    graph_file: GraphFile, graph: CSRGraph, path: Path, route: ArcIds | None = None
) -> None:
    """Write paths as H/E, whose arcs have weight 1 if the graph has none, and note what is lost."""
    ones = graph if graph.weights is not None else replace(graph, weights=np.ones(graph.arcs, np.int32))
    write_graph(ones, path, route, "write .csv or .npy")
    said = losses(graph_file, path) + (["each arc has weight 1"] if graph.weights is None else [])
    if said:
        say(f"note: {path}: {'; '.join(said)}", sys.stderr)


def check_outputs(paths: Iterable[Path], graph: Path | None = None, folders: bool = False) -> None:
    """Raise RetraceError if an output cannot be written, is given twice, or is the graph itself."""
    refusals = {} if graph is None else {graph.resolve(): "is the graph itself, which would be lost"}
    for path in paths:
        if refusal := refusals.get(path.resolve()):
            raise RetraceError(f"{path}: {refusal}; name another file")
        refusals[path.resolve()] = "is to be written twice"
        if folders and path.suffix == "" and path.is_symlink():
            raise RetraceError(f"{path}: is a link, which a folder would replace; name {path.resolve()}")
        into_folder = folders and path.suffix == "" and path.is_dir()
        check_writable(path / "graph.json" if into_folder else path)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Show on a terminal what is written; convert the system's errors to RetraceError."""
    with naming_output(path):
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
        with doing(f"writing {path}"), stage_bar(desc=f"writing {path}"):
            yield


@contextmanager
def stage(task: str) -> Iterator[None]:
    """Show on a terminal what is being done, and say it if Ctrl-C ends it."""
    with doing(task), stage_bar(desc=f"{task} (Ctrl-C ends the command, which has written nothing)"):
        yield
