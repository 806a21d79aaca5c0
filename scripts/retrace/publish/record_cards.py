"""What the page tells of a record, and the address by which a number of it is cited.

An address is the part of the page's link after `#`. It names what was measured, not the measurement: the
link still leads to the number after a machine has measured it again.
"""

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.publish.page import MARK, words
from retrace.publish.verification import result
from retrace.records.machine_check import Doubt
from retrace.records.record import PHASES, Record
from retrace.reports.frame import Measured
from retrace.reports.measures import Measure
from retrace.reports.wording import duration

SHOWN_OF_TRIALS = (
    *("upload", "solve", "download", "kernel", "load"),
    *("sm_clock_mhz", "throttled", "again", "lock", "prepare"),
)
"""What the page lists of a trial beside its total."""
MOST_TRIALS, DIGITS = 16, 5
"""Of how many trials it lists that, and with how many digits; it draws the totals of all."""


def address(record: Record) -> str:
    """Return `record/<machine>/<experiment>/<graph>/<solver>:<parameters>`, which no other record has."""
    asked = dict(sorted(record.parameters.items()))
    if record.source is not None:
        asked["source"] = record.source
    settings = ",".join(f"{key}={value}" for key, value in asked.items())
    place = f"record/{record.machine.name}/{record.experiment}/{record.graph.name}/{record.solver}"
    return f"{place}:{settings}" if settings else place


def cards(entries: Iterable[Measured], doubts: Mapping[str, Sequence[Doubt]]) -> dict[str, Any]:
    """Return what the page's script needs of records; what many share (machine, graph) is told once.

    `doubts` are by address.
    """
    shared: dict[tuple[tuple[str, str], ...], int] = {}
    records = []
    for entry in entries:
        parts = [_facts(part, entry.record) for part in ("about_graph", "about_machine", "about_software")]
        about = [shared.setdefault(tuple(part), len(shared)) for part in parts]
        records.append(_card(entry, entry.record, doubts.get(address(entry.record), ())) | {"about": about})
    return {"records": records, "shared": [list(part) for part in shared]}


def packed(data: Mapping[str, Any]) -> str:
    """Pack what the script needs into text, in a sixth of its bytes: columns, as JSON, gzip, base64."""
    records = data["records"]
    columns = {key: [card.get(key) for card in records] for key in dict.fromkeys(chain(*records))}
    plain = json.dumps({**data, "records": columns}, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.b64encode(gzip.compress(plain, mtime=0)).decode()


def _card(entry: Measured, record: Record, doubts: Sequence[Doubt]) -> dict[str, Any]:
    card: dict[str, Any] = {
        "id": address(record),
        "title": f"{entry.full_name} on {entry.title}, {record.machine.name}",
        "does": CATALOGUE.find(record.solver).implements,
        "result": result(record),
        "own": [*(("doubtful", doubt.found) for doubt in doubts), *_facts("about_answer", record)],
    }
    if not record.timed:
        return card
    measures: tuple[Measure, ...] = (*PHASES, "first search")
    times = {measure: entry.times[measure] for measure in measures if measure in entry.times}
    doubted = {measure: any(doubt.concerns(measure) for doubt in doubts) for measure in times}
    card["times"] = [
        (
            measure,
            duration(t.median) + f" {MARK}" * doubted[measure],
            *map(duration, (t.q1, t.q3, t.minimum)),
            t.n,
        )
        for measure, t in times.items()
    ]
    total = times["total"]
    card["total"] = (total.q1, total.median, total.q3)
    card["totals"] = [_rounded(trial.total) for trial in record.trials]
    card["throttled"] = [place for place, trial in enumerate(record.trials) if trial.throttled]
    shown = record.trials[:MOST_TRIALS]
    card["trials"] = [[_rounded(getattr(trial, name)) for trial in shown] for name in SHOWN_OF_TRIALS]
    return card


def _rounded(value: float | bool | None) -> float | bool | None:
    """Return what a reader can use of a number: its record's file has all of it."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _facts(part: str, record: Record) -> list[tuple[str, str]]:
    """Return names and values, in the order they are shown, from a macro of `words.txt.j2`."""
    lines = (line.partition(": ") for line in getattr(words(), part)(record).split("\n"))
    return [(name, value) for name, _, value in lines if value]
