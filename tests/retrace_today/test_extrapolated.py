"""Times from all sources that follow from a sample of them: marked, and ranked with nothing."""

from __future__ import annotations

import pytest

from fabricated import changed, frame, record, without_answer
from retrace.publish import tables
from retrace.publish.page import Row
from retrace.records.record import Record

FAST = "fast-betweenness"
SAMPLED = {"sources": 4096, "source_seed": 1}
REASON = "predicted 840.8 s a trial, longest_s is 25"


def rows(*records: Record) -> dict[str, Row]:
    """Lay out the table of all sources of Gowalla; return its rows by their label."""
    found, report = frame((changed(one, experiment=FAST) for one in records), "today")
    page = tables.page(found, FAST, report)
    (table,) = (table for table in page.tables if table.heading.startswith("Gowalla on h200"))
    return {row.label: row for row in table.rows}


def sample(solver: str, machine: str = "h200", **parameters: float) -> Record:
    times = [18_000.0, 18_000.0, 18_000.0]
    return record(solver, "Gowalla", times, machine, source=None, parameters=SAMPLED | parameters)


ALL = without_answer("betweenness/gapbs", "Gowalla", "skipped", REASON, source=None)
OURS = record("betweenness/seq-array", "Gowalla", [2000.0] * 3, source=None)


def test_all_sources_take_as_many_times_as_long_and_are_marked() -> None:
    found = rows(OURS, ALL, sample("betweenness/gapbs"))
    cells = [cell for cell in found["betweenness/gapbs"].cells if cell.text.startswith(tables.EXTRAPOLATED)]
    expected = 18 * 196_591 / 4096
    assert expected == pytest.approx(864, abs=0.5)
    assert {cell.text for cell in cells} == {f"{tables.EXTRAPOLATED} 864 s"}
    for cell in cells:
        assert cell.bad
        assert cell.value is None
        assert cell.entry is None
        assert "extrapolated from 4,096 sources to 196,591" in cell.notes[0]
    assert list(found) == ["betweenness/seq-array", "betweenness/gapbs"]  # after all that are measured


@pytest.mark.parametrize(
    "other",
    [sample("betweenness/igraph"), sample("betweenness/gapbs", "h100"),
     record("betweenness/gapbs", "NY", source=None, parameters=SAMPLED)],
)  # fmt: skip
def test_a_sample_of_something_else_tells_nothing(other: Record) -> None:
    found = rows(OURS, ALL, other)
    assert [cell.text for cell in found["betweenness/gapbs"].cells if cell.bad] != []
    assert not any(cell.text.startswith(tables.EXTRAPOLATED) for cell in found["betweenness/gapbs"].cells)


def test_what_is_measured_is_not_extrapolated() -> None:
    measured = record("betweenness/gapbs", "Gowalla", [800_000.0] * 3, source=None)
    found = rows(OURS, measured, sample("betweenness/gapbs"))
    assert not any(cell.text.startswith(tables.EXTRAPOLATED) for cell in found["betweenness/gapbs"].cells)
