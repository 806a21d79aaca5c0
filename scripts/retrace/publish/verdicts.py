"""A report's claims as a table: a claim per row, and for each machine what was measured and the verdict.

The summary counts the claims of all reports by machine and verdict.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from retrace.publish.page import Cell, Group, Page, Row, Table
from retrace.publish.provenance import emulated, provenance
from retrace.reports.frame import Frame
from retrace.reports.judge import COMPARING, Verdict, judge
from retrace.reports.report import Report
from retrace.reports.wording import EMPTY

COLUMNS = ["report", "section", "claim", "words", "experiment", "rule"]
COLUMNS += ["machine", "measured", "verdict", "why"]
SUMMARY = ["machine", "report", *Verdict, "claims"]
ALL = "all reports"


def tidy(report: Report, frame: Frame) -> list[dict[str, object]]:
    """Lay the claims out for machines: a row for each claim and machine, a cell for each of `COLUMNS`."""
    rows, machines = list[dict[str, object]](), judging(report, frame).machines
    for (name, claim), machine in product(report.claims.items(), machines):
        found = judge(report, claim, frame, machine)
        said = (report.key, claim.section, name, claim.says, ", ".join(claim.experiments), claim.rule)
        cells = (*said, machine, found.measured, str(found.verdict), found.why)
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


def page(report: Report, frame: Frame) -> Page:
    """Lay the claims of a report out for reading."""
    own = judging(report, frame)
    groups = [Group("", ["Section", "The report says", "Judged by"], "text")]
    groups += [Group(machine, ["Measured", "Verdict"], "text") for machine in own.machines]
    rows = []
    for name, claim in report.claims.items():
        cells = [Cell(claim.section), Cell(claim.says), Cell(claim.rule or EMPTY)]
        for machine in own.machines:
            found = judge(report, claim, frame, machine)
            cells += [Cell(found.measured or EMPTY), Cell(found.sentence, bad=found.verdict == Verdict.OPEN)]
        rows.append(Row(name, cells))
    return Page(
        title=f"{report.title}: what {report.key} says, and what was measured",
        summary="What the report says in words is held here against verified, timed records.",
        label_heading="Claim",
        tables=[Table(groups, rows)],
        remarks=[
            COMPARING,
            "Without a GPU nothing can be told of kernels: docs/adding-a-gpu.md says how to measure.",
            *emulated(own.entries),
            *([] if own.machines else ["No machine here has measured any of it."]),
            *(provenance(machine, own.measured) for machine in own.machines),
        ],
    )


def summary(tables: Iterable[Path]) -> tuple[Page, list[dict[str, object]]]:
    """Count the claims of CSV files that `tidy` laid out.

    Return the page, and a row for each machine and report, with a cell for each of `SUMMARY`.
    """
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for path in tables:
        with path.open(encoding="utf-8", newline="") as file:
            for claim in csv.DictReader(file):
                counts[claim["machine"]][claim["report"]][claim["verdict"]] += 1
    rows, numbers = [], list[dict[str, object]]()
    for machine, reports in sorted(counts.items()):
        rows.append(Row(machine))
        for report, found in [*sorted(reports.items()), (ALL, sum(reports.values(), Counter()))]:
            own = [*(found[verdict] for verdict in Verdict), found.total()]
            rows.append(Row(report, [Cell(str(number)) for number in own]))
            if report != ALL:
                numbers.append(dict(zip(SUMMARY, (machine, report, *own), strict=True)))
    page = Page(
        title="Claims by report and verdict",
        summary="How many claims of each report hold, by the records of each machine.",
        label_heading="Report",
        tables=[Table([Group("", [*Verdict, "claims"])], rows)],
        remarks=["The claims, their numbers and the reasons of the verdicts are on the page of each report."],
    )
    return page, numbers


def judging(report: Report, frame: Frame) -> Frame:
    """Return what the claims of a report are judged by."""
    experiments = {name for claim in report.claims.values() for name in claim.experiments}
    return Frame([entry for entry in frame.entries if entry.experiment in experiments])
