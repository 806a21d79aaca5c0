"""Printed cells and records sorted into rows, for tables and figures alike.

A row is a printed one, or one that the report does not have: another pair of vertices, or a graph that must
not pass for the printed one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pandas as pd

from retrace.graphs.random import size
from retrace.records.model import Record
from retrace.records.statistics import Summary, summarise, too_noisy_to_rank
from retrace.system.errors import RetraceError

PRINTED_PAIR = "far"
"""The report does not say which pair of vertices it times; a far one is a search through the graph."""
PAIRS = (PRINTED_PAIR, "near", "unreachable")
TIMES = "\N{MULTIPLICATION SIGN}"
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass
class Line:
    """What belongs into one row: the printed cells, if any, and the records by machine and solver."""

    graph: str
    label: str
    pair: str
    printed: pd.DataFrame | None = None
    records: dict[tuple[str, str], Record] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The row's label: the graph, and the pair where it is not the printed one."""
        return self.label if self.pair == PRINTED_PAIR else f"{self.label}, {self.pair} pair"

    def summary(self, machine: str, solver: str) -> Summary | None:
        """Summarise the times of a solver on a machine, if there are any to show."""
        record = self.records.get((machine, solver))
        return summarise(record) if record else None


@dataclass(frozen=True)
class SpeedUp:
    """How many times faster one record is than another, by their medians."""

    ratio: float
    noisy: bool


def relevant(table: str, records: Iterable[Record]) -> list[Record]:
    """Choose the records that may stand in a table; an emulator's may not."""
    return [record for record in records if record.experiment == table and record.backend != "emulator"]


def machines(records: Iterable[Record]) -> list[str]:
    """Name the machines in the order they are shown: h200, then the others alphabetically."""
    return sorted({record.machine["name"] for record in records}, key=lambda name: (name != "h200", name))


def speed_up(slow: Record | None, fast: Record | None) -> SpeedUp | None:
    """Compare two records of the very same graph; None where there is nothing to compare."""
    if slow is None or fast is None or slow.graph["sha256"] != fast.graph["sha256"]:
        return None
    a, b = summarise(slow), summarise(fast)
    if a is None or b is None or b.median == 0:
        return None
    return SpeedUp(a.median / b.median, too_noisy_to_rank(a, b))


def lines(table: str, published: pd.DataFrame, records: Iterable[Record]) -> list[Line]:
    """Sort printed cells and records into rows: those printed, in their order, then all others.

    Raises
    ------
    RetraceError
        If two records claim one cell.
    """
    found: dict[tuple[str, str, str], Line] = {}
    for record in relevant(table, records):
        pair = record.parameters.get("pair", PRINTED_PAIR)
        key = (record.graph["name"], record.label, pair)
        line = found.setdefault(key, Line(*key))
        place = (record.machine["name"], record.solver)
        if place in line.records:
            raise RetraceError(
                f"{table}: two records of {record.solver} on {line.title} from {place[0]}; give one"
            )
        line.records[place] = record

    printed = published[published["table"] == table]
    order = list(printed["graph"].unique())
    rows = []
    for graph in order:
        # The printed row goes to what is nearest to the printed graph; a stand-in never gets it.
        labels = [label for name, label, pair in found if name == graph and pair == PRINTED_PAIR]
        nearest = min(labels, key=_distance, default=graph)
        key = (graph, graph if _distance(nearest) == STAND_IN else nearest, PRINTED_PAIR)
        line = found.pop(key) if key in found else Line(*key)
        line.printed = printed[printed["graph"] == graph]
        rows.append(line)
    rest = sorted(
        found, key=lambda key: (_index(order, key[0]), key[0], PAIRS.index(key[2]), _distance(key[1]))
    )
    return rows + [found[key] for key in rest]


def size_name(graph: str) -> str:
    """Write a random graph's number of vertices as a power of 2."""
    return "2" + str(size(graph)[0]).translate(SUPERSCRIPTS)


def outcome(record: Record) -> str:
    """Say in words what came of a record: ok, not verified, failed or skipped."""
    return record.status if record.status != "ok" or record.verified else "not verified"


def side_by_side(record: Record) -> str | None:
    """Say of a record whose trials ran at the same time that they did."""
    at_once = record.parameters.get("at_once")
    return f"{at_once} trials at a time, each on a core of its own." if at_once and record.timed else None


STAND_IN = 2


def _distance(label: str) -> int:
    """Order labels by how far they are from the printed graph: itself, other weights, a stand-in."""
    if label.endswith("(stand-in)"):
        return STAND_IN
    return int(label.endswith("(weights generated)"))


def _index(order: list[str], graph: str) -> int:
    return order.index(graph) if graph in order else len(order)
