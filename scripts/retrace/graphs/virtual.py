"""Graphs whose vertices are split into virtual ones of few arcs, so that threads have like amounts of work.

Both are from A. E. Sariyuce, K. Kaya, E. Saule and U. V. Catalyurek, "Betweenness Centrality on GPUs and
Heterogeneous Architectures", GPGPU-6, 2013, and in the report domitrz-brandes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrace.errors import RetraceError
from retrace.graphs.csr import CSRGraph, Int32Array


@dataclass(frozen=True)
class VirtualCSR:
    """Virtual-CSR: a virtual vertex has up to `mdeg` arcs of its vertex, one after the other.

    The arcs of virtual vertex u are `vptr[u]` to `vptr[u + 1] - 1`. A vertex without arcs has no virtual one.

    Attributes
    ----------
    graph
        The graph; its `indices` hold the arcs' heads.
    vmap
        The vertex of each virtual one, shape (virtual vertices,), ascending.
    vptr
        Shape (virtual vertices + 1,): where the arcs of each virtual vertex begin.
    """

    graph: CSRGraph
    vmap: Int32Array
    vptr: Int32Array

    @classmethod
    def of(cls, graph: CSRGraph, mdeg: int) -> VirtualCSR:
        """Split the vertices of a graph; raises RetraceError if `mdeg` is less than 1."""
        vmap, place, _ = _split(graph, mdeg)
        vptr = np.append(graph.indptr[vmap] + place * np.int32(mdeg), np.int32(graph.arcs))
        return cls(graph, vmap, vptr.astype(np.int32))


@dataclass(frozen=True)
class StrideCSR:
    """Stride-CSR: a vertex's virtual ones take its arcs in turns, so that threads read neighbouring arcs.

    With v = `vmap[u]`, the arcs of virtual vertex u are `indptr[v] + offset[u]`, and from there every
    `nvir[v]`-th up to `indptr[v + 1] - 1`: `mdeg` at most. A vertex without arcs has no virtual one.

    Attributes
    ----------
    graph
        The graph; its `indptr` and `indices` hold the arcs.
    vmap
        The vertex of each virtual one, shape (virtual vertices,), ascending.
    offset
        Which of its vertex's virtual ones each is, from 0, shape (virtual vertices,).
    nvir
        How many virtual ones each vertex has, shape (vertices,).
    """

    graph: CSRGraph
    vmap: Int32Array
    offset: Int32Array
    nvir: Int32Array

    @classmethod
    def of(cls, graph: CSRGraph, mdeg: int) -> StrideCSR:
        """Split the vertices of a graph; raises RetraceError if `mdeg` is less than 1."""
        return cls(graph, *_split(graph, mdeg))


def _split(graph: CSRGraph, mdeg: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Give each vertex as many virtual ones as it needs; returns `vmap`, `offset` and `nvir`."""
    if mdeg < 1:
        raise RetraceError(f"mdeg is {mdeg}, expected at least 1 arc a virtual vertex; ask for more")
    degrees = graph.degrees()
    nvir = degrees // np.int32(mdeg) + (degrees % np.int32(mdeg) > 0).astype(np.int32)
    vmap = np.repeat(np.arange(graph.vertices, dtype=np.int32), nvir)
    first = np.cumsum(nvir, dtype=np.int64) - nvir
    offset = (np.arange(len(vmap)) - first[vmap]).astype(np.int32)
    return vmap, offset, nvir
