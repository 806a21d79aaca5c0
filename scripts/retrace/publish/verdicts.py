"""A report's claims as a table: a claim per row, and for each machine what was measured and the verdict."""

from itertools import product

import pandas as pd

from retrace.publish.page import Cell, Group, Page, Row, Table
from retrace.publish.provenance import emulated, provenance
from retrace.reports.frame import Frame
from retrace.reports.judge import COMPARING, Verdict, judge
from retrace.reports.report import Report
from retrace.reports.wording import EMPTY

COLUMNS = ["report", "section", "claim", "words", "experiment", "rule"]
COLUMNS += ["machine", "measured", "verdict", "why"]


def tidy(report: Report, frame: Frame) -> pd.DataFrame:
    """Lay the claims out for machines: one row for each claim and machine."""
    rows, machines = [], _judging(report, frame).machines
    for (name, claim), machine in product(report.claims.items(), machines):
        found = judge(report, claim, frame, machine)
        said = (report.key, claim.section, name, claim.says, ", ".join(claim.experiments), claim.rule)
        rows.append((*said, machine, found.measured, str(found.verdict), found.why))
    return pd.DataFrame(rows, columns=COLUMNS, dtype="string")


def page(report: Report, frame: Frame) -> Page:
    """Lay the claims of a report out for reading."""
    own = _judging(report, frame)
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


def _judging(report: Report, frame: Frame) -> Frame:
    experiments = {name for claim in report.claims.values() for name in claim.experiments}
    return Frame([entry for entry in frame.entries if entry.experiment in experiments])
