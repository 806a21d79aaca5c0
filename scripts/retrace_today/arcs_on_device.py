"""The base of our solvers whose graph is copied to the device."""

import numpy as np

from cuda_device.interface import Buffer
from retrace.graphs.csr import CSRGraph
from retrace.solvers.solver import DeviceSolver


def arc_count(graph: CSRGraph) -> np.uint32 | np.uint64:
    """Return the number of arcs as kernels take it: `Offset` of kernels/offset.h."""
    return np.uint64(graph.arcs) if graph.is_wide else np.uint32(graph.arcs)


class ArcsOnDevice(DeviceSolver):
    """Its graph is copied in the fastest way; those of the reports are copied as the reports' programs do."""

    def upload_arcs(self, graph: CSRGraph) -> list[Buffer]:
        return self.device.upload_all(self.arrays_of(graph))
