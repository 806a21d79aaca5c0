"""Make a random weakly connected graph and store it as memory-mappable CSR arrays."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from retrace.errors import run_command
from retrace.graphs import csr
from retrace.graphs.random import RandomGraph, resolve_arcs
from retrace.solvers.generate import generate


def main() -> None:
    """Parse the command line, make the graph, store it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="its name in records, such as random-14-50")
    parser.add_argument("--vertices", type=int, required=True)
    parser.add_argument("--arcs-per-vertex", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--output", type=Path, required=True, help="folder to store the graph in")
    arguments = parser.parse_args()

    arcs = resolve_arcs(arguments.vertices, per_vertex=arguments.arcs_per_vertex, connected=True)
    graph = generate("generate/tree-first", RandomGraph(arguments.vertices, arcs, arguments.seed))
    csr.save(replace(graph, info={**graph.info, "name": arguments.name}), arguments.output)


if __name__ == "__main__":
    run_command(main)
