"""St-connectivity: the fewest arcs that lead from a source to a target.

Two breadth-first searches, a red one from the source and a green one from the target, proceed until they
meet. Where one search from the source would visit every vertex up to the target's level, each of the two
visits those up to half of it. In a directed graph green follows the arcs backwards. SciPy has no such search.
"""

from typing import ClassVar

import numpy as np

from cuda_device.host_loop import HostLoop
from retrace.catalogue.setting import LOOP, Settings
from retrace.devices.host import c_graph
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query, Subject
from retrace.solvers.solver import SPOILT, DeviceSolver, HostSolver, fill_but_one, only

RED_LENGTH, GREEN_LENGTH, MET, MORE = range(4)  # the entries of `state` in the kernel file


class TwoQueuesSTCON(HostSolver):
    """Two sequential breadth-first searches that take turns, level by level.

    The first vertex that both have visited lies on a shortest path (taking turns by vertices, it need not).
    """

    name = "stcon/two-queues"
    implements = "bsp-suite, Algorithm 3.4"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.backward = graph.reversed()
        self.c_backward = c_graph(self.backward)
        self.allocate_answer(1)

    def solve(self, query: Query) -> int:
        ends = query.source, query.target
        return int(self.function(self.c_graph, self.c_backward, *ends, self.c_answer))


class BspSTCON(DeviceSolver):
    """Two bulk-synchronous kernels a level, with one thread for each vertex: O(depth * vertices + arcs).

    The first kernel colours the neighbours of the frontier; the second makes them the next frontier and
    notices a vertex of both colours. Report bsp-suite, the first Algorithms 3.5 and 3.6.
    """

    name = "stcon/bsp"
    implements = "bsp-suite, first Algorithms 3.5 and 3.6"
    bytes_per_vertex = 10
    repeats = True
    settings: ClassVar[Settings] = {**DeviceSolver.settings, **LOOP}

    def memory_bytes(self, graph: Subject) -> int:
        backward = 0 if graph.info.get("directed") is False else 4 * (graph.vertices + 1 + graph.arcs)
        return super().memory_bytes(graph) + backward

    def setup(self, graph: CSRGraph) -> None:
        self.forward, self.backward = graph, graph.reversed()
        self.kernel1, self.kernel2 = self.load_kernels("stcon_kernel1", "stcon_kernel2")

    def upload(self, query: Query) -> None:
        assert query.target is not None
        device = self.device
        red, green = only(query.source, self.forward), only(query.target, self.forward)
        forward = self.upload_arcs(self.forward)
        backward = forward if self.backward is self.forward else self.upload_arcs(self.backward)
        self.arcs = [*forward, *backward]
        self.frontier, self.red, self.green = (device.upload(array) for array in (red | green, red, green))
        self.updating = [device.upload(np.zeros_like(red)) for _ in ("frontier", "red", "green")]
        self.cost = device.upload(np.zeros(self.forward.vertices, dtype=np.int32))
        self.state = device.upload(np.zeros(4, dtype=np.int32))
        vertices, grid = self.forward.vertices, self.grid(self.forward.vertices)
        vectors = self.frontier, self.red, self.green, *self.updating, self.cost, self.state
        launches = [
            self.pack(self.kernel1, grid, np.int32(vertices), *self.arcs, *vectors),
            self.pack(self.kernel2, grid, np.int32(vertices), *vectors),
        ]
        seen = np.zeros(4, dtype=np.int32)
        self.loop = HostLoop(rounds=[launches], state=self.state, seen=seen, clears=True, more=MORE, met=MET)

    def begin_again(self, query: Query) -> None:
        assert query.target is not None
        device = self.device
        for mask in (*self.updating, self.cost, self.state):
            device.fill(mask, 0)
        for mask, end in ((self.red, query.source), (self.green, query.target)):
            fill_but_one(device, mask, False, end, True)
        fill_but_one(device, self.frontier, False, query.source, True)
        device.write(device.view(self.frontier, query.target, 1), np.ones(1, np.bool_))

    def forget(self) -> None:
        self.length = SPOILT

    def solve(self, query: Query) -> int:
        if query.source == query.target:
            self.length = 0
            return 0
        state = self.loop.seen
        state.fill(0)
        iterations = self.repeat(self.loop).iterations
        self.length = int(state[RED_LENGTH] + state[GREEN_LENGTH]) if state[MET] else UNREACHABLE
        return iterations

    def download(self) -> Int32Array:
        return np.array([self.length], dtype=np.int32)
