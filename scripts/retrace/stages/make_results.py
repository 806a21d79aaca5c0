"""Write docs/results/ and the margins of times from the committed records."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.planning.configuration import committed_records, project_configuration
from retrace.publish.gpu_table import with_table
from retrace.publish.results_pages import pages, stale, with_today
from retrace.records.machine_check import find_errors
from retrace.records.margins import MARGINS, margins, margins_csv
from retrace.records.record import Record, survey
from retrace.records.repeatability import compute_margins
from retrace.system.errors import RetraceError
from retrace.system.files import write_whole
from retrace.system.project import ROOT
from retrace.system.stage import Stage


class MakeResults(Stage):
    """Write docs/results/ from the committed records, their margins, and the generated parts of documents."""

    output: Path = ROOT / "docs/results"
    """Folder of the pages."""

    def run(self) -> None:
        """Write the files that have changed, and delete those that are no part of it any more."""
        if lacking := [solver.lack for solver in CATALOGUE.listed.values() if not solver.is_there]:
            raise RetraceError(f"{lacking[0]}; the pages need all of the project's packages")
        paths = committed_records()
        computed = margins_csv(compute_margins(sound_records(paths)))
        if not MARGINS.exists() or MARGINS.read_text(encoding="utf-8") != computed:
            write_whole(MARGINS, computed)
            print(MARGINS)
            margins.cache_clear()
        texts = pages(paths)
        for name in stale(texts, self.output):
            if name in texts:
                write_whole(self.output / name, texts[name])
            else:
                (self.output / name).unlink()
            print(self.output / name)
        parts: dict[str, Callable[[str], str]] = {
            "docs/adding-a-gpu.md": with_table,
            "README.md": partial(with_today, records=paths),
        }
        for name, updated in parts.items():
            page = ROOT / name
            if (made := updated(current := page.read_text(encoding="utf-8"))) != current:
                write_whole(page, made)
                print(page)


def sound_records(paths: list[Path]) -> list[Record]:
    """Read records; raise RetraceError if one has a fault that keeps it out of tables."""
    configuration, registry = project_configuration()
    folders = {ROOT / configuration.records(name): name for name in configuration.machines}
    placed, faults = survey(paths, folders)
    if errors := faults + find_errors(placed, registry):
        raise RetraceError(f"{errors[0]}; `retrace check-machine` lists all faults")
    return list(placed.values())
