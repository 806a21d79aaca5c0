"""Draw a waterfall of a report: a printed time's way to ours."""

from pathlib import Path

from retrace.publish.chart import write_figure
from retrace.reports.frame import read_frame
from retrace.system.models import Many
from retrace.system.stage import Stage


class DrawWaterfall(Stage):
    """Draw a waterfall of a report: a printed time's way to ours, from the records of several experiments.

    The figure is OUTPUT/FIGURE.svg and .png, with its caption in .md.
    """

    figure: str
    """Name of the figure in the report."""
    report: Path
    """YAML of the report."""
    records: Many[Path]
    """Measured records, JSON lines."""
    output: Path
    """Folder of the figure."""

    def run(self) -> None:
        """Read the numbers and write the files."""
        report, frame = read_frame(self.report, self.records)
        write_figure(self.output, self.figure, frame, report)
