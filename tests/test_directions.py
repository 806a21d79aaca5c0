"""Which way round a ratio is: those shown of records in which one takes k times as long as another."""

from __future__ import annotations

import re

import pytest

from fabricated import changed, frame, measured, record, trial
from retrace.publish import tables
from retrace.reports.report import TableLayout, load_reports
from retrace.reports.wording import comparative, ratio, speed, times_as_much
from retrace_commands.chart_ratios import draw_ratios
from retrace_commands.comparison import HEAD, compare_records

TIMES_AS_LONG = (4.0, 0.25)
SPED_UP = {
    (report, experiment): layout
    for report, found in load_reports().items()
    for experiment, layout in found.tables.items()
    if layout.speed_up and layout.rows != "solvers"
}


@pytest.mark.parametrize("k", TIMES_AS_LONG)
def test_two_machines_are_compared_the_way_that_is_said(k: float) -> None:
    ms = {"first": 8.0, "second": 8.0 * k}
    both = [record("bfs/queue", "NY", [time, time, time], machine=name) for name, time in ms.items()]
    compared = compare_records(*both, "total")
    assert compared is not None
    assert compared.verdict == ("slower" if k > 1 else "faster")
    assert dict(zip(HEAD, compared.cells, strict=True))["ratio"] == f"{k:.3f}"
    axes = draw_ratios([compared], 0, ("first", "second")).axes[0]
    above, below = re.findall("first|second", axes.get_xlabel())
    (dot,) = [line for line in axes.lines if str(line.get_gid()).startswith("ratio-")]
    assert dot.get_xdata()[0] == pytest.approx(ms[above] / ms[below])


@pytest.mark.parametrize("k", TIMES_AS_LONG)
@pytest.mark.parametrize(("report", "experiment"), SPED_UP)
def test_a_speed_up_is_how_many_times_as_long_the_slow_one_takes(
    report: str, experiment: str, k: float
) -> None:
    layout: TableLayout = SPED_UP[report, experiment]
    assert layout.speed_up is not None
    asked = {"pair": "far", "target": 9} if layout.speed_up.of.startswith("stcon") else {}
    records = [
        measured(spec, experiment, graph, [trial(ms, ms / 2 if on_gpu else None)] * 3)
        for spec, ms, on_gpu in ((layout.speed_up.of, 5.0, True), (layout.speed_up.over, 5.0 * k, False))
        for graph in ("NY", "random-20-5")
    ]
    records = [changed(one, parameters=one.parameters | asked) for one in records]
    found, described = frame(records, report)
    page = tables.page(found, experiment, described)
    shown = [
        cell.text
        for table in page.tables
        for row in table.rows
        for (_, head), cell in zip(table.columns, row.cells, strict=False)
        if head == "speed-up" and cell.value
    ]
    assert set(shown) == {ratio(k)}


@pytest.mark.parametrize("k", TIMES_AS_LONG)
def test_words_say_who_is_faster(k: float) -> None:
    assert speed(k).endswith("faster" if k > 1 else "slower")
    assert comparative(k).endswith("slower" if k > 1 else "faster")
    assert ratio(k).startswith(f"{k:.3g}")
    assert float(times_as_much(k).split("\N{NO-BREAK SPACE}")[0]) == k
