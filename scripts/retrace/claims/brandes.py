"""The claims of domitrz-brandes, each judged from the records of one machine.

Versions are compared by `solve`, the searches alone, or by `total` where what comes before them counts too:
copies, and what is made of the graph on the host.
"""

from __future__ import annotations

from dataclasses import replace

from retrace.claims.evidence import Evidence, Variant
from retrace.claims.verdicts import (
    Finding,
    Judge,
    Verdict,
    cases,
    enough,
    faster,
    open_claim,
    places,
    rank,
    verdict,
)
from retrace.publish.rows import TIMES
from retrace.publish.tables import shown, three_digits
from retrace.records.model import Phase, Record
from retrace.records.statistics import SAME


def variant(name: str, **settings: int | str) -> Variant:
    """Name a version of the report, or one beside it."""
    return Variant(f"betweenness/{name}", settings)


SEQUENTIAL = tuple(variant(name) for name in ("seq-stl", "seq-vector", "seq-array"))
CUDA = tuple(
    variant(name)
    for name in (
        "vert",
        "edge",
        "vert-queue",
        "vert-comp",
        "edge-comp",
        "vert-queue-comp",
        "vert-virt",
        "vert-virt-stride",
        "vert-comp-virt",
        "vert-comp-virt-stride",
        "vert-comp-virt-stride-const",
    )
)
"""The eleven CUDA versions of the report."""
PEERS = tuple(variant(name) for name in ("networkit", "igraph"))
DESCRIBED = tuple(variant(name) for name in ("levels", "vert-prefix", "vert-comp2-virt-stride"))
"""What the report describes or suggests without having tried it."""
OURS = (variant("lanes"), variant("auto"))

FASTEST = variant("vert-comp-virt-stride")
"""According to the report."""
QUEUES = (
    (variant("vert-queue"), variant("vert")),
    (variant("vert-queue-comp"), variant("vert-comp")),
)
CONSTANT = (variant("vert-comp-virt-stride-const"), FASTEST)
STRIDES = (
    (variant("vert-virt-stride"), variant("edge")),
    (FASTEST, variant("edge-comp")),
)
LEVELS = (variant("levels"), variant("vert"))
"""The same work on the same graph, by a launch for each source and level, and by one launch."""
PREFIX_SUMS = (variant("vert-prefix"), variant("vert"))
DEGREE_2 = (variant("vert-comp2-virt-stride"), FASTEST)

GOWALLA = 196_591
"""Vertices of loc-gowalla."""
FIVE_MINUTES = 300_000.0


def sampled(record: Record) -> bool:
    """Tell whether only some vertices were sources."""
    return bool(record.parameters.get("sources"))


def under_five_minutes(evidence: Evidence) -> Finding:
    """Judge the slowest of the CUDA versions on the whole of a graph as large as loc-gowalla."""
    orders, slowest, untimed = {}, (0.0, ""), []
    for version in CUDA:
        times = [
            own
            for label, record in evidence.timed(version).items()
            if record.graph["vertices"] >= GOWALLA
            and not sampled(record)
            and (own := evidence.summaries(version, "total").get(label))
        ]
        if not times:
            untimed.append(str(version))
            continue
        longest = max(own.q3 for own in times)
        orders[str(version)] = -1 if longest < FIVE_MINUTES else 1
        slowest = max(slowest, (longest, str(version)))
    if not orders:
        if not evidence.on_gpu:
            return open_claim(evidence, CUDA)
        return Finding(Verdict.OPEN, why="no graph of that size was measured as a whole")
    measured = f"slowest: {shown(slowest[0])} ({slowest[1]})"
    late = [version for version, order in orders.items() if order == 1]
    if late:
        found = Verdict.FAILS if len(late) == len(CUDA) else Verdict.IN_PART
        return Finding(found, measured, f"not {', '.join(late)}")
    if untimed:
        return Finding(Verdict.IN_PART, measured, f"not measured: {', '.join(untimed)}")
    return Finding(Verdict.HOLDS, measured)


def fewer_blocks_are_slower(evidence: Evidence) -> Finding:
    """Judge the fewest blocks that were measured against the most."""
    counts = settings_of(evidence, FASTEST, "blocks")
    if len(counts) < 2:
        return open_claim(evidence, [FASTEST])
    few, many = (variant("vert-comp-virt-stride", blocks=count) for count in (counts[0], counts[-1]))
    return faster(evidence, [(many, few)], "solve")


def settings_of(evidence: Evidence, version: Variant, key: str) -> list[int]:
    """List the values of a setting that a version was timed with; 0 leaves it to the solver, so is none."""
    found = {r.parameters.get(key) for r in evidence.records if r.timed and version.fits(r)}
    return sorted(int(value) for value in found if value)


def launch_a_level_is_slower(evidence: Evidence) -> Finding:
    """Judge one launch against one for each source and level, a thread a vertex in both."""
    levels, one_launch = LEVELS
    return faster(evidence, [(one_launch, levels)], "solve")


def stride_of_compacted_is_fastest(evidence: Evidence) -> Finding:
    """Judge the report's fastest version against each of its other ten."""
    evidence = where_compaction_helps(evidence)
    by_graph = {version: evidence.timed(version) for version in CUDA}
    orders, quoted = {}, ""
    for graph in by_graph[FASTEST]:
        times = {
            version: own
            for version, records in by_graph.items()
            if graph in records and (own := enough(records[graph], "total"))
        }
        if FASTEST not in times or len(times) < 2:
            continue
        others = {version: rank(times[FASTEST], own) for version, own in times.items() if version != FASTEST}
        # the constant-memory version is the same but for where two numbers are kept
        against = {version: order for version, order in others.items() if version != CONSTANT[0]} or others
        orders[graph] = max(against.values())
        best = min(times, key=lambda version: times[version].median)
        quoted = f"{graph}: fastest of {len(times)} is {best} ({shown(times[best].median)})"
        if best != FASTEST:
            ratio = three_digits(times[FASTEST].median / times[best].median)
            quoted += f", {FASTEST} takes {ratio}{TIMES}"
    if not orders:
        return open_claim(evidence, CUDA)
    return Finding(verdict(list(orders.values())), quoted, places(orders))


def stride_saves_atomics(evidence: Evidence) -> Finding:
    """Judge Stride-CSR against edge parallelism, on the whole and on the compacted graph."""
    return faster(where_compaction_helps(evidence), STRIDES, "solve")


def where_compaction_helps(evidence: Evidence) -> Evidence:
    """Leave out what ran on a compacted graph that is the whole: it was the same work done twice."""

    def helps(record: Record) -> bool:
        left = record.observed.get("searched_vertices")
        return "-comp" not in record.solver or left is None or left < record.graph["vertices"]

    return replace(evidence, records=[record for record in evidence.records if helps(record)])


def streams_help_a_little(evidence: Evidence) -> Finding:
    """Judge the upload on several streams against that on one; what pinned memory costs both is quoted."""
    found = faster(evidence, [(variant("vert", streams=4), variant("vert", streams=1))], "upload")
    for label, plain in reversed(evidence.summaries(variant("vert", streams=0), "upload").items()):
        measured = f"{found.measured}; {label}: {shown(plain.median)} without pinned memory"
        return replace(found, measured=measured.removeprefix("; "))
    return found


def cpu_for_small_graphs(evidence: Evidence) -> Finding:
    """Judge up to which graph the CPU is faster."""
    found = cases(evidence, SEQUENTIAL[-1], FASTEST, "total")
    if len(found) < 2:
        return open_claim(evidence, [SEQUENTIAL[-1], FASTEST])
    cpu = [case.graph for case in found if case.order == -1]
    measured = f"{found[0]}; {found[-1]}"
    if not cpu:
        return Finding(Verdict.FAILS, measured, "the GPU is no slower on any graph")
    more = "" if cpu[-1] != found[-1].graph else ", the largest measured"
    return Finding(Verdict.HOLDS, measured, f"the CPU is faster up to {cpu[-1]}{more}")


def degree_2_reduction_helps(evidence: Evidence) -> Finding:
    """Judge the searches with the further reduction against those without, where it removes anything."""
    further, without = (
        {
            label: record.observed.get("searched_vertices", 0)
            for label, record in evidence.timed(version).items()
        }
        for version in DEGREE_2
    )
    shares = {label: left / without[label] for label, left in further.items() if without.get(label)}
    reduced = {label: share for label, share in shares.items() if share < 1}
    if shares and not reduced:
        return Finding(Verdict.OPEN, why=f"there is nothing to remove from {', '.join(shares)}")
    records = [record for record in evidence.records if record.label in reduced]
    found = faster(replace(evidence, records=records), [DEGREE_2], "solve")
    left = ", ".join(f"{share:.0%} of the vertices left on {label}" for label, share in reduced.items())
    return replace(found, measured="; ".join(filter(None, (found.measured, left))))


def queues_lose(evidence: Evidence) -> Finding:
    """Judge the versions with queues against those that look at every vertex, on both graphs."""
    pairs = [(without, queue) for queue, without in QUEUES]
    return faster(where_compaction_helps(evidence), pairs, "solve")


def constant_memory_does_not_help(evidence: Evidence) -> Finding:
    """Judge the searches with constant memory against those without."""
    return no_faster(evidence, *CONSTANT, "solve")


def gpu_prefix_sums_are_pointless(evidence: Evidence) -> Finding:
    """Judge what prefix sums on the GPU would save of the total with those from the host."""
    records, orders, measured = evidence.timed(PREFIX_SUMS[0]), {}, ""
    for case in cases(evidence, *PREFIX_SUMS, "total"):
        sums = [records[case.graph].observed.get(f"prefix_{where}_ms", 0.0) for where in ("device", "host")]
        if all(sums):
            total = case.times[1].median
            orders[case.graph] = 1 if sums[1] - sums[0] > (SAME - 1) * total else -1
            measured = (
                f"{case.graph}: {shown(sums[0])} on the GPU, {shown(sums[1])} on the host, of {shown(total)} "
                "in all"
            )
    if not orders:
        return open_claim(evidence, PREFIX_SUMS)
    return Finding(verdict(list(orders.values())), measured, places(orders))


def no_faster(evidence: Evidence, own: Variant, base: Variant, phase: Phase) -> Finding:
    """Judge whether a version is no faster than another: it may be slower, or the same."""
    found = cases(evidence, own, base, phase)
    if not found:
        return open_claim(evidence, (own, base))
    orders = {case.graph: 1 if case.order == -1 else -1 for case in found}
    slower = sum(case.order == 1 for case in found)
    measured = (
        f"{found[-1]}; slower on {slower}, faster on {list(orders.values()).count(1)} of {len(found)} graphs"
    )
    return Finding(verdict(list(orders.values())), measured, places(orders))


JUDGES = {
    "under-five-minutes": Judge(
        "total of each of the eleven CUDA versions, all vertices being sources, on a graph of at least "
        f"{GOWALLA:,} vertices; holds if the third quartile of each is less than 300 s",
        under_five_minutes,
    ),
    "fewer-blocks-are-slower": Judge(
        "solve of vert-comp-virt-stride with the most blocks that were measured against the fewest",
        fewer_blocks_are_slower,
    ),
    "launch-a-level-is-slower": Judge("solve of vert against levels", launch_a_level_is_slower),
    "stride-of-compacted-is-fastest": Judge(
        "total of vert-comp-virt-stride against every other CUDA version of the report but "
        "vert-comp-virt-stride-const, which has a claim of its own, where compaction removes vertices",
        stride_of_compacted_is_fastest,
    ),
    "stride-saves-atomics": Judge(
        "solve of vert-virt-stride against edge, and, where compaction removes vertices, of "
        "vert-comp-virt-stride against edge-comp",
        stride_saves_atomics,
    ),
    "streams-help-a-little": Judge(
        "upload of vert on 4 streams against one, both from pinned memory", streams_help_a_little
    ),
    "cpu-for-small-graphs": Judge(
        "total of seq-array against vert-comp-virt-stride; holds if the CPU is faster on some graphs",
        cpu_for_small_graphs,
    ),
    "degree-2-reduction-helps": Judge(
        "solve of vert-comp2-virt-stride against vert-comp-virt-stride, on graphs that lose vertices by it",
        degree_2_reduction_helps,
    ),
    "queues-lose": Judge(
        "solve of vert against vert-queue, and, where compaction removes vertices, of vert-comp against "
        "vert-queue-comp",
        queues_lose,
    ),
    "constant-memory-does-not-help": Judge(
        "solve of vert-comp-virt-stride-const against vert-comp-virt-stride; holds if it is faster nowhere",
        constant_memory_does_not_help,
    ),
    "gpu-prefix-sums-are-pointless": Judge(
        f"prefix sums on the host less those on the GPU; holds if they are {SAME - 1:.0%} of vert's total or "
        "less on every graph",
        gpu_prefix_sums_are_pointless,
    ),
}
"""By the claims' keys."""
