"""Judge what a report claims in words."""

from pathlib import Path

from retrace.publish import verdicts
from retrace.publish.page import write_page
from retrace.reports.frame import read_frame
from retrace.system.errors import RetraceError
from retrace.system.models import Many
from retrace.system.stage import Stage


class MakeClaims(Stage):
    """Write what a report claims in words, as CSV, Markdown and HTML: what was measured, a verdict."""

    report: Path
    """YAML of the report."""
    records: Many[Path]
    """Measured records, JSON lines."""
    output_prefix: str
    """Path without .csv, .md, .html."""

    def run(self) -> None:
        """Judge the claims and write the three files."""
        report, frame = read_frame(self.report, self.records)
        if report is None or not report.claims:
            raise RetraceError(f"{self.report}: claims: expected at least one; nothing to judge")
        write_page(self.output_prefix, verdicts.page(report, frame), verdicts.tidy(report, frame))
