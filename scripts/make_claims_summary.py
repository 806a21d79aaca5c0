"""Count the claims of all reports by verdict, as CSV, Markdown and HTML, from the tables of their claims."""

from __future__ import annotations

from pathlib import Path

from retrace.publish import verdicts
from retrace.publish.page import write_page
from retrace.system.errors import OneLineParser, run_command


def main() -> None:
    """Read the arguments, then the tables; write the three files."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--claims", required=True, type=Path, nargs="+", help="CSV files of make_claims.py")
    parser.add_argument("--output-prefix", required=True, help="path without .csv, .md, .html")
    arguments = parser.parse_args()

    write_page(arguments.output_prefix, *verdicts.count_claims(arguments.claims))


if __name__ == "__main__":
    run_command(main)
