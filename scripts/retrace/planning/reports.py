"""A stand-in for `retrace.reports.model`: which tables, figures and claims the reports have."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from functools import cache

from retrace.claims.reports import REPORTS
from retrace.publish.published import FIGURES
from retrace.system.project import ROOT


@dataclass(frozen=True)
class Part:
    """A figure or a claim, and the experiment that it shows or is judged by."""

    experiment: str | None


@dataclass(frozen=True)
class Report:
    """What a run needs to know of a report."""

    key: str
    title: str
    tables: dict[str, str] = field(default_factory=dict)
    figures: dict[str, Part] = field(default_factory=dict)
    claims: dict[str, Part] = field(default_factory=dict)

    @property
    def experiments(self) -> list[str]:
        """Return the experiments of its tables, figures and claims."""
        parts = [part.experiment for part in (*self.figures.values(), *self.claims.values())]
        return list(dict.fromkeys([*self.tables, *filter(None, parts)]))


@cache
def reports_here() -> dict[str, Report]:
    """Return the reports of `results/published/` by key."""
    found = {}
    for file in sorted((ROOT / "results/published").glob("*.csv")):
        rows = list(csv.DictReader(file.read_text().splitlines()))
        report = Report(file.stem, file.stem)
        if file.stem in REPORTS:
            report.claims.update({row["claim"]: Part(row["experiment"] or None) for row in rows})
            report.figures.update({key: Part(name) for key, name in REPORTS[file.stem].figures.items()})
        else:
            report.tables.update({row["table"]: row["table"] for row in rows})
            report.figures.update({key: Part(name) for key, name in FIGURES.items() if name in report.tables})
        found[file.stem] = report
    return found
