"""A report's claims as a table: a claim a row, and for each machine what was measured and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

import pandas as pd

from retrace.claims import bellman_ford, brandes
from retrace.claims.evidence import Evidence, emulated
from retrace.claims.published import Claim
from retrace.claims.reports import REPORTS
from retrace.claims.verdicts import COMPARING, Finding, Judge, Verdict
from retrace.publish.page import EMPTY, Cell, Group, Page, Row, Table
from retrace.publish.rows import machines
from retrace.publish.tables import provenance
from retrace.records.model import Record

JUDGES: dict[str, dict[str, Judge]] = {
    "an-bellman-ford": bellman_ford.JUDGES,
    "domitrz-brandes": brandes.JUDGES,
}
"""How each report's claims are judged."""

COLUMNS = (
    "report",
    "section",
    "claim",
    "words",
    "experiment",
    "rule",
    "machine",
    "measured",
    "verdict",
    "why",
)


def find(claim: Claim, machine: str, records: Iterable[Record]) -> Finding:
    """Judge a claim by what a machine has measured."""
    if not claim.experiment:
        return Finding(Verdict.OPEN, why="nothing here measures it")
    return JUDGES[claim.report][claim.claim].judge(Evidence.of(machine, claim.experiment, records))


def tidy(claims: Sequence[Claim], records: Sequence[Record]) -> pd.DataFrame:
    """Lay the claims out for machines: one row for each claim and machine."""
    rows = []
    for claim in claims:
        for machine in machines(_of(claims, records)):
            found = find(claim, machine, records)
            told = (machine, found.measured, str(found.verdict), found.why)
            rows.append((*asdict(claim).values(), rule(claim), *told))
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype="string")


def page(claims: Sequence[Claim], records: Sequence[Record]) -> Page:
    """Lay the claims of one report out for reading."""
    own = _of(claims, records)
    found = machines(own)
    groups = [Group("", ["Section", "The report says", "Judged by"], "text")]
    groups += [Group(machine, ["Measured", "Verdict"], "text") for machine in found]
    rows = []
    for claim in claims:
        cells = [Cell(claim.section), Cell(claim.words), Cell(rule(claim) or EMPTY)]
        for machine in found:
            judged = find(claim, machine, records)
            cells += [
                Cell(judged.measured or EMPTY),
                Cell(judged.sentence, bad=judged.verdict == Verdict.OPEN),
            ]
        rows.append(Row(claim.claim, cells))
    return Page(
        title=f"{REPORTS[claims[0].report].title}: what {claims[0].report} says, and what was measured",
        summary="The report prints no numbers: what it says in words is held here against verified, timed "
        "records.",
        label_heading="Claim",
        tables=[Table(groups, rows)],
        remarks=[
            COMPARING,
            "Without a GPU nothing can be told: docs/adding-a-gpu.md says how to measure.",
            *emulated(own),
            *([] if found else ["No machine here has measured any of it."]),
            *(provenance(machine, own) for machine in found),
        ],
    )


def rule(claim: Claim) -> str:
    """Say how a claim is judged; empty if nothing here measures it."""
    return JUDGES[claim.report][claim.claim].rule if claim.experiment else ""


def _of(claims: Sequence[Claim], records: Iterable[Record]) -> list[Record]:
    """Choose the records that the claims are judged by."""
    experiments = {claim.experiment for claim in claims}
    return [record for record in records if record.experiment in experiments]
