"""Writes H/E files in pieces, so that the whole text of a large file is never in memory."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph
from retrace.system.files import replacing

ARCS_WRITTEN = 1 << 16
"""Number of arcs turned into text at a time."""


def write_he(graph: CSRGraph, path: Path, route: NDArray[np.integer[Any]] | None = None) -> None:
    """Write a weighted graph as directed H/E; or, of its arcs, those at some positions in that order.

    The file appears complete or not at all: RetraceError if it cannot be written. Raises ValueError without
    weights.
    """
    if graph.weights is None:
        raise ValueError("H/E needs weights")
    with replacing(path) as partial, partial.open("wb") as file:
        file.write(b"H %d %d 0\n" % (graph.vertices, graph.arcs if route is None else len(route)))
        for tails, arcs in graph.blocks() if route is None else [(graph.tails()[route], route)]:
            columns = tails, graph.indices[arcs], graph.weights[arcs]
            for begin in range(0, len(tails), ARCS_WRITTEN):
                part = np.column_stack([column[begin : begin + ARCS_WRITTEN] for column in columns])
                file.write(b"E %d %d %d\n" * len(part) % tuple(part.ravel().tolist()))
