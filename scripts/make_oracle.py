"""Compute what answers on a large graph are checked against before measuring, without a GPU.

Distances and scores are written to `build/oracles/`. Scores may take hours; they use all cores, and after an
interruption the same command continues. The files, finished or not, may be copied to `build/oracles/` of
another machine.
"""

from __future__ import annotations

import signal
from pathlib import Path

from retrace.check.oracles import Oracle
from retrace.check.score_oracle import ScoreOracle
from retrace.graphs import csr, identity
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import queries
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import check_writable, write_whole

SEARCHES = ("bfs", "stcon", "sssp", "bellman-ford")


def main() -> None:
    """Parse the command line and compute."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--graph", required=True, type=Path, help="folder that get_graph.py wrote")
    parser.add_argument(
        "--problems",
        nargs="+",
        choices=(*SEARCHES, "betweenness"),
        default=["betweenness"],
        help="whose answers (default: betweenness)",
    )
    parser.add_argument("--output", type=Path, help="list of the files to write")
    arguments = parser.parse_args()
    if arguments.output is not None:
        check_writable(arguments.output)

    stored: list[str] = []
    if (why_not := identity.stored_info(arguments.graph).get("missing")) is None:
        graph = csr.load(arguments.graph, negative=arguments.problems == ["bellman-ford"], wide=True)
        for problem in arguments.problems:
            paths = keep_scores(graph) if problem == "betweenness" else keep_distances(graph, problem)
            stored += [str(path) for path in paths if str(path) not in stored]
        why_not = "takes only seconds and is not stored; measure.py computes it when needed"
    for line in stored or [why_not]:
        print(f"{arguments.graph.name}: {line}")
    if arguments.output is not None:
        write_whole(arguments.output, "".join(f"{path}\n" for path in stored))


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


if __name__ == "__main__":
    # igraph does not return to Python on Ctrl-C. Ending at once is safe, because files are written whole.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run_command(main)
