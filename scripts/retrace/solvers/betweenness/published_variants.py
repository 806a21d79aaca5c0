"""The eleven CUDA variants of betweenness in report domitrz-brandes.

They differ in how the threads of a block share a level of the search (a vertex, an arc or a virtual vertex
each), in the layout of the graph, and in whether it is compacted first.
"""

from typing import ClassVar

import numpy as np

from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph
from retrace.solvers.betweenness.block_per_source import Argument, Brandes, Round
from retrace.solvers.betweenness.compaction import Compacted
from retrace.solvers.betweenness.virtual_vertices import VIRTUAL_VERTICES, stride_csr, virtual_csr


class Vert(Brandes):
    """A thread for each vertex: threads look through all vertices for those of the level.

    O(depth * vertices + arcs) for each source; threads with vertices of many arcs delay their block.
    """

    name = "betweenness/vert"


class Edge(Brandes):
    """A thread for each arc: threads look through all arcs for those whose tail is on the level.

    O(depth * arcs) for each source; neighbouring threads read neighbouring arcs. Each needs atomic additions.
    """

    name = "betweenness/edge"

    def layout(self, graph: CSRGraph) -> list[Argument]:
        """Return the tail and the head of each arc."""
        return [np.int32(graph.arcs), graph.tails(), graph.indices]


class VertQueue(Brandes):
    """A thread for each vertex of the level, which is taken from a queue.

    The work is O(vertices + arcs) for each source, whatever the depth; an atomicCAS on the distance decides
    which thread puts a vertex into the queue. The queue keeps all levels for the way back.
    """

    name = "betweenness/vert-queue"
    queued = True


class VertComp(Vert):
    """`betweenness/vert` on the compacted graph: `compaction` removes vertices of degree 1."""

    name = "betweenness/vert-comp"
    compacted = True


class EdgeComp(Edge):
    """`betweenness/edge` on the compacted graph."""

    name = "betweenness/edge-comp"
    compacted = True


class VertQueueComp(VertQueue):
    """`betweenness/vert-queue` on the compacted graph."""

    name = "betweenness/vert-queue-comp"
    compacted = True


class VertVirt(Brandes):
    """A thread for each virtual vertex, of up to `mdeg` arcs, on Virtual-CSR.

    Vertices of many arcs are split, so that threads have similar amounts of work. A. E. Sariyuce et al.,
    "Betweenness centrality on GPUs and heterogeneous architectures", GPGPU-6, 2013.
    """

    name = "betweenness/vert-virt"
    more_sources: ClassVar[tuple[str, ...]] = (VIRTUAL_VERTICES,)
    settings: ClassVar[Settings] = {
        **Brandes.settings,
        "mdeg": Setting(4, "betweenness: most arcs of a virtual vertex"),
    }

    def layout(self, graph: CSRGraph) -> list[Argument]:
        """Return Virtual-CSR."""
        vmap, vptr = virtual_csr(graph, self.number("mdeg"))
        return [np.int32(len(vmap)), vmap, vptr, graph.indices]


class VertVirtStride(VertVirt):
    """`betweenness/vert-virt` on Stride-CSR: the virtual vertices of a vertex take its arcs in turns."""

    name = "betweenness/vert-virt-stride"

    def layout(self, graph: CSRGraph) -> list[Argument]:
        """Return Stride-CSR."""
        vmap, begin, nvir = stride_csr(graph, self.number("mdeg"))
        return [np.int32(len(vmap)), vmap, begin, nvir, graph.indptr, graph.indices]


class VertCompVirt(VertVirt):
    """`betweenness/vert-virt` on the compacted graph."""

    name = "betweenness/vert-comp-virt"
    compacted = True


class VertCompVirtStride(VertVirtStride):
    """`betweenness/vert-virt-stride` on the compacted graph: the report's fastest variant."""

    name = "betweenness/vert-comp-virt-stride"
    compacted = True


class VertCompVirtStrideConst(VertCompVirtStride):
    """`betweenness/vert-comp-virt-stride` with the two sizes of the graph in `__constant__` memory."""

    name = "betweenness/vert-comp-virt-stride-const"

    def send(self, reduced: Compacted) -> Round:
        part = super().send(reduced)
        vertices, virtual, *part.arguments = part.arguments
        self.module.write_symbol("constant_vertices", np.array([vertices]))
        self.module.write_symbol("constant_virtual_vertices", np.array([virtual]))
        return part
