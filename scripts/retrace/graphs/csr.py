"""The graph type of all solvers: compressed sparse rows of 32-bit integers; offsets have 64 if need be."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from cuda_device.compiled_files import naming_output
from retrace.graphs.identity import naming_folder, plain_file, stored_info, write_identity
from retrace.system.errors import RetraceError
from retrace.system.interrupts import writing_whole

Int32Array = NDArray[np.int32]

MOST_ARCS = 2**31 - 1
"""Most arcs that 32-bit offsets count; `indptr` of a graph of more has 64 bits."""

ARRAYS = ("indptr", "indices", "weights")
"""The arrays of a graph, in the order of its digest."""

STORED = {"graph.json", ".snakemake_timestamp", *(f"{name}.npy" for name in ARRAYS)}
"""Files of a stored graph's folder; the second is Snakemake's."""

ARCS_AT_A_TIME = 1 << 20
"""Number of arcs in a block of `CSRGraph.blocks`; arrays of this size fit in a processor's cache."""


def offset_type(arcs: int) -> type[np.signedinteger[Any]]:
    """Return the type of `indptr` of a graph of so many arcs: int32, or int64 beyond `MOST_ARCS`."""
    return np.int32 if arcs <= MOST_ARCS else np.int64


@dataclass(frozen=True)
class CSRGraph:
    """A directed graph as compressed sparse rows (CSR); an undirected graph holds each edge as two arcs.

    Parallel arcs and self-loops are kept. The arcs of a vertex keep the order of their file. Arrays that have
    the wrong type or do not fit together raise TypeError or ValueError.
    """

    indptr: NDArray[np.signedinteger[Any]]
    """Shape (vertices + 1,), `offset_type`: vertex u has the arcs `indptr[u]` to `indptr[u + 1] - 1`."""
    indices: Int32Array
    """Shape (arcs,): head of each arc."""
    weights: Int32Array | None = None
    """Shape (arcs,): weight of each arc; None for a graph without weights."""
    info: dict[str, Any] = field(default_factory=dict, compare=False)
    """Identity for records, such as name, origin, edition and seed."""

    def __post_init__(self) -> None:
        for name in ARRAYS:
            array = getattr(self, name)
            expected = np.dtype(offset_type(self.indices.size) if name == "indptr" else np.int32)
            if array is not None and (array.dtype != expected or array.ndim != 1):
                raise TypeError(
                    f"{name} must be a one-dimensional {expected} array, not {array.dtype} {array.shape}"
                )
        if len(self.indptr) == 0 or self.indptr[0] != 0 or self.indptr[-1] != len(self.indices):
            raise ValueError("indptr must start at 0 and end at the number of arcs")
        if self.weights is not None and len(self.weights) != len(self.indices):
            raise ValueError("weights must have one entry per arc")

    @property
    def vertices(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def arcs(self) -> int:
        """Number of arcs; each parallel arc counts."""
        return len(self.indices)

    @property
    def is_wide(self) -> bool:
        """Whether `indptr` has 64 bits, which few solvers take."""
        return bool(self.indptr.dtype == np.int64)

    @property
    def memory_bytes(self) -> int:
        """Size of the arrays in bytes."""
        return sum(array.nbytes for array in (self.indptr, self.indices, self.weights) if array is not None)

    @property
    def name(self) -> str:
        """Name of the graph in records; `graph` if it has none."""
        return str(self.info.get("name", "graph"))

    def degrees(self) -> NDArray[np.signedinteger[Any]]:
        """Return the out-degree of each vertex, shape (vertices,)."""
        return np.diff(self.indptr)

    def tails(self) -> Int32Array:
        """Return the tail of each arc, shape (arcs,)."""
        return np.repeat(np.arange(self.vertices, dtype=np.int32), self.degrees())

    def blocks(self) -> Iterator[tuple[Int32Array, slice]]:
        """Yield all arcs in order, in blocks of whole vertices: their tails, and their slice of `indices`.

        A block has about `ARCS_AT_A_TIME` arcs, to keep temporary arrays small; one vertex may have more.
        """
        first = 0
        while first < self.vertices:
            begin = int(self.indptr[first])
            limit = min(begin + ARCS_AT_A_TIME, self.arcs)
            after = int(np.searchsorted(self.indptr, self.indptr.dtype.type(limit), side="right")) - 1
            after = min(max(after, first + 1), self.vertices)
            degrees = np.diff(self.indptr[first : after + 1])
            tails = np.repeat(np.arange(first, after, dtype=np.int32), degrees)
            yield tails, slice(begin, int(self.indptr[after]))
            first = after

    def reversed(self) -> CSRGraph:
        """Return the graph with every arc reversed; the graph itself if `info` says that it is undirected.

        The arcs of a vertex are in the order of their other ends. It takes O(vertices + arcs) time.
        """
        if self.info.get("directed") is False:
            return self
        values = np.zeros(self.arcs, dtype=np.int8) if self.weights is None else self.weights
        columns = self.to_scipy(values).tocsc()
        indptr = columns.indptr.astype(self.indptr.dtype, copy=False)
        indices = columns.indices.astype(np.int32, copy=False)
        return CSRGraph(indptr, indices, None if self.weights is None else columns.data, self.info)

    def to_scipy(self, values: NDArray[Any] | None = None) -> scipy.sparse.csr_array[Any]:
        """Return the adjacency matrix with one value per arc, by default 1.0; parallel arcs stay apart."""
        values = np.ones(self.arcs) if values is None else values
        return scipy.sparse.csr_array((values, self.indices, self.indptr), shape=(self.vertices,) * 2)

    def digest(self) -> str:
        """Return the sha256 of the arrays (names, sizes, little-endian): the graph's identity in records."""
        sha = hashlib.sha256()
        for name in ARRAYS:
            array = getattr(self, name)
            if array is not None:
                sha.update(f"{name} {len(array)}\n".encode())
                sha.update(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data)
        return sha.hexdigest()


def from_arcs(
    vertices: int,
    tails: NDArray[np.integer[Any]],
    heads: NDArray[np.integer[Any]],
    weights: NDArray[np.integer[Any]] | None = None,
    info: dict[str, Any] | None = None,
) -> CSRGraph:
    """Build a graph from arrays of shape (arcs,) with 0-based ids; the arcs of a vertex keep their order."""
    order = np.argsort(tails, kind="stable")
    indptr = np.zeros(vertices + 1, dtype=np.int64)
    np.cumsum(np.bincount(tails, minlength=vertices), out=indptr[1:])
    return CSRGraph(
        indptr.astype(offset_type(len(heads))),
        heads[order].astype(np.int32),
        None if weights is None else weights[order].astype(np.int32),
        info or {},
    )


def save(graph: CSRGraph, folder: Path) -> None:
    """Write a graph into `folder`, which appears complete; raise RetraceError if it cannot be written."""
    info = {**graph.info, "vertices": graph.vertices, "arcs": graph.arcs, "sha256": graph.digest()}
    save_folder(folder, info, {name: getattr(graph, name) for name in ARRAYS})


def save_missing(info: dict[str, Any], reason: str, folder: Path) -> None:
    """Write only the identity of a graph, and the reason why the graph does not exist."""
    save_folder(folder, {**info, "sha256": None, "missing": reason}, {})


def load(folder: Path, negative: bool = False, wide: bool = False) -> CSRGraph:
    """Memory-map a graph that `save` wrote, and check that its arrays are a graph and the one that was saved.

    Raises RetraceError if they are not, if there is only the reason why the graph was not made, if a weight
    is negative though `negative` is false, or if offsets have 64 bits though `wide` is false.
    """
    info = stored_info(folder)
    if "missing" in info:
        raise RetraceError(f"{folder}: the graph was not made: {info['missing']}")
    if not wide and info["arcs"] > MOST_ARCS:
        reason = f"{folder}: the graph has {info['arcs']} arcs, expected at most {MOST_ARCS} (32-bit offsets)"
        raise RetraceError(f"{reason}; bfs/auto, sssp/auto and betweenness/auto take more")
    with naming_folder(folder):
        names = [name for name in ARRAYS if name != "weights" or (folder / "weights.npy").exists()]
        arrays = {name: open_memmap(plain_file(folder / f"{name}.npy"), mode="r") for name in names}
        graph = CSRGraph(**arrays, info=info)
        _check(graph)
        if graph.weights is not None and not negative and graph.arcs and graph.weights.min() < 0:
            raise ValueError("a weight is negative, which only bellman-ford takes")
        return graph


def _check(graph: CSRGraph) -> None:
    """Raise ValueError if kernels would read outside the arrays, or if they are not those of `info`."""
    counts, expected = (graph.vertices, graph.arcs), (graph.info["vertices"], graph.info["arcs"])
    if counts != expected:
        raise ValueError(f"(vertices, arcs): expected {expected}, as graph.json says, found {counts}")
    if (graph.indptr[1:] < graph.indptr[:-1]).any():
        raise ValueError("indptr falls, expected rising numbers")
    if graph.arcs and not 0 <= graph.indices.min() <= graph.indices.max() < graph.vertices:
        raise ValueError(f"a head is outside the graph, expected ids from 0 to {graph.vertices - 1}")
    if (sha256 := graph.digest()) != graph.info["sha256"]:
        raise ValueError(f"its arrays have the sha256 {sha256}, expected {graph.info['sha256']}")


def save_folder(folder: Path, info: dict[str, Any], arrays: dict[str, NDArray[Any] | None]) -> None:
    """Write `graph.json` and arrays into a folder, which is made beside its place and then renamed.

    A stored graph of that name is replaced; raise RetraceError if the folder holds anything else.
    """
    if folder.name in ("", ".."):  # to replace the folder that one is in would take it away
        raise RetraceError(f"{folder}: expected the name of a folder, which is written whole; name a new one")
    with naming_output(folder):
        has_other_files = folder.is_dir() and not {path.name for path in folder.iterdir()} <= STORED
    if has_other_files:
        raise RetraceError(
            f"{folder}: is a folder with other content; name one that is new, or a stored graph"
        )
    try:
        text = write_identity(info)
    except ValueError as error:
        raise RetraceError(f"{folder}: no such graph can be stored ({error})") from None
    partial, before = (folder.with_name(f".{folder.name}.{state}") for state in ("partial", "before"))
    for left in (partial, before):  # by a killed run
        shutil.rmtree(left, ignore_errors=True)
    try:
        with naming_output(folder), writing_whole(folder):
            partial.mkdir(parents=True)
            for name, array in arrays.items():
                if array is not None:
                    np.save(partial / f"{name}.npy", array)
            (partial / "graph.json").write_text(text)
            if folder.exists():
                folder.rename(before)
            partial.rename(folder)
    finally:
        if before.exists() and not folder.exists():
            before.rename(folder)
        for left in (partial, before):
            shutil.rmtree(left, ignore_errors=True)
