"""Graphs whose vertices are split into virtual vertices of few arcs, so that threads get equal work; in C++.

Both layouts are from A. E. Sariyuce, K. Kaya, E. Saule and U. V. Catalyurek, "Betweenness Centrality on GPUs
and Heterogeneous Architectures", GPGPU-6, 2013, and in the report domitrz-brandes.
"""

import numpy as np

from retrace.devices.host import c_graph, loaded_library, pointer
from retrace.graphs.csr import CSRGraph, Int32Array

VIRTUAL_VERTICES = "host/virtual_vertices.cpp"


def virtual_csr(graph: CSRGraph, mdeg: int) -> tuple[Int32Array, Int32Array]:
    """Return Virtual-CSR: each virtual vertex has up to `mdeg` consecutive arcs of its original vertex.

    `vmap`, shape (virtual vertices,), ascending, has the original vertices; one without arcs has no virtual
    vertex. Virtual vertex u has the arcs `vptr[u]` to `vptr[u + 1] - 1`.
    """
    vmap, vptr = (np.empty(size, dtype=np.int32) for size in (graph.arcs, graph.arcs + 1))
    split = loaded_library(VIRTUAL_VERTICES).virtual_csr
    size = split(c_graph(graph), mdeg, pointer(vmap), pointer(vptr))
    return vmap[:size], vptr[: size + 1]


def stride_csr(graph: CSRGraph, mdeg: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Return Stride-CSR: the virtual vertices of a vertex take its arcs, up to `mdeg` each, in turn.

    Neighbouring threads then read adjacent arcs. `vmap` is as in Virtual-CSR. With v = `vmap[u]`, virtual
    vertex u has the arcs `begin[u]` and every `nvir[v]`-th after it, up to `indptr[v + 1] - 1`; `nvir`, shape
    (vertices,), counts the virtual vertices of each vertex. Instead of `begin`, the paper stores the rank of
    u among the virtual vertices of v, and adds `indptr[v]` in the kernel.
    """
    sizes = (graph.arcs, graph.arcs, graph.vertices)
    vmap, begin, nvir = (np.empty(size, dtype=np.int32) for size in sizes)
    split = loaded_library(VIRTUAL_VERTICES).stride_csr
    size = split(c_graph(graph), mdeg, *map(pointer, (vmap, begin, nvir)))
    return vmap[:size], begin[:size], nvir
