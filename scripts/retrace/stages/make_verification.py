"""List which answers were verified."""

from pathlib import Path

from retrace.publish import verification
from retrace.publish.page import write_page
from retrace.reports.frame import read_frame
from retrace.system.models import Many
from retrace.system.stage import Stage


class MakeVerification(Stage):
    """Write the table of checks, as CSV, Markdown and HTML: each answer, its oracle, whether they agreed."""

    records: Many[Path]
    """Measured records, JSON lines."""
    output_prefix: str
    """Path without .csv, .md, .html."""

    def run(self) -> None:
        """Write the three files and print the sum."""
        _, frame = read_frame(None, self.records)
        write_page(self.output_prefix, verification.page(frame), verification.tidy(frame))
        print(verification.outcomes(frame))
