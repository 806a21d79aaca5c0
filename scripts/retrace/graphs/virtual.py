"""Graphs whose vertices are split into virtual vertices of few arcs, so that threads get equal work.

Both layouts are from A. E. Sariyuce, K. Kaya, E. Saule and U. V. Catalyurek, "Betweenness Centrality on GPUs
and Heterogeneous Architectures", GPGPU-6, 2013, and in the report domitrz-brandes.
"""

import numpy as np

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.system.errors import RetraceError


def virtual_csr(graph: CSRGraph, mdeg: int) -> tuple[Int32Array, Int32Array]:
    """Return Virtual-CSR: each virtual vertex has up to `mdeg` consecutive arcs of its original vertex.

    `vmap`, shape (virtual vertices,), ascending, has the original vertices. Virtual vertex u has the arcs
    `vptr[u]` to `vptr[u + 1] - 1`. A vertex without arcs has no virtual vertex; RetraceError if `mdeg` < 1.
    """
    vmap, place, _ = _split(graph, mdeg)
    vptr = np.append(graph.indptr[vmap] + place * np.int32(mdeg), np.int32(graph.arcs))
    return vmap, vptr.astype(np.int32)


def stride_csr(graph: CSRGraph, mdeg: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Return Stride-CSR: the virtual vertices of a vertex take its arcs in turn; threads read adjacent arcs.

    `vmap` is as in Virtual-CSR. With v = `vmap[u]`, virtual vertex u has at most `mdeg` arcs: `begin[u]` and
    every `nvir[v]`-th arc after it, up to `indptr[v + 1] - 1`; `nvir`, shape (vertices,), counts the virtual
    vertices of each vertex. Instead of `begin`, the paper stores the rank of u among the virtual vertices of
    v, and adds `indptr[v]` in the kernel. Raises RetraceError if `mdeg` < 1.
    """
    vmap, place, nvir = _split(graph, mdeg)
    return vmap, graph.indptr[vmap] + place, nvir


def _split(graph: CSRGraph, mdeg: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Split each vertex; return `vmap`, the rank of each virtual vertex within its vertex, and `nvir`."""
    if mdeg < 1:
        raise RetraceError(f"mdeg is {mdeg}, expected at least 1 arc per virtual vertex; increase it")
    degrees = graph.degrees()
    nvir = degrees // np.int32(mdeg) + (degrees % np.int32(mdeg) > 0).astype(np.int32)
    vmap = np.repeat(np.arange(graph.vertices, dtype=np.int32), nvir)
    first = np.cumsum(nvir, dtype=np.int64) - nvir
    place = (np.arange(len(vmap)) - first[vmap]).astype(np.int32)
    return vmap, place, nvir
