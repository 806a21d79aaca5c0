"""Write docs/results/, what the committed records say, and in docs/adding-a-gpu.md which GPU runs what."""

from __future__ import annotations

from pathlib import Path

from retrace.planning.configuration import committed_records, project_configuration
from retrace.publish.gpu_table import with_table
from retrace.publish.results_pages import pages, stale
from retrace.records.machine_check import find_errors
from retrace.records.record import survey
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import write_whole
from retrace.system.project import ROOT


def main() -> None:
    """Write the files that have changed, and delete those that are no part of it any more."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "docs/results", help="by default docs/results")
    folder: Path = parser.parse_args().output

    paths = committed_records()
    require_sound(paths)
    texts = pages(paths)
    for name in stale(texts, folder):
        if name in texts:
            write_whole(folder / name, texts[name])
        else:
            (folder / name).unlink()
        print(folder / name)
    page = ROOT / "docs/adding-a-gpu.md"
    if (updated := with_table(current := page.read_text(encoding="utf-8"))) != current:
        write_whole(page, updated)
        print(page)


def require_sound(paths: list[Path]) -> None:
    """Raise RetraceError if a record has a fault that keeps it out of tables."""
    configuration, registry = project_configuration()
    folders = {ROOT / configuration.records(name): name for name in configuration.machines}
    placed, faults = survey(paths, folders)
    if errors := faults + find_errors(placed, registry):
        raise RetraceError(f"{errors[0]}; `retrace check-machine` lists all faults")


if __name__ == "__main__":
    run_command(main)
