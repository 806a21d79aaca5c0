"""Draw a published table, as SVG and PNG: time against graph size, printed and measured on the same axes."""

from __future__ import annotations

import argparse
from pathlib import Path

from retrace.errors import run_command
from retrace.files import write_whole
from retrace.measure.records import read_records
from retrace.publish import figures
from retrace.publish.published import TABLES, read_published


def main() -> None:
    """Read the arguments, then the numbers; write the two files."""
    numbers = [table.removeprefix("table-") for table in TABLES]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figure", required=True, choices=[f"figure-{number}" for number in numbers])
    parser.add_argument("--published", required=True, type=Path, help="CSV of printed numbers")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .svg, .png")
    arguments = parser.parse_args()

    published, records = read_published(arguments.published), read_records(arguments.records)
    figure = figures.figure(arguments.figure.replace("figure", "table"), published, records)
    for form, content in {form: figures.image(figure, form) for form in ("svg", "png")}.items():
        write_whole(Path(f"{arguments.output_prefix}.{form}"), content)


if __name__ == "__main__":
    run_command(main)
