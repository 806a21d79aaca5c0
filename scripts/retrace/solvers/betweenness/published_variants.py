"""The eleven CUDA variants of betweenness in report domitrz-brandes.

They differ in how the threads of a block share a level of the search (a vertex, an arc or a virtual vertex
each), in the layout of the graph, and in whether it is compacted first.
"""

from typing import ClassVar

import numpy as np

from retrace.graphs import virtual
from retrace.graphs.csr import CSRGraph
from retrace.graphs.reductions import Compacted
from retrace.solvers.betweenness.block_per_source import Argument, Brandes, Round
from retrace.solvers.registry import REGISTRY
from retrace.solvers.setting import Setting, Settings


def csr(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Return a graph as CSR."""
    return [graph.indptr, graph.indices]


def arc_list(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Return a graph as the tail and head of each arc."""
    return [np.int32(graph.arcs), graph.tails(), graph.indices]


def virtual_csr(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Return a graph as Virtual-CSR."""
    vmap, vptr = virtual.virtual_csr(graph, mdeg)
    return [np.int32(len(vmap)), vmap, vptr, graph.indices]


def stride_csr(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Return a graph as Stride-CSR."""
    vmap, begin, nvir = virtual.stride_csr(graph, mdeg)
    return [np.int32(len(vmap)), vmap, begin, nvir, graph.indptr, graph.indices]


@REGISTRY.add
class Vert(Brandes):
    """A thread for each vertex: threads look through all vertices for those of the level.

    O(depth * vertices + arcs) for each source; threads with vertices of many arcs delay their block.
    """

    name = "betweenness/vert"
    layout = csr


@REGISTRY.add
class Edge(Brandes):
    """A thread for each arc: threads look through all arcs for those whose tail is on the level.

    O(depth * arcs) for each source; neighbouring threads read neighbouring arcs. Each needs atomic additions.
    """

    name = "betweenness/edge"
    layout = arc_list


@REGISTRY.add
class VertQueue(Brandes):
    """A thread for each vertex of the level, which is taken from a queue.

    The work is O(vertices + arcs) for each source, whatever the depth; an atomicCAS on the distance decides
    which thread puts a vertex into the queue. The queue keeps all levels for the way back.
    """

    name = "betweenness/vert-queue"
    layout = csr
    queued = True


@REGISTRY.add
class VertComp(Vert):
    """`betweenness/vert` on the compacted graph: `graphs.reductions.compact` removes vertices of degree 1."""

    name = "betweenness/vert-comp"
    compacted = True


@REGISTRY.add
class EdgeComp(Edge):
    """`betweenness/edge` on the compacted graph."""

    name = "betweenness/edge-comp"
    compacted = True


@REGISTRY.add
class VertQueueComp(VertQueue):
    """`betweenness/vert-queue` on the compacted graph."""

    name = "betweenness/vert-queue-comp"
    compacted = True


@REGISTRY.add
class VertVirt(Brandes):
    """A thread for each virtual vertex, of up to `mdeg` arcs, on Virtual-CSR.

    Vertices of many arcs are split, so that threads have similar amounts of work. A. E. Sariyuce et al.,
    "Betweenness centrality on GPUs and heterogeneous architectures", GPGPU-6, 2013.
    """

    name = "betweenness/vert-virt"
    settings: ClassVar[Settings] = {
        **Brandes.settings,
        "mdeg": Setting(4, "betweenness: most arcs of a virtual vertex"),
    }
    layout = virtual_csr


@REGISTRY.add
class VertVirtStride(VertVirt):
    """`betweenness/vert-virt` on Stride-CSR: the virtual vertices of a vertex take its arcs in turns."""

    name = "betweenness/vert-virt-stride"
    layout = stride_csr


@REGISTRY.add
class VertCompVirt(VertVirt):
    """`betweenness/vert-virt` on the compacted graph."""

    name = "betweenness/vert-comp-virt"
    compacted = True


@REGISTRY.add
class VertCompVirtStride(VertVirtStride):
    """`betweenness/vert-virt-stride` on the compacted graph: the report's fastest variant."""

    name = "betweenness/vert-comp-virt-stride"
    compacted = True


@REGISTRY.add
class VertCompVirtStrideConst(VertCompVirtStride):
    """`betweenness/vert-comp-virt-stride` with the two sizes of the graph in `__constant__` memory."""

    name = "betweenness/vert-comp-virt-stride-const"

    def send(self, reduced: Compacted) -> Round:
        part = super().send(reduced)
        vertices, virtual, *part.arguments = part.arguments
        self.module.write_symbol("constant_vertices", np.array([vertices]))
        self.module.write_symbol("constant_virtual_vertices", np.array([virtual]))
        return part
