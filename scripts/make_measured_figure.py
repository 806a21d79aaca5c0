"""Draw a figure of a report that prints no numbers, as SVG and PNG: every line is measured."""

from __future__ import annotations

from pathlib import Path

from retrace.claims.figures import figure
from retrace.claims.reports import FIGURES
from retrace.publish.figures import image
from retrace.records.model import read_records
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, then the records; write the two files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--figure", required=True, choices=FIGURES)
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .svg, .png")
    arguments = parser.parse_args()

    drawn = figure(arguments.figure, read_records(arguments.records))
    for form in ("svg", "png"):
        write_whole(Path(f"{arguments.output_prefix}.{form}"), image(drawn, form))


if __name__ == "__main__":
    run_command(main)
