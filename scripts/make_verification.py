"""Write the verification table, as CSV, Markdown and HTML: each answer, its oracle, whether they agreed."""

from __future__ import annotations

from pathlib import Path

from retrace.publish import verification
from retrace.publish.page import write_page
from retrace.reports.frame import read_frame
from retrace.system.errors import OneLineParser, run_command


def main() -> None:
    """Read the arguments, then the records; write the three files and print the sum."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .csv, .md, .html")
    arguments = parser.parse_args()

    _, frame = read_frame(None, arguments.records)
    write_page(arguments.output_prefix, verification.page(frame), verification.tidy(frame))
    print(verification.outcomes(frame))


if __name__ == "__main__":
    run_command(main)
