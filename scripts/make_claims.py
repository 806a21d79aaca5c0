"""Write what a report claims in words, as CSV, Markdown and HTML: what was measured, a verdict."""

from __future__ import annotations

from pathlib import Path

from retrace.publish import verdicts
from retrace.publish.page import write_page
from retrace.reports.frame import read_frame
from retrace.system.errors import OneLineParser, RetraceError, run_command


def main() -> None:
    """Read the arguments, the report and the records; write the three files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--report", required=True, type=Path, help="YAML of the report")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .csv, .md, .html")
    arguments = parser.parse_args()

    report, frame = read_frame(arguments.report, arguments.records)
    if report is None or not report.claims:
        raise RetraceError(f"{arguments.report}: claims: expected at least one; nothing to judge")
    write_page(arguments.output_prefix, verdicts.page(report, frame), verdicts.tidy(report, frame))


if __name__ == "__main__":
    run_command(main)
