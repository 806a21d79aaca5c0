"""Write a table as CSV, Markdown and HTML: printed numbers beside measured ones, or measured ones alone."""

from __future__ import annotations

from pathlib import Path

from retrace.publish import generators, tables, variants, verification
from retrace.publish.page import render
from retrace.publish.published import MEASURED_TABLES, TABLES, VARIANT_TABLES, read_published
from retrace.records.model import read_records
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, then the numbers; write the three files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--experiment", "--table", required=True, help="name of the experiment")
    parser.add_argument("--report", type=Path, help="file of the report; printed numbers lie beside it")
    parser.add_argument("--published", type=Path, dest="numbers", help="CSV of printed numbers")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .csv, .md, .html")
    arguments = parser.parse_args()

    records = read_records(arguments.records)
    name = arguments.experiment
    if name in TABLES or name in VARIANT_TABLES:
        if arguments.numbers is None and arguments.report is None:
            raise RetraceError(f"--published: {name} has printed numbers; name their file")
        published = read_published(arguments.numbers or arguments.report.with_suffix(".csv"))
        form_of = variants if name in VARIANT_TABLES else tables
        page, tidy = form_of.page(name, published, records), form_of.tidy(name, published, records)
    else:
        other = generators if name in MEASURED_TABLES else verification
        page, tidy = other.page(records), other.tidy(records)
    files = {
        "csv": tidy.to_csv(index=False, lineterminator="\n"),
        "md": render(page, "md"),
        "html": render(page, "html"),
    }
    for form, text in files.items():
        write_whole(Path(f"{arguments.output_prefix}.{form}"), text)


if __name__ == "__main__":
    run_command(main)
