"""Draw a figure, as SVG and PNG, with a caption: measured times, beside printed ones if there are any."""

from __future__ import annotations

from pathlib import Path

from retrace.claims.figures import figure as measured_figure
from retrace.claims.reports import FIGURES as MEASURED
from retrace.publish import figures, variant_figures
from retrace.publish.published import FIGURES, VARIANT_TABLES, read_published
from retrace.records.model import read_records
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, then the numbers; write the three files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--figure", required=True, help="name of the figure")
    parser.add_argument("--report", type=Path, help="file of the report; printed numbers lie beside it")
    parser.add_argument("--published", type=Path, dest="numbers", help="CSV of printed numbers")
    parser.add_argument("--records", required=True, type=Path, nargs="*", help="measured records, JSON lines")
    parser.add_argument("--output-prefix", required=True, help="path without .svg, .png, .md")
    arguments = parser.parse_args()

    records, name = read_records(arguments.records), arguments.figure
    if name in FIGURES:
        if arguments.numbers is None and arguments.report is None:
            raise RetraceError(f"--published: {name} has printed numbers; name their file")
        published = read_published(arguments.numbers or arguments.report.with_suffix(".csv"))
        if FIGURES[name] in VARIANT_TABLES:
            figure = variant_figures.figure(name, published, records)
        else:
            figure = figures.figure(FIGURES[name], published, records)
    elif name in MEASURED:
        figure = measured_figure(name, records)
    else:
        from matplotlib.figure import Figure

        figure = Figure()
    for form in ("svg", "png"):
        write_whole(Path(f"{arguments.output_prefix}.{form}"), figures.image(figure, form))
    if arguments.numbers is None:
        write_whole(Path(f"{arguments.output_prefix}.md"), f"{name}\n")


if __name__ == "__main__":
    run_command(main)
