"""Name a complete graph."""

from pathlib import Path

from retrace.graphs import dense
from retrace.graphs.random import WEIGHTS
from retrace.system.stage import Stage


class GenerateDense(Stage):
    """Store the identity of a complete graph with random weights: its size and the seed of its matrix."""

    vertices: int
    """Number of vertices."""
    seed: int = 1
    """Of the matrix."""
    weights: tuple[int, int] = WEIGHTS
    """Least and greatest weight, positive."""
    output: Path
    """Folder to store graph.json in."""

    def run(self) -> None:
        """Store the identity."""
        dense.save(dense.DenseGraph(self.vertices, self.seed, self.weights), self.output)
