"""Write the table of an experiment, as CSV, Markdown and HTML: printed numbers beside measured ones."""

from __future__ import annotations

from pathlib import Path

from retrace.publish import tables
from retrace.publish.page import write_page
from retrace.reports import frame
from retrace.reports.frame import read_frame
from retrace.reports.report import table_layout
from retrace.system.errors import OneLineParser, run_command


def main() -> None:
    """Read the arguments, then the numbers; write the three files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--experiment", required=True, help="key of the experiment, such as table-3.3")
    parser.add_argument("--report", type=Path, help="YAML of the report that has it, if one does")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .csv, .md, .html")
    arguments = parser.parse_args()

    report, found = read_frame(arguments.report, arguments.records)
    layout = table_layout(report, arguments.experiment)
    page = tables.page(found, arguments.experiment, report)
    write_page(arguments.output_prefix, page, frame.table(found.of(arguments.experiment), layout))


if __name__ == "__main__":
    run_command(main)
