"""Add up all shards of a graph's betweenness scores, check the sum, and write the scores and a record."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import numpy as np

from retrace.catalogue.known_solvers import fixed
from retrace.check.checkers import checker_of
from retrace.check.result import digest
from retrace.graphs import csr
from retrace.graphs.answer_table import write_table
from retrace.graphs.query import sampled_or_all
from retrace.measure import environment
from retrace.measure.experiment import as_record
from retrace.measure.trials import Measurement, Request
from retrace.records.record import Trial, write_records
from retrace.system.errors import NotVerifiedError, OneLineParser, run_command
from retrace_today.scores.shards import gather


def main() -> None:
    """Parse the command line, add up, check, write."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--graph", required=True, type=Path, help="folder that get_graph.py wrote")
    parser.add_argument("--solver", default="betweenness/lane-queues", help="as for compute_shard.py")
    parser.add_argument("--sources", type=int, metavar="K", help="as for compute_shard.py")
    parser.add_argument("--seed", type=int, default=1, help="as for compute_shard.py")
    parser.add_argument("--backend", choices=("cuda", "emulator"), required=True, help="where kernels ran")
    parser.add_argument("--machine", default="local", help="name of the machine in the record")
    parser.add_argument("--shards", required=True, type=Path, nargs="+", help="files of all shards")
    parser.add_argument("--no-check", action="store_true", help="do not ask the oracle, which may take days")
    parser.add_argument("--scores", required=True, type=Path, help="table to write, .csv or .npy")
    parser.add_argument("--record", required=True, type=Path, help="record to write, .jsonl")
    arguments = parser.parse_args()

    started, began = datetime.now(UTC).isoformat(timespec="seconds"), perf_counter()
    graph, spec = csr.load(arguments.graph), fixed(arguments.solver)
    query = sampled_or_all(graph.info, arguments.sources, arguments.seed)
    scores, shards = gather(arguments.shards, graph, query)
    gathered_ms = (perf_counter() - began) * 1e3
    searched_ms = 1e3 * sum(shard.seconds for shard in shards)

    measured = Measurement(request=Request(spec, arguments.backend, query, None), started=started)
    if arguments.no_check:
        verdict = "not checked"
    else:
        measured.result = checker_of("betweenness", graph).check(spec, query, scores)
        if not measured.result.verified:
            raise NotVerifiedError(f"{graph.name}: {measured.result.reason}; nothing is written")
        verdict = f"verified against {measured.result.oracle}"
        upload_ms = sum(shard.facts["upload_ms"] for shard in shards)
        total_ms = upload_ms + searched_ms + gathered_ms
        times = Trial(upload=upload_ms, solve=searched_ms, download=gathered_ms, total=total_ms)
        measured.trials = [times]
        measured.setups = [shard.facts["setup_ms"] for shard in shards]
        measured.digest = digest(scores)
        measured.observed = {
            "shards": len(shards),
            "devices": max(shard.facts["devices"] for shard in shards),
            "passes": shards[0].facts["passes"],
            **measured.result.observed,
        }
    gpu = shards[0].facts["gpu"]
    origin = {"machine": environment.machine(arguments.machine, gpu), "software": environment.software()}
    if arguments.no_check:
        measured.skip("the scores were not checked")
    write_table(
        arguments.scores, {"vertex_from_0": np.arange(graph.vertices, dtype=np.int32), "score": scores}
    )
    write_records(arguments.record, [as_record("scores", graph.info, measured, origin)])
    print(
        f"{graph.name}: {len(shards)} shards, {searched_ms / 1e3:.1f} s of searches, {verdict}, "
        f"scores' sha256 {digest(scores)[:16]}"
    )


if __name__ == "__main__":
    run_command(main)
