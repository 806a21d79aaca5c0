"""Write the table of an experiment and draw its figures: printed numbers beside measured ones.

The table is OUTPUT/tables/<experiment>.csv, .md and .html; a figure is OUTPUT/figures/<figure>.svg and .png,
with its caption in .md. A figure is the report's; one with the experiment's name ranks all its solvers.
"""

from __future__ import annotations

from pathlib import Path

from retrace.publish import tables
from retrace.publish.chart import write_figure
from retrace.publish.page import write_page
from retrace.reports import frame
from retrace.reports.frame import read_frame
from retrace.reports.report import table_layout
from retrace.system.errors import OneLineParser, run_command


def main() -> None:
    """Read the arguments, then the numbers; write the files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--experiment", required=True, help="key of the experiment, such as table-3.3")
    parser.add_argument("--figures", nargs="*", default=[], metavar="FIGURE", help="figures of the report")
    parser.add_argument("--report", type=Path, help="YAML of the report; its printed numbers lie beside it")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output", required=True, type=Path, help="folder of the folders tables and figures")
    arguments = parser.parse_args()

    report, found = read_frame(arguments.report, arguments.records)
    experiment = arguments.experiment
    page = tables.page(found, experiment, report)
    numbers = frame.table(found.of(experiment), table_layout(report, experiment))
    write_page(str(arguments.output / "tables" / experiment), page, numbers)
    for name in arguments.figures:
        write_figure(arguments.output / "figures", name, found, report)


if __name__ == "__main__":
    run_command(main)
