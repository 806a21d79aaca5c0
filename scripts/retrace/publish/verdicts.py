"""A report's claims as a table: a claim per row, and for each machine what was measured and the verdict.

The summary counts the claims of all reports by machine and verdict.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from retrace.publish.front import abstract, judging
from retrace.publish.page import Cell, Group, Page, Row, Table
from retrace.publish.provenance import emulated, provenance
from retrace.reports.finding import COMPARING, Verdict
from retrace.reports.frame import Frame
from retrace.reports.report import Report
from retrace.reports.wording import EMPTY
from retrace.system.errors import RetraceError
from retrace.system.files import check_regular
from retrace.system.models import one_line

COLUMNS = ["report", "section", "claim", "words", "experiment", "rule"]
COLUMNS += ["machine", "measured", "verdict", "why", "sureness"]


def tidy(report: Report, frame: Frame) -> pd.DataFrame:
    """Lay the claims out for machines: one row for each claim and machine."""
    rows, findings = [], abstract(report, frame).findings
    for name, claim in report.claims.items():
        cells = (report.key, claim.section, name, claim.says, ", ".join(claim.experiments), claim.rule)
        for machine, finding in findings[name].items():
            of_machine = finding.measured, str(finding.verdict), finding.why, finding.sureness
            rows.append((*cells, machine, *of_machine))
    return pd.DataFrame(rows, columns=COLUMNS, dtype="string")


def page(report: Report, frame: Frame) -> Page:
    """Lay the claims of a report out for reading."""
    records, findings = judging(report, frame), abstract(report, frame).findings
    groups = [Group("", ["Section", "The report says", "Judged by"], "text")]
    groups += [Group(machine, ["Measured", "Verdict"], "text") for machine in records.machines]
    rows = []
    for name, claim in report.claims.items():
        cells = [Cell(claim.section), Cell(claim.says), Cell(claim.rule or EMPTY)]
        for finding in findings[name].values():
            sure = f" ({finding.sureness})" if finding.sureness else ""
            is_open = finding.verdict == Verdict.OPEN
            cells += [Cell(finding.measured or EMPTY), Cell(f"{finding.sentence}{sure}", bad=is_open)]
        rows.append(Row(name, cells))
    return Page(
        title=f"{report.title}: what {report.key} says, and what was measured",
        summary="What the report says in words is held here against verified, timed records.",
        label_heading="Claim",
        tables=[Table(groups, rows)],
        remarks=[
            COMPARING,
            "Without a GPU nothing can be told of kernels: docs/adding-a-gpu.md says how to measure.",
            *emulated(records.measured),
            *([] if records.machines else ["No machine here has measured any of it."]),
            *(provenance(machine, records.measured) for machine in records.machines),
        ],
    )


def read_tidy(path: Path) -> pd.DataFrame:
    """Read a table that `tidy` laid out; raise RetraceError if it is none, or has another verdict."""
    check_regular(path)
    try:
        table = pd.read_csv(path, dtype="string")
    except (OSError, ValueError) as error:  # those of pandas are ValueErrors
        table, why = pd.DataFrame(), f" ({one_line(error)})"
    else:
        why = ""
    if list(table.columns) != COLUMNS or not table["verdict"].isin(list(Verdict)).all():
        raise RetraceError(f"{path}: expected a table of claims{why}; write it again, by make-claims")
    return table


def count_claims(tables: Iterable[Path]) -> tuple[Page, pd.DataFrame]:
    """Count the claims of CSV files that `tidy` laid out; return the page, and a row for each number."""
    claims = pd.concat([read_tidy(path) for path in tables], ignore_index=True)
    counts = pd.crosstab([claims["machine"], claims["report"]], claims["verdict"])
    counts = counts.reindex(columns=list(Verdict), fill_value=0).assign(claims=lambda row: row.sum(axis=1))
    rows = []
    for machine, part in counts.groupby("machine"):
        numbers = {report: part.loc[machine, report] for _, report in part.index}
        numbers |= {"all reports": part.sum()}
        rows.append(Row(str(machine)))
        rows += [Row(report, [Cell(str(number)) for number in some]) for report, some in numbers.items()]
    page = Page(
        title="Claims by report and verdict",
        summary="How many claims of each report hold, by the records of each machine.",
        label_heading="Report",
        tables=[Table([Group("", [*Verdict, "claims"])], rows)],
        remarks=["The claims, their numbers and the reasons of the verdicts are on the page of each report."],
    )
    return page, counts.reset_index()
