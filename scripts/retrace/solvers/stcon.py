"""St-connectivity on a device: the number of arcs from source to target."""

from __future__ import annotations

import numpy as np

from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.solvers.registry import REGISTRY, DeviceSolver, Query, Subject

RED_LENGTH, GREEN_LENGTH, MET, MORE = range(4)  # as in the kernel file


@REGISTRY.add
class BspSTCON(DeviceSolver):
    """Red and green searches in two bulk-synchronous kernels a level; the host reads the state after each."""

    name = "stcon/bsp"
    implements = "bsp-suite, first Algorithms 3.5 and 3.6"
    sources = ("stcon/bsp.cu",)
    bytes_per_vertex = 10

    def memory_bytes(self, graph: Subject) -> int:
        """Predict the device memory of all phases, with a directed graph's reversed arcs."""
        needed = super().memory_bytes(graph)
        return (
            needed if graph.info.get("directed") is False else needed + 4 * (graph.vertices + 1 + graph.arcs)
        )

    def setup(self, graph: CSRGraph) -> None:
        """Load both kernels; green's reversed arcs are made here if the graph is directed."""
        self.forward, self.backward = graph, graph.reversed()
        module = self.device.load("stcon/bsp.cu")
        self.kernel1, self.kernel2 = module.kernel("stcon_kernel1"), module.kernel("stcon_kernel2")

    def upload(self, query: Query) -> None:
        """Send the graph; the source is red, the target green, both are the frontier."""
        device = self.device
        red = np.zeros(self.forward.vertices, dtype=np.bool_)
        green = np.zeros_like(red)
        red[query.source] = green[query.target] = True
        forward = [device.upload(array) for array in (self.forward.indptr, self.forward.indices)]
        backward = forward
        if self.backward is not self.forward:
            backward = [device.upload(array) for array in (self.backward.indptr, self.backward.indices)]
        self.arcs = [*forward, *backward]
        self.frontier, self.red, self.green = (device.upload(array) for array in (red | green, red, green))
        self.updating = [device.upload(np.zeros_like(red)) for _ in ("frontier", "red", "green")]
        self.cost = device.upload(np.zeros(self.forward.vertices, dtype=np.int32))
        self.state = device.upload(np.zeros(4, dtype=np.int32))

    def solve(self, query: Query) -> int:
        """Expand both searches level by level until they meet or nothing is left to expand."""
        vertices = np.int32(self.forward.vertices)
        grid, block = self.grid(self.forward.vertices), self.block_size
        state = np.zeros(4, dtype=np.int32)
        state[MORE] = query.source != query.target
        iterations = 0
        while state[MORE] and not state[MET]:
            state[MORE] = 0
            self.device.write(self.state, state)
            self.kernel1(
                grid, block, vertices, *self.arcs, self.frontier, self.red, self.green, *self.updating,
                self.cost, self.state,
            )  # fmt: skip
            self.kernel2(
                grid, block, vertices, self.frontier, self.red, self.green, *self.updating,
                self.cost, self.state,
            )  # fmt: skip
            self.device.read(self.state, state)
            iterations += 1
        met = query.source == query.target or state[MET]
        self.length = int(state[RED_LENGTH] + state[GREEN_LENGTH]) if met else UNREACHABLE
        return iterations

    def download(self) -> Int32Array:
        """Hand out the length, which the last iteration brought to the host."""
        return np.array([self.length], dtype=np.int32)
