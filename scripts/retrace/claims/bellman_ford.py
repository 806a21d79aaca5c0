"""The claims of an-bellman-ford, each judged from the records of one machine.

Copies are judged by `upload`, what the copies are part of by `total`, kernels by `kernel`: the launches'
device time, without what the host adds, which is alike for any number of edges a thread.
"""

from __future__ import annotations

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
from retrace.records.model import Record
from retrace.records.statistics import Summary

DENSE = Variant("bellman-ford/dense")
PINNED = Variant("bellman-ford/pinned")
INCOMING = Variant("bellman-ford/incoming")
OUTGOING = Variant("bellman-ford/outgoing")

COUNTS = (1, 2, 4, 8, 16, 32, 64)
"""Edges a thread that the report measures."""
BEST = 4
PARTS = (1, 2, 8, 32)
"""Parts of the matrix: one copies and relaxes it as a whole, the report takes two and warns of many."""

ALMOST_HALF = (0.4, 0.6)


def streams(parts: int, pinned: bool = False) -> Variant:
    """Name the version that copies the matrix in parts."""
    return Variant("bellman-ford/streams-pinned" if pinned else "bellman-ford/streams", {"parts": parts})


def multi_edge(count: int, coalesced: bool = True) -> Variant:
    """Name the version with several edges a thread."""
    solver = "bellman-ford/multi-edge" if coalesced else "bellman-ford/multi-edge-consecutive"
    return Variant(solver, {"edges_per_thread": count})


def transfer_share(record: Record) -> Summary | None:
    """Summarise the share of upload and download in the total of each trial, from 0 to 1."""
    shares = [(t["upload"] + t["download"]) / t["total"] for t in record.trials if t["total"] > 0]
    return Summary.of(shares) if record.timed and shares else None


def transfer_almost_half(evidence: Evidence) -> Finding:
    """Judge the share of the transfer in the basic version's total where it is greatest."""
    shares = {
        graph: share
        for graph, record in evidence.timed(DENSE).items()
        if enough(record, "total") and (share := transfer_share(record))
    }
    if not shares:
        return open_claim(evidence, [DENSE])
    greatest = max(shares, key=lambda graph: shares[graph].median)
    share, (low, high) = shares[greatest], ALMOST_HALF
    least = min(one.median for one in shares.values())
    measured = f"{least:.0%} to {share.median:.0%} of the total, most on {greatest}"
    if low <= share.q1 and share.q3 <= high:
        return Finding(Verdict.HOLDS, measured)
    if share.q3 < low:
        return Finding(Verdict.FAILS, measured, "it is less")
    if share.q1 > high:
        return Finding(Verdict.FAILS, measured, "it is more")
    return Finding(Verdict.OPEN, measured, f"the spread, {share.q1:.0%} to {share.q3:.0%}, is too wide")


def streams_hide_transfer(evidence: Evidence) -> Finding:
    """Judge two parts on two streams against one by the same kernels, from pageable and pinned memory."""
    whole, halves = PARTS[:2]
    pairs = [(streams(halves, pinned), streams(whole, pinned)) for pinned in (False, True)]
    return faster(evidence, pairs, "total")


def many_parts_do_not_pay(evidence: Evidence) -> Finding:
    """Judge whether many parts take longer than two."""
    few, many = PARTS[1], PARTS[-1]
    pairs = [(streams(few, pinned), streams(many, pinned)) for pinned in (False, True)]
    return faster(evidence, pairs, "total")


def pinned_copies_faster(evidence: Evidence) -> Finding:
    """Judge the copy of the matrix from pinned against pageable memory."""
    return faster(evidence, [(PINNED, DENSE)], "upload")


def pinned_gains_with_size(evidence: Evidence) -> Finding:
    """Judge whether the time that pinned memory saves grows from each size to the next."""
    found = cases(evidence, PINNED, DENSE, "upload")
    if len(found) < 2:
        return open_claim(evidence, [PINNED, DENSE])
    saved = [case.times[1].median - case.times[0].median for case in found]
    grows = {
        found[number].graph: -1 if saved[number] > saved[number - 1] else 1 for number in range(1, len(found))
    }
    texts = [
        f"{case.graph}: {shown(abs(ms))} {'saved' if ms >= 0 else 'lost'} ({three_digits(case.ratio)}{TIMES})"
        for case, ms in ((found[0], saved[0]), (found[-1], saved[-1]))
    ]
    return Finding(verdict(list(grows.values())), "; ".join(texts), places(grows))


def coalesced_is_faster(evidence: Evidence) -> Finding:
    """Judge the kernels that read the matrix along its rows against those whose threads read blocks of it."""
    pairs = [(multi_edge(count), multi_edge(count, coalesced=False)) for count in COUNTS[1:]]
    return faster(evidence, pairs, "kernel")


def four_edges_are_best(evidence: Evidence) -> Finding:
    """Judge whether any other number of edges a thread is faster than four."""
    by_count = {count: evidence.timed(multi_edge(count)) for count in COUNTS}
    orders, quoted = {}, []
    for graph in by_count[BEST]:
        times = {
            count: own
            for count, records in by_count.items()
            if graph in records and (own := enough(records[graph], "kernel"))
        }
        if set(times) != set(COUNTS):
            continue
        best = min(times, key=lambda count: times[count].median)
        against = {rank(times[BEST], times[count]) for count in COUNTS if count != BEST}
        orders[graph] = max(against)
        ratio = times[BEST].median / times[best].median
        beaten = f", {BEST} takes {three_digits(ratio)}{TIMES}" if best != BEST else ""
        quoted.append(f"{graph}: best {best} ({shown(times[best].median)}{beaten})")
    if not orders:
        return open_claim(evidence, [multi_edge(count) for count in COUNTS])
    return Finding(
        verdict(list(orders.values())), "; ".join(dict.fromkeys((quoted[0], quoted[-1]))), places(orders)
    )


def many_edges_are_slower(evidence: Evidence) -> Finding:
    """Judge 64 edges a thread against four."""
    return faster(evidence, [(multi_edge(BEST), multi_edge(COUNTS[-1]))], "kernel")


def edges_beat_vertices(evidence: Evidence) -> Finding:
    """Judge a thread an edge against a thread a vertex, by incoming and by outgoing edges."""
    return faster(evidence, [(DENSE, INCOMING), (DENSE, OUTGOING)], "solve")


def incoming_beats_outgoing(evidence: Evidence) -> Finding:
    """Judge incoming against outgoing edges."""
    return faster(evidence, [(INCOMING, OUTGOING)], "solve")


JUDGES = {
    "transfer-almost-half": Judge(
        f"upload + download of the basic version (dense) over its total; holds if the greatest share is "
        f"{ALMOST_HALF[0]:.0%} to {ALMOST_HALF[1]:.0%}",
        transfer_almost_half,
    ),
    "streams-hide-transfer": Judge(
        "total of streams, and of streams-pinned, in 2 parts against 1, by the same kernels",
        streams_hide_transfer,
    ),
    "many-parts-do-not-pay": Judge(f"total with 2 parts against {PARTS[-1]}", many_parts_do_not_pay),
    "pinned-copies-faster": Judge("upload of pinned against dense", pinned_copies_faster),
    "pinned-gains-with-size": Judge(
        "upload of dense less that of pinned; holds if it grows from each size to the next",
        pinned_gains_with_size,
    ),
    "coalesced-is-faster": Judge(
        "kernels of multi-edge against multi-edge-consecutive, 2 to 64 edges a thread",
        coalesced_is_faster,
    ),
    "four-edges-are-best": Judge(
        "kernels of multi-edge; holds if 4 is the fastest on more than half of the graphs and beaten on none",
        four_edges_are_best,
    ),
    "many-edges-are-slower": Judge(
        "kernels of multi-edge with 4 edges a thread against 64", many_edges_are_slower
    ),
    "edges-beat-vertices": Judge(
        "solve of dense against incoming and outgoing, without the copies", edges_beat_vertices
    ),
    "incoming-beats-outgoing": Judge(
        "solve of incoming against outgoing, without the copies", incoming_beats_outgoing
    ),
}
"""By the claims' keys."""
