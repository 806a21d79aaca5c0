"""Made-up records of one graph of a table of today, whose ratios are known by hand, and claims of them."""

from __future__ import annotations

from typing import Any

from fabricated import changed, record, trial
from retrace.records.record import Record
from retrace.reports.claim import Claim
from retrace.reports.frame import Frame, build
from retrace.reports.report import Report, TableLayout

HOSTS = {"a": "a" * 12, "b": "b" * 12}


def on(host: str, one: Record) -> Record:
    return changed(one, machine=one.machine.model_copy(update={"host": HOSTS[host]}))


def repeated(experiment: str, times: tuple[float, ...] = (9.0, 10.0, 11.0), **changes: Any) -> Record:
    return record("bfs/bsp", "NY", times, backend="cuda", experiment=experiment, **changes)


LAYOUT = TableLayout(
    title="Today",
    rows="ranked",
    by="first search",
    beside="resident",
    groups={"published": ["bfs/bsp", "bfs/queue"]},
)


def timed(solver: str, upload: float, solve: float, again: float | None = None, **changes: Any) -> Record:
    backend = "host" if changes.get("software") or solver in ("bfs/queue", "bfs/gapbs") else "cuda"
    kernel = solve / 2 if backend == "cuda" else None
    one = trial(solve, kernel, upload, 0.5 if backend == "cuda" else 0.0).model_copy(update={"again": again})
    given = {"setup": 100.0, "experiment": "today", "trials": [one] * 5} | changes
    return record(solver, "NY", backend=backend, **given)


OURS = timed("bfs/block-queue", 10.0, 2.0, 1.0, parameters={"block_queue_size": 512})
PLAIN = timed("bfs/block-queue", 1.0, 3.0, 2.5, parameters={"block_queue_size": 1})
PUBLISHED = timed("bfs/bsp", 5.0, 30.0, 20.0)
LIBRARY = timed("bfs/gapbs", 0.0, 8.0, trials=[trial(8.0).model_copy(update={"again": 6.0})] * 4)
CORE = timed("bfs/queue", 0.0, 9.0, 9.0)
EVERY = [OURS, PLAIN, PUBLISHED, LIBRARY, CORE]


def cold(one: Record) -> Record:
    """Return a record of before all solvers were timed again."""
    return changed(one, trials=[t.model_copy(update={"again": None}) for t in one.trials])


OLD = [OURS, PLAIN, *map(cold, (PUBLISHED, LIBRARY, CORE))]


def frame_of(*records: Record) -> Frame:
    return build(records, (), {"today": LAYOUT})


FASTER = {"faster": ["bfs/bsp"], "than": ["bfs/queue"]}


def report_of(**tests: dict[str, Any]) -> Report:
    claims = {
        name: Claim.model_validate({"section": "1", "says": name, "experiment": "today", "test": test})
        for name, test in tests.items()
    }
    return Report(key="made-up", title="Made up", author="Nobody", claims=claims)


CPP, PYTHON = ({"parameters": {"loop": loop}} for loop in ("c++", "python"))
