"""Write a table as CSV, Markdown and HTML: printed numbers beside measured ones, or measured ones alone."""

from __future__ import annotations

from pathlib import Path

from retrace.publish import generators, tables, variants
from retrace.publish.page import render
from retrace.publish.published import MEASURED_TABLES, TABLES, VARIANT_TABLES, read_published
from retrace.records.model import read_records
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, then the numbers; write the three files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--table", required=True, choices=[*TABLES, *VARIANT_TABLES, *MEASURED_TABLES])
    parser.add_argument("--published", type=Path, help="CSV of printed numbers, for a table that has some")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .csv, .md, .html")
    arguments = parser.parse_args()

    records = read_records(arguments.records)
    if arguments.table in MEASURED_TABLES:
        page, tidy = generators.page(records), generators.tidy(records)
    elif arguments.published is None:
        raise RetraceError(f"--published: {arguments.table} has printed numbers; name their file")
    else:
        published = read_published(arguments.published)
        form_of = variants if arguments.table in VARIANT_TABLES else tables
        page = form_of.page(arguments.table, published, records)
        tidy = form_of.tidy(arguments.table, published, records)
    files = {
        "csv": tidy.to_csv(index=False, lineterminator="\n"),
        "md": render(page, "md"),
        "html": render(page, "html"),
    }
    for form, text in files.items():
        write_whole(Path(f"{arguments.output_prefix}.{form}"), text)


if __name__ == "__main__":
    run_command(main)
