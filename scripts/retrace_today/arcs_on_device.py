"""The base of our solvers whose graph is copied to the device."""

from cuda_device.interface import Buffer
from retrace.graphs.csr import CSRGraph
from retrace.solvers.solver import DeviceSolver


class ArcsOnDevice(DeviceSolver):
    """Its graph is copied in the fastest way; those of the reports are copied as the reports' programs do."""

    def upload_arcs(self, graph: CSRGraph) -> list[Buffer]:
        return self.device.upload_all(self.arrays_of(graph))
