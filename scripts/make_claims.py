"""Write what a report says in words, as CSV, Markdown and HTML: each claim, what was measured, a verdict."""

from __future__ import annotations

from pathlib import Path

from retrace.claims import table
from retrace.claims.published import read_claims
from retrace.publish.page import render
from retrace.records.model import read_records
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, the claims and the records; write the three files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument(
        "--report", "--claims", required=True, type=Path, help="file of the report; its claims lie beside it"
    )
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .csv, .md, .html")
    arguments = parser.parse_args()

    claims, records = read_claims(arguments.report.with_suffix(".csv")), read_records(arguments.records)
    page = table.page(claims, records)
    files = {
        "csv": table.tidy(claims, records).to_csv(index=False, lineterminator="\n"),
        "md": render(page, "md"),
        "html": render(page, "html"),
    }
    for form, text in files.items():
        write_whole(Path(f"{arguments.output_prefix}.{form}"), text)


if __name__ == "__main__":
    run_command(main)
