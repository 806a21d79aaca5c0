"""Two sequential searches for a pair, of which the one with fewer arcs goes on; how a path is joined.

With predecessors=yes the answer is a path: `predecessors` has those of its vertices, and -1 of all others.
"""

from ctypes import c_longlong
from typing import ClassVar

import numpy as np

from retrace.catalogue.setting import PREDECESSORS, Settings
from retrace.devices.host import host_function, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.stcon import TwoQueuesSTCON

LARGEST_INT64 = 2**63 - 1


def join_path(toward_end: Int32Array, joint: tuple[int, int], length: int, source: int) -> Int32Array:
    """Return the predecessors of a path's vertices, shape (vertices,), -1 of all others.

    The path has `length` arcs, one of which is `joint`. `toward_end` has the vertex before each one between
    the source and this arc, and the vertex after each one between the arc and the target.
    """
    predecessor = np.full_like(toward_end, -1)
    before, after = joint
    predecessor[after] = before
    for _ in range(length - 1):  # no longer, however wrong a kernel is
        if before != source:
            predecessor[before] = toward_end[before]
            before = int(toward_end[before])
        else:
            predecessor[toward_end[after]] = after
            after = int(toward_end[after])
    return predecessor


class FewerArcsSTCON(TwoQueuesSTCON):
    """Two sequential searches, of which the one whose frontier has fewer arcs goes on.

    In a graph of few levels they meet before either has reached the widest level. I. Pohl, "Bi-directional
    Search", Machine Intelligence 6, 1971.
    """

    name = "stcon/fewer-arcs"
    implements = "Pohl, Bi-directional Search, 1971, by the arcs of a frontier"
    settings: ClassVar[Settings] = PREDECESSORS
    repeats = True

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        sizes = graph.vertices, 2 * graph.vertices, 1
        self.kept = [np.zeros(size, dtype=np.int32) for size in sizes]  # marks, queues and the greatest mark
        self.written = [self.answer]
        if self.finds_predecessors:
            self.function = host_function(self.source, f"{self.symbol}_path")
            self.written += [np.zeros(size, dtype=np.int32) for size in (graph.vertices, 2)]
        self.c_arrays = [pointer(array) for array in self.kept + self.written]

    def solve(self, query: Query) -> int:
        levels = self.search(query, LARGEST_INT64)
        assert levels is not None
        return levels

    def search(self, query: Query, most: int) -> int | None:
        """Return the number of levels searched; None if `most` arcs do not tell the answer."""
        limits = query.source, query.target, c_longlong(most)
        levels = int(self.function(self.c_graph, self.c_backward, *limits, *self.c_arrays))
        self.from_vertex = query.source
        return None if levels < 0 else levels

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            _, toward_end, joint = self.written
            self.predecessor = np.full_like(toward_end, -1)
            if 0 < (length := int(self.answer[0])) < UNREACHABLE:
                self.predecessor = join_path(toward_end, tuple(joint.tolist()), length, self.from_vertex)
        return self.answer
