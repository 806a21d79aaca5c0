"""Download one graph of the registry."""

import os
from pathlib import Path
from typing import Literal

from retrace.graphs.dataset_registry import load_registry
from retrace.graphs.datasets import store
from retrace.system.errors import RetraceError
from retrace.system.models import Many
from retrace.system.stage import WarningStage


class GetGraph(WarningStage):
    """Download one graph of the registry and store it as memory-mappable CSR arrays.

    The folder or http(s) address in $GRAPH_MIRROR is tried before the official addresses.
    """

    graph: str
    """Its name in the registry."""
    datasets: Many[str] = ("datasets.yaml",)
    """Registries; an entry replaces one of the same name in an earlier file."""
    downloads: Path = Path("resources/downloads")
    """Folder of downloaded files."""
    output: Path
    """Folder to store the graph in."""
    offline: Literal["stand-in", "fail"] = "stand-in"
    """What to do if the graph is not available."""
    seed: int = 1
    """Of what is generated."""

    def run(self) -> None:
        """Download the graph and store it."""
        registry = load_registry(self.datasets)
        if self.graph not in registry:
            raise RetraceError(f"--graph: no graph {self.graph!r}; expected one of {', '.join(registry)}")
        dataset, mirror = registry[self.graph], os.environ.get("GRAPH_MIRROR") or None
        store(dataset, self.downloads, mirror, self.offline, self.seed, self.output)
