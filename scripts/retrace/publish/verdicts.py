"""A report's claims as a table: a claim per row, and for each machine what was measured and the verdict.

The summary counts the claims of all reports by machine and verdict.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from retrace.publish.front import abstract, judging
from retrace.publish.page import Cell, Page, Table
from retrace.publish.provenance import emulated, provenance
from retrace.reports.finding import COMPARING, Finding, Verdict
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
    columns = {
        ("", "Section"): [Cell(claim.section) for claim in report.claims.values()],
        ("", "The report says"): [Cell(claim.says) for claim in report.claims.values()],
        ("", "Judged by"): [Cell(claim.rule or EMPTY) for claim in report.claims.values()],
    }
    for machine in records.machines:
        here = [of_claim[machine] for of_claim in findings.values()]
        columns[machine, "Measured"] = [Cell(finding.measured or EMPTY) for finding in here]
        columns[machine, "Verdict"] = [_verdict_cell(finding) for finding in here]
    cells = pd.DataFrame(columns, index=[("", name) for name in report.claims])
    return Page(
        title=f"{report.title}: what {report.key} says, and what was measured",
        summary="What the report says in words is held here against verified, timed records.",
        label_heading="Claim",
        tables=[Table(cells, texts=[head for _, head in columns])],
        remarks=[
            *COMPARING,
            "Without a GPU nothing can be told of kernels: docs/adding-a-gpu.md says how to measure.",
            *emulated(records.measured),
            *([] if records.machines else ["No machine here has measured any of it."]),
            *(provenance(machine, records.measured) for machine in records.machines),
        ],
    )


def _verdict_cell(finding: Finding) -> Cell:
    sure = f" ({finding.sureness})" if finding.sureness else ""
    return Cell(f"{finding.sentence}{sure}", bad=finding.verdict == Verdict.OPEN)


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
    totals = counts.groupby("machine").sum().assign(report="all reports").set_index("report", append=True)
    shown = pd.concat([counts, totals]).sort_index(level="machine", sort_remaining=False, kind="stable")
    shown.columns = pd.MultiIndex.from_product([[""], shown.columns])
    page = Page(
        title="Claims by report and verdict",
        summary="How many claims of each report hold, by the records of each machine.",
        label_heading="Report",
        tables=[Table(shown.map(lambda number: Cell(str(number))))],
        remarks=["The claims, their numbers and the reasons of the verdicts are on the page of each report."],
    )
    return page, counts.reset_index()
