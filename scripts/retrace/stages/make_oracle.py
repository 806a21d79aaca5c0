"""Compute what answers are checked against."""

from pathlib import Path
from typing import ClassVar, Literal

from retrace.check.oracles import Oracle
from retrace.check.score_oracle import ScoreOracle
from retrace.graphs import csr, identity
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import queries
from retrace.system.files import check_writable, write_whole
from retrace.system.models import Some
from retrace.system.stage import Stage


class MakeOracle(Stage):
    """Compute what answers on a large graph are checked against before measuring, without a GPU.

    Distances and scores are written to `build/oracles/`. Scores may take hours; they use all cores, and after
    an interruption the same command continues. The files, finished or not, may be copied to `build/oracles/`
    of another machine.
    """

    ends_at_once: ClassVar[bool] = True  # igraph does not return to Python on Ctrl-C; files are written whole

    graph: Path
    """Folder of a stored graph."""
    problems: Some[Literal["bfs", "stcon", "sssp", "bellman-ford", "betweenness"]] = ("betweenness",)
    """Whose answers."""
    output: Path | None = None
    """List of the files to write, if wanted."""

    def run(self) -> None:
        """Compute and store the answers."""
        if self.output is not None:
            check_writable(self.output)
        stored: list[str] = []
        if (why_not := identity.stored_info(self.graph).get("missing")) is None:
            graph = csr.load(self.graph, negative=self.problems == ("bellman-ford",), wide=True)
            for problem in self.problems:
                paths = keep_scores(graph) if problem == "betweenness" else keep_distances(graph, problem)
                stored += [str(path) for path in paths if str(path) not in stored]
            why_not = "takes only seconds and is not stored; a measurement computes it when needed"
        for line in stored or [why_not]:
            print(f"{self.graph.name}: {line}")
        if self.output is not None:
            write_whole(self.output, "".join(f"{path}\n" for path in stored))


def keep_scores(graph: CSRGraph) -> list[Path]:
    """Compute and store the scores of the graph's sources, and return their files."""
    oracle, paths = ScoreOracle(graph), []
    for query in queries("betweenness", graph.info):
        if (path := oracle.file_of(oracle.usual, query.sources)) is not None:
            oracle.expected(query.sources, oracle.usual)
            paths.append(path)
    return paths


def keep_distances(graph: CSRGraph, problem: str) -> list[Path]:
    """Compute and store the distances from the graph's sources, and return their files."""
    oracle, paths = Oracle(graph), []
    for query in queries(problem, graph.info):
        if (path := oracle.file_of(query.source, problem)) is not None:
            oracle.expected(problem, query)
            paths.append(path)
    return paths
