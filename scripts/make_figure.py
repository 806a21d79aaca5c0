"""Draw a published table, as SVG and PNG: time against graph size, printed and measured on the same axes."""

from __future__ import annotations

from pathlib import Path

from retrace.publish import figures, variant_figures
from retrace.publish.published import FIGURES, VARIANT_TABLES, read_published
from retrace.records.model import read_records
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, then the numbers; write the two files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--figure", required=True, choices=FIGURES)
    parser.add_argument("--published", required=True, type=Path, help="CSV of printed numbers")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .svg, .png")
    arguments = parser.parse_args()

    published, records = read_published(arguments.published), read_records(arguments.records)
    if FIGURES[arguments.figure] in VARIANT_TABLES:
        figure = variant_figures.figure(arguments.figure, published, records)
    else:
        figure = figures.figure(FIGURES[arguments.figure], published, records)
    for form, content in {form: figures.image(figure, form) for form in ("svg", "png")}.items():
        write_whole(Path(f"{arguments.output_prefix}.{form}"), content)


if __name__ == "__main__":
    run_command(main)
