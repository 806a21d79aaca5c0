"""Compute the oracle's betweenness scores of a large graph before measuring, on all cores and without a GPU.

The scores are written to `build/oracles/`. After an interruption, the same command continues.
The file, finished or not, may be copied to `build/oracles/` of another machine.
"""

from __future__ import annotations

import signal
from pathlib import Path

from retrace.check.score_oracle import IGRAPH, ScoreOracle
from retrace.graphs import csr
from retrace.graphs.query import queries
from retrace.system.errors import OneLineParser, run_command


def main() -> None:
    """Parse the command line and compute."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--graph", required=True, type=Path, help="folder that get_graph.py wrote")
    arguments = parser.parse_args()

    graph = csr.load(arguments.graph)
    oracle = ScoreOracle(graph)
    for query in queries("betweenness", graph.info):
        path = oracle.file_of(IGRAPH, query.sources)
        if path is None:
            print(f"{graph.name}: takes only seconds and is not stored; measure.py computes it when needed")
        else:
            oracle.expected(query.sources, IGRAPH)
            print(f"{graph.name}: {path}")


if __name__ == "__main__":
    # igraph does not return to Python on Ctrl-C. Ending at once is safe, because files are written whole.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run_command(main)
