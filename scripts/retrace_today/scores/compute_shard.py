"""Compute one shard of the betweenness scores of a graph, on all GPUs of this host.

The sources are cut into as many shards as there are to be jobs. A job that was killed goes on from its
checkpoint, beside the output. `gather_shards.py` adds all shards up; the sum is the same bits for any number
of shards, GPUs and interruptions.
"""

from __future__ import annotations

import signal
from contextlib import closing
from pathlib import Path
from time import perf_counter

from retrace.catalogue.known_solvers import fixed
from retrace.devices.backends import device_class
from retrace.graphs import csr
from retrace.graphs.query import sampled_or_all
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace_today.scores.crew import Crew
from retrace_today.scores.shards import CHECKPOINT_S, compute_shard


def main() -> None:
    """Parse the command line and compute."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--graph", required=True, type=Path, help="folder that get_graph.py wrote")
    help_text = "betweenness/lane-queues or bitmap-queue, with settings (default: %(default)s)"
    parser.add_argument("--solver", default="betweenness/lane-queues", help=help_text)
    help_text = "sample so many sources (default: those that the graph's registry names, or all)"
    parser.add_argument("--sources", type=int, metavar="K", help=help_text)
    parser.add_argument("--seed", type=int, default=1, help="of that sample (default: %(default)s)")
    parser.add_argument("--shard", required=True, type=int, metavar="K", help="number of the shard, from 0")
    parser.add_argument("--shards", required=True, type=int, metavar="N", help="number of shards")
    parser.add_argument("--backend", choices=("cuda", "emulator"), required=True, help="where kernels run")
    help_text = "GPUs of this host to use (default: all that this process sees)"
    parser.add_argument("--devices", type=int, default=0, metavar="N", help=help_text)
    parser.add_argument("--memory-gib", type=float, metavar="GIB", help="use no more memory of each GPU")
    parser.add_argument("--compute-capability", metavar="CC", help="use each GPU as one of it, such as 8.6")
    help_text = "seconds between checkpoints (default: %(default)s)"
    parser.add_argument("--checkpoint-s", type=float, default=CHECKPOINT_S, metavar="S", help=help_text)
    parser.add_argument("--output", required=True, type=Path, help="file to write, .npz")
    arguments = parser.parse_args()
    number, shards = arguments.shard, arguments.shards
    if not 0 <= number < shards:
        raise RetraceError(f"--shard: {number}, expected from 0 to --shards - 1 = {shards - 1}")
    if arguments.devices < 0:
        raise RetraceError(f"--devices: {arguments.devices}, expected at least 1, or 0 for all")
    if not arguments.checkpoint_s > 0:
        raise RetraceError(f"--checkpoint-s: {arguments.checkpoint_s:g}, expected more than 0")

    graph = csr.load(arguments.graph)
    query = sampled_or_all(graph.info, arguments.sources, arguments.seed)
    memory = arguments.memory_gib
    kind = device_class(arguments.backend)
    host = kind(memory_gib=memory, compute_capability=arguments.compute_capability)
    with closing(Crew(host.peers(arguments.devices), fixed(arguments.solver), graph)) as crew:
        began = perf_counter()
        shard = compute_shard(crew, graph, query, number, shards, arguments.output, arguments.checkpoint_s)
    print(
        f"{graph.name}, shard {number} of {shards}: {len(shard.done)} of {shard.facts['passes']} passes, "
        f"{perf_counter() - began:.1f} s on {len(crew.workers)} devices"
    )


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the checkpoint is written whole
    run_command(main)
