"""Write the table of an experiment and draw its figures."""

from pathlib import Path

from retrace.publish import tables
from retrace.publish.chart import drawing_of, write_figure
from retrace.publish.page import write_page
from retrace.reports import frame
from retrace.reports.frame import read_frame
from retrace.reports.report import table_layout
from retrace.system.models import Many
from retrace.system.stage import Stage


class PublishExperiment(Stage):
    """Write the table of an experiment and draw its figures: printed numbers beside measured ones.

    The table is OUTPUT/tables/EXPERIMENT.csv, .md and .html; a figure is OUTPUT/figures/FIGURE.svg and .png,
    with its caption in .md. A figure is the report's; one with the experiment's name ranks all its solvers.
    """

    experiment: str
    """Key of the experiment, such as table-3.3."""
    figures: Many[str] = ()
    """Figures of the report."""
    report: Path | None = None
    """YAML of the report, if any; its printed numbers lie beside it."""
    records: Many[Path]
    """Measured records, JSON lines."""
    output: Path
    """Folder of the folders tables and figures."""

    def run(self) -> None:
        """Read the numbers and write the files."""
        report, numbers = read_frame(self.report, self.records)
        for name in self.figures:  # before anything is written
            drawing_of(report, name, [entry.experiment for entry in numbers.measured])
        page = tables.page(numbers, self.experiment, report)
        table = frame.table(numbers.of(self.experiment), table_layout(report, self.experiment))
        write_page(str(self.output / "tables" / self.experiment), page, table)
        for name in self.figures:
            write_figure(self.output / "figures", name, numbers, report)
