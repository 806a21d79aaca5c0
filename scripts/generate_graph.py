"""Generate a random weakly connected graph and store it as memory-mappable CSR arrays.

If memory or disk are too small, only the graph's identity and the reason are stored. Solvers then skip it.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from cuda_device.memory import available, shortage
from retrace.graphs import csr
from retrace.graphs.generators import with_hub
from retrace.graphs.graph_names import resolve_arcs
from retrace.graphs.random import RandomGraph
from retrace.solvers.generate import TreeFirst, generate
from retrace.system.errors import OneLineParser, run_command, warn


def main() -> None:
    """Parse the command line, generate the graph, store it."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--name", required=True, help="name in records, such as random-14-50")
    parser.add_argument("--vertices", type=int, required=True)
    parser.add_argument("--arcs-per-vertex", type=float, required=True)
    parser.add_argument("--hub", action="store_true", help="give one vertex an arc to every other")
    help_text = "sample so many sources for betweenness (default: all vertices are sources)"
    parser.add_argument("--sources", type=int, metavar="K", help=help_text)
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--output", type=Path, required=True, help="folder to store the graph in")
    parser.may_keep_warnings()
    arguments = parser.parse_args()

    arcs = resolve_arcs(arguments.vertices, per_vertex=arguments.arcs_per_vertex, connected=True)
    wanted = RandomGraph(arguments.vertices, arcs, arguments.seed, name=arguments.name)
    if reason := lack(wanted, arguments.output):
        warn(f"{arguments.name} is not made: {reason}")
        csr.save_missing(TreeFirst.info_of(wanted), reason, arguments.output)
        return
    graph = generate(TreeFirst.name, wanted)
    if arguments.hub:
        graph = with_hub(graph, wanted.weights, wanted.seed)
        graph = replace(graph, info=TreeFirst.info_of(replace(wanted, arcs=graph.arcs)))
    if arguments.sources is not None:
        sample = {"count": arguments.sources, "seed": arguments.seed}
        graph = replace(graph, info={**graph.info, "sources": sample})
    csr.save(graph, arguments.output)


def lack(wanted: RandomGraph, output: Path) -> str | None:
    """Return why a graph cannot be generated or stored, or None."""
    place = next(folder for folder in output.absolute().parents if folder.exists())
    disk = shutil.disk_usage(place).free
    return shortage(wanted.memory_bytes, available(), "memory") or shortage(wanted.memory_bytes, disk, "disk")


if __name__ == "__main__":
    run_command(main)
