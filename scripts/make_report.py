"""Write the one page of all results: reports, claims, tables, figures, and the record of every number."""

from __future__ import annotations

from pathlib import Path

from retrace.publish.report_page import make_page
from retrace.reports.frame import read_frames
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, the reports and the records; write the page."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--reports", required=True, type=Path, nargs="*", help="YAML files of the reports")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument(
        "--figures", default=[], type=Path, nargs="*", help="SVG, each with its caption in .md beside it"
    )
    parser.add_argument("--machine", default="", help="the reader's own: its columns come first")
    parser.add_argument("--output", required=True, type=Path, help="the page, such as index.html")
    arguments = parser.parse_args()

    reports, frame = read_frames(arguments.reports, arguments.records)
    write_whole(arguments.output, make_page(reports, frame, arguments.figures, arguments.machine))


if __name__ == "__main__":
    run_command(main)
