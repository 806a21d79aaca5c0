"""Write the verification table, as CSV, Markdown and HTML: each answer, its oracle, whether they agreed."""

from __future__ import annotations

from pathlib import Path

from retrace.publish import verification
from retrace.publish.page import render
from retrace.records.model import read_records
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, then the records; write the three files and say the sum."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .csv, .md, .html")
    arguments = parser.parse_args()

    records = read_records(arguments.records)
    page = verification.page(records)
    files = {
        "csv": verification.tidy(records).to_csv(index=False, lineterminator="\n"),
        "md": render(page, "md"),
        "html": render(page, "html"),
    }
    for form, text in files.items():
        write_whole(Path(f"{arguments.output_prefix}.{form}"), text)
    print(verification.summary(records))


if __name__ == "__main__":
    run_command(main)
