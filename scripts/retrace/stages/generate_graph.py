"""Generate a random weakly connected graph."""

import shutil
from dataclasses import replace
from pathlib import Path

from cuda_device.memory import available, shortage
from retrace.graphs import csr
from retrace.graphs.generators import with_hub
from retrace.graphs.graph_names import resolve_arcs
from retrace.graphs.random import RandomGraph
from retrace.solvers.generate import TreeFirst, generate
from retrace.system.errors import warn
from retrace.system.stage import WarningStage


class GenerateGraph(WarningStage):
    """Generate a random weakly connected graph and store it as memory-mappable CSR arrays.

    If memory or disk are too small, only the graph's identity and the reason are stored, and
    solvers skip it.
    """

    name: str
    """Its name in records, such as random-14-50."""
    vertices: int
    """Number of vertices."""
    arcs_per_vertex: float
    """Arcs, on average."""
    hub: bool = False
    """Give one vertex an arc to every other."""
    sources: int | None = None
    """Sample so many sources for betweenness; without it all vertices are sources."""
    seed: int = 1
    """Of what is drawn."""
    output: Path
    """Folder to store the graph in."""

    def run(self) -> None:
        """Generate the graph and store it."""
        arcs = resolve_arcs(self.vertices, per_vertex=self.arcs_per_vertex, connected=True)
        wanted = RandomGraph(self.vertices, arcs, self.seed, name=self.name)
        if reason := lack(wanted, self.output):
            warn(f"{self.name} is not made: {reason}")
            csr.save_missing(TreeFirst.info_of(wanted), reason, self.output)
            return
        graph = generate(TreeFirst.name, wanted)
        if self.hub:
            graph = with_hub(graph, wanted.weights, wanted.seed)
            graph = replace(graph, info=TreeFirst.info_of(replace(wanted, arcs=graph.arcs)))
        if self.sources is not None:
            sample = {"count": self.sources, "seed": self.seed}
            graph = replace(graph, info={**graph.info, "sources": sample})
        csr.save(graph, self.output)


def lack(wanted: RandomGraph, output: Path) -> str | None:
    """Return why a graph cannot be generated or stored, or None."""
    place = next(folder for folder in output.absolute().parents if folder.exists())
    disk = shutil.disk_usage(place).free
    return shortage(wanted.memory_bytes, available(), "memory") or shortage(wanted.memory_bytes, disk, "disk")
