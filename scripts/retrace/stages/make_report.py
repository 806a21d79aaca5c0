"""Write the one page of all results."""

from pathlib import Path

from retrace.publish.report_page import make_page
from retrace.reports.frame import read_frames
from retrace.system.files import write_whole
from retrace.system.models import Many
from retrace.system.stage import Stage


class MakeReport(Stage):
    """Write the one page of all results: reports, claims, tables, figures, and the record of every number."""

    reports: Many[Path]
    """YAML files of the reports."""
    records: Many[Path]
    """Measured records, JSON lines."""
    figures: Many[Path] = ()
    """SVG, each with its caption in .md beside it."""
    machine: str = ""
    """The reader's own: its columns come first."""
    output: Path
    """The page, such as index.html."""

    def run(self) -> None:
        """Read the reports and the records, and write the page."""
        reports, frame = read_frames(self.reports, self.records)
        write_whole(self.output, make_page(reports, frame, self.figures, self.machine))
