"""Write docs/results/, what the committed records say, and in docs/adding-a-gpu.md which GPU runs what."""

from __future__ import annotations

from pathlib import Path

from retrace.planning.configuration import committed_records
from retrace.publish.gpu_table import with_table
from retrace.publish.results_pages import pages, stale
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole
from retrace.system.project import ROOT


def main() -> None:
    """Write the files that have changed, and delete those that are no part of it any more."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "docs/results", help="by default docs/results")
    folder: Path = parser.parse_args().output

    made = pages(committed_records())
    for name in stale(made, folder):
        if name in made:
            write_whole(folder / name, made[name])
        else:
            (folder / name).unlink()
        print(folder / name)
    page = ROOT / "docs/adding-a-gpu.md"
    if (told := with_table(before := page.read_text(encoding="utf-8"))) != before:
        write_whole(page, told)
        print(page)


if __name__ == "__main__":
    run_command(main)
