"""Graphs whose vertices are split into virtual vertices of few arcs, so that threads get equal work; in C++.

Both layouts are from A. E. Sariyuce, K. Kaya, E. Saule and U. V. Catalyurek, "Betweenness Centrality on GPUs
and Heterogeneous Architectures", GPGPU-6, 2013, and in the report domitrz-brandes.
"""

import numpy as np

from retrace.devices.host import c_graph, host_function, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.system.errors import RetraceError

VIRTUAL_VERTICES = "host/virtual_vertices.cpp"


class Splitting:
    """Splits vertices into virtual ones of up to `mdeg` arcs; RetraceError if that is less than 1.

    A vertex without arcs has no virtual vertex. The C++ functions are compiled and loaded when this is made.
    """

    def __init__(self, mdeg: int) -> None:
        if mdeg < 1:
            raise RetraceError(f"mdeg is {mdeg}, expected at least 1 arc per virtual vertex; increase it")
        self.mdeg = mdeg
        self.write_csr, self.write_strides = (
            host_function(VIRTUAL_VERTICES, name) for name in ("virtual_csr", "stride_csr")
        )

    def virtual_csr(self, graph: CSRGraph) -> tuple[Int32Array, Int32Array]:
        """Return Virtual-CSR: each virtual vertex has consecutive arcs of its original vertex.

        `vmap`, shape (virtual vertices,), ascending, has the original vertices. Virtual vertex u has the arcs
        `vptr[u]` to `vptr[u + 1] - 1`.
        """
        vmap, vptr = (np.empty(size, dtype=np.int32) for size in (graph.arcs, graph.arcs + 1))
        size = self.write_csr(c_graph(graph), self.mdeg, pointer(vmap), pointer(vptr))
        return vmap[:size], vptr[: size + 1]

    def stride_csr(self, graph: CSRGraph) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Return Stride-CSR: the virtual vertices of a vertex take its arcs in turn.

        Neighbouring threads then read adjacent arcs. `vmap` is as in Virtual-CSR. With v = `vmap[u]`, virtual
        vertex u has the arcs `begin[u]` and every `nvir[v]`-th after it, up to `indptr[v + 1] - 1`; `nvir`,
        shape (vertices,), counts the virtual vertices of each vertex. Instead of `begin`, the paper stores
        the rank of u among the virtual vertices of v, and adds `indptr[v]` in the kernel.
        """
        sizes = (graph.arcs, graph.arcs, graph.vertices)
        vmap, begin, nvir = (np.empty(size, dtype=np.int32) for size in sizes)
        size = self.write_strides(c_graph(graph), self.mdeg, *map(pointer, (vmap, begin, nvir)))
        return vmap[:size], begin[:size], nvir
