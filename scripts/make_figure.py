"""Draw a figure, as SVG and PNG, and write its caption beside it.

A figure is one of a report's, or the name of an experiment: then every solver of it is ranked.
"""

from __future__ import annotations

from pathlib import Path

from retrace.publish.chart import draw, drawing_of, image
from retrace.publish.chart_words import caption
from retrace.reports.frame import read_frame
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, then the numbers; write the three files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--figure", required=True, help="a figure of the report, or an experiment")
    parser.add_argument("--report", type=Path, help="YAML of the report; its printed numbers lie beside it")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .svg, .png, .md")
    arguments = parser.parse_args()

    report, frame = read_frame(arguments.report, arguments.records)
    drawing = drawing_of(report, arguments.figure, [entry.experiment for entry in frame.measured])
    figure = draw(drawing, frame, report)
    text = caption(drawing, frame, report).encode()
    for form, content in {"svg": image(figure, "svg"), "png": image(figure, "png"), "md": text}.items():
        write_whole(Path(f"{arguments.output_prefix}.{form}"), content)


if __name__ == "__main__":
    run_command(main)
