"""Graphs whose vertices are split into virtual ones of few arcs, so that threads have like amounts of work.

Both are from A. E. Sariyuce, K. Kaya, E. Saule and U. V. Catalyurek, "Betweenness Centrality on GPUs and
Heterogeneous Architectures", GPGPU-6, 2013, and in the report domitrz-brandes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.system.errors import RetraceError


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

    With v = `vmap[u]`, the arcs of virtual vertex u are `begin[u]`, and from there every `nvir[v]`-th up to
    `indptr[v + 1] - 1`: `mdeg` at most. A vertex without arcs has no virtual one. The paper keeps the place
    among the virtual vertices of v instead of `begin`, and adds `indptr[v]` to it each time.

    Attributes
    ----------
    graph
        The graph; its `indptr` and `indices` hold the arcs.
    vmap
        The vertex of each virtual one, shape (virtual vertices,), ascending.
    begin
        The first arc of each virtual vertex, shape (virtual vertices,).
    nvir
        How many virtual ones each vertex has, shape (vertices,).
    """

    graph: CSRGraph
    vmap: Int32Array
    begin: Int32Array
    nvir: Int32Array

    @classmethod
    def of(cls, graph: CSRGraph, mdeg: int) -> StrideCSR:
        """Split the vertices of a graph; raises RetraceError if `mdeg` is less than 1."""
        vmap, place, nvir = _split(graph, mdeg)
        return cls(graph, vmap, graph.indptr[vmap] + place, nvir)


def _split(graph: CSRGraph, mdeg: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Split each vertex; returns `vmap`, the place of each virtual vertex in its vertex, and `nvir`."""
    if mdeg < 1:
        raise RetraceError(f"mdeg is {mdeg}, expected at least 1 arc a virtual vertex; ask for more")
    degrees = graph.degrees()
    nvir = degrees // np.int32(mdeg) + (degrees % np.int32(mdeg) > 0).astype(np.int32)
    vmap = np.repeat(np.arange(graph.vertices, dtype=np.int32), nvir)
    first = np.cumsum(nvir, dtype=np.int64) - nvir
    place = (np.arange(len(vmap)) - first[vmap]).astype(np.int32)
    return vmap, place, nvir
