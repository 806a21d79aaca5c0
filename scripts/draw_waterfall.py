"""Draw a waterfall of a report: a printed time's way to ours, from the records of several experiments.

The figure is OUTPUT/<figure>.svg and .png, with its caption in .md.
"""

from __future__ import annotations

from pathlib import Path

from retrace.publish.chart import write_figure
from retrace.reports.frame import read_frame
from retrace.system.errors import OneLineParser, run_command


def main() -> None:
    """Read the arguments, then the numbers; write the files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--figure", required=True, help="name of the figure in the report")
    parser.add_argument("--report", required=True, type=Path, help="YAML of the report")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output", required=True, type=Path, help="folder of the figure")
    arguments = parser.parse_args()

    report, frame = read_frame(arguments.report, arguments.records)
    write_figure(arguments.output, arguments.figure, frame, report)


if __name__ == "__main__":
    run_command(main)
