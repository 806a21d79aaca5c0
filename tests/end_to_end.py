"""Time the way from a DIMACS file to distances from vertex 1 in memory: Retrace, SciPy and NetworKit.

    python tests/end_to_end.py FILE [SOLVER ...] [--backend cuda]

Each way is run 11 times, the file in the page cache, on all cores that the process has. A GPU's context is
made, and modules are loaded, before; preparation, upload and download are timed. Prints medians of processor
and elapsed time, in ms, and how many distances differ from those of the first solver: SciPy's, where arcs are
parallel, since its matrix adds up their weights. To keep the least would take it longer.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import networkit
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from cuda_device.errors import OneLineError
from cuda_device.interface import Device
from graphs import read_graph
from retrace.graphs.formats.lines import open_graph
from retrace.solvers import Query, make
from solving import open_device

RUNS = 11


def by_retrace(solver: str, device: Device, path: Path) -> NDArray[Any]:
    """Read and check a file, and search it."""
    found = make(solver, device)
    found.setup(read_graph(path, "dimacs"))
    found.upload(Query(0))
    found.solve(Query(0))
    return np.asarray(found.download())


@cache
def lines_before_arcs(path: Path) -> int:
    """Count the lines before the first arc; a user knows them."""
    with open_graph(path) as file:
        return next(number for number, line in enumerate(file) if line.startswith(b"a"))


def read_with_pandas(path: Path) -> NDArray[Any]:
    """Read tails, heads and weights, unchecked."""
    columns, before = dict.fromkeys((1, 2, 3), np.int32), lines_before_arcs(path)
    table = pd.read_csv(path, sep=" ", skiprows=before, header=None, usecols=[1, 2, 3], dtype=columns)
    return table.to_numpy()


def by_scipy(vertices: int, path: Path) -> NDArray[Any]:
    """Read and search a file; parallel arcs are added up."""
    arcs = read_with_pandas(path)
    ends = arcs[:, 0] - 1, arcs[:, 1] - 1
    matrix = csr_array((arcs[:, 2].astype(float), ends), shape=(vertices, vertices))
    return np.asarray(dijkstra(matrix, indices=0))


def by_networkit(vertices: int, path: Path) -> NDArray[Any]:
    """Read and search a file."""
    arcs = read_with_pandas(path)
    tails, heads = (arcs[:, column].astype(np.uint64) - 1 for column in (0, 1))
    entries = arcs[:, 2].astype(float), (tails, heads)
    graph = networkit.GraphFromCoo(entries, n=vertices, weighted=True, directed=True)
    search = networkit.distance.Dijkstra(graph, 0, storePaths=False)
    search.run()
    return np.asarray(search.getDistances(asarray=True))


def timed(way: Callable[[], NDArray[Any]]) -> tuple[float, float, NDArray[Any]]:
    """Return the median processor and elapsed time of a way, in ms, and its distances."""
    processor, elapsed = [], []
    distances = way()
    for _ in range(RUNS):
        began = time.process_time(), time.perf_counter()
        way()
        processor.append(time.process_time() - began[0])
        elapsed.append(time.perf_counter() - began[1])
    return statistics.median(processor) * 1e3, statistics.median(elapsed) * 1e3, distances


def main() -> None:
    """Time all ways, one after the other."""
    parser = argparse.ArgumentParser(description="Time the way from a DIMACS file to distances in memory.")
    parser.add_argument("file", type=Path)
    parser.add_argument("solvers", nargs="*", default=["sssp/dijkstra-heap"])
    parser.add_argument("--backend", default="emulator")
    given = parser.parse_args()
    vertices = read_graph(given.file, "dimacs").vertices
    with open_device(given.backend) as device:
        ways: dict[str, Callable[[], NDArray[Any]]] = {
            "Retrace, read": lambda: read_graph(given.file, "dimacs").indptr,
            "pandas, read": lambda: read_with_pandas(given.file),
        }
        searches: dict[str, Callable[[], NDArray[Any]]] = {
            **{f"Retrace, {one}": partial(by_retrace, one, device, given.file) for one in given.solvers},
            "pandas, SciPy": partial(by_scipy, vertices, given.file),
            "pandas, NetworKit": partial(by_networkit, vertices, given.file),
        }
        expected = None
        for name, way in (ways | searches).items():
            processor, elapsed, distances = timed(way)
            line = f"{name:32} {processor:7.1f} of processor {elapsed:7.1f} elapsed"
            if name in searches:
                expected = distances if expected is None else expected
                line += f" {np.count_nonzero(distances != expected):7} differ"
            print(line, flush=True)


if __name__ == "__main__":
    try:
        main()
    except OneLineError as error:
        sys.exit(f"error: {error}")
