"""Download one graph of the registry and store it as memory-mappable CSR arrays.

The folder or http(s) address in $GRAPH_MIRROR is tried before the official addresses.
"""

from __future__ import annotations

import os
from pathlib import Path

from retrace.graphs.dataset_registry import load_registry
from retrace.graphs.datasets import store
from retrace.system.errors import OneLineParser, RetraceError, run_command


def main() -> None:
    """Parse the command line, download the graph, store it."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument(
        "--datasets",
        nargs="+",
        default=["datasets.yaml"],
        metavar="FILE",
        help="registries; an entry replaces one of the same name in an earlier file (default: datasets.yaml)",
    )
    parser.add_argument("--graph", required=True, help="its name in the registry")
    parser.add_argument("--downloads", type=Path, default="resources/downloads", help="default: %(default)s")
    parser.add_argument("--output", type=Path, required=True, help="folder to store the graph in")
    parser.add_argument(
        "--offline",
        choices=["stand-in", "fail"],
        default="stand-in",
        help="what to do if the graph is not available (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of what is generated (default: %(default)s)"
    )
    parser.may_keep_warnings()
    arguments = parser.parse_args()

    registry = load_registry(arguments.datasets)
    if arguments.graph not in registry:
        raise RetraceError(f"--graph: no graph {arguments.graph!r}; expected one of {', '.join(registry)}")
    dataset, mirror = registry[arguments.graph], os.environ.get("GRAPH_MIRROR") or None
    store(dataset, arguments.downloads, mirror, arguments.offline, arguments.seed, arguments.output)


if __name__ == "__main__":
    run_command(main)
