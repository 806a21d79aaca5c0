"""Store the identity of a complete graph with random weights: its size and the seed of its matrix."""

from __future__ import annotations

from pathlib import Path

from retrace.graphs import dense
from retrace.graphs.random import WEIGHTS
from retrace.system.errors import OneLineParser, run_command


def main() -> None:
    """Parse the command line, store the identity."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--vertices", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument(
        "--weights",
        type=int,
        nargs=2,
        default=WEIGHTS,
        metavar=("LOW", "HIGH"),
        help=f"range of the weights, positive (default: {WEIGHTS[0]} {WEIGHTS[1]})",
    )
    parser.add_argument("--output", type=Path, required=True, help="folder to store graph.json in")
    arguments = parser.parse_args()

    low, high = arguments.weights
    dense.save(dense.DenseGraph(arguments.vertices, arguments.seed, (low, high)), arguments.output)


if __name__ == "__main__":
    run_command(main)
