"""Get one graph of the configuration's `datasets` and store it as memory-mappable CSR arrays.

The environment variable GRAPH_MIRROR names a folder or an http(s) address to try if the official ones fail.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from retrace.graphs import csr
from retrace.graphs.datasets import load_registry, obtain
from retrace.system.errors import OneLineParser, RetraceError, run_command


def main() -> None:
    """Parse the command line, get the graph, store it."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--config", type=Path, default="config.yaml", help="default: %(default)s")
    parser.add_argument("--graph", required=True, help="name of the graph in the configuration")
    parser.add_argument("--dataset", help="YAML or JSON text instead of the configuration's entry")
    parser.add_argument("--downloads", type=Path, default="resources/downloads", help="default: %(default)s")
    parser.add_argument("--output", type=Path, required=True, help="folder to store the graph in")
    parser.add_argument(
        "--offline",
        choices=["stand-in", "fail"],
        default="stand-in",
        help="what to do if no address provides the graph (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of generated graphs (default: %(default)s)")
    arguments = parser.parse_args()

    if arguments.dataset is not None:
        config = {"datasets": {arguments.graph: read_yaml(arguments.dataset, "--dataset")}}
    else:
        config = read_config(arguments.config)
    registry = load_registry(config)
    if arguments.graph not in registry:
        raise RetraceError(
            f"{arguments.config}: no graph {arguments.graph!r}; there are {', '.join(registry)}"
        )
    mirror = os.environ.get("GRAPH_MIRROR") or None
    graph = obtain(registry[arguments.graph], arguments.downloads, mirror, arguments.offline, arguments.seed)
    csr.save(graph, arguments.output)


def read_config(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping."""
    try:
        config = read_yaml(path.read_bytes(), str(path))
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    if not isinstance(config, dict):
        raise RetraceError(f"{path}: expected a mapping with a key 'datasets'")
    return config


def read_yaml(text: str | bytes, where: str) -> Any:
    """Parse YAML text; `where` names its origin in errors."""
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RetraceError(f"{where}: expected YAML, found: {' '.join(str(error).split())}") from None


if __name__ == "__main__":
    run_command(main)
