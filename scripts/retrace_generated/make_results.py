"""Write docs/results/, the margins of times and the made parts of documents from the committed records."""

from pathlib import Path

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.planning.configuration import committed_records, project_configuration
from retrace.records.machine_check import find_errors
from retrace.records.margins import MARGINS, margins, margins_csv
from retrace.records.record import Record, survey
from retrace.records.repeatability import compute_margins
from retrace.system.errors import RetraceError
from retrace.system.files import write_whole
from retrace.system.project import ROOT
from retrace.system.stage import Stage
from retrace_generated.results_pages import made_files, stale


class MakeResults(Stage):
    """Write docs/results/ from the committed records, their margins, and the made parts of documents."""

    output: Path = ROOT
    """Folder of the project, or another, to which the files are written."""

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
        made = made_files(paths)
        for name in stale(made, self.output):
            if name in made:
                write_whole(self.output / name, made[name])
            else:
                (self.output / name).unlink()
            print(self.output / name)


def sound_records(paths: list[Path]) -> list[Record]:
    """Read records; raise RetraceError if one has a fault that keeps it out of tables."""
    configuration, registry = project_configuration()
    folders = {ROOT / configuration.records(name): name for name in configuration.machines}
    placed, faults = survey(paths, folders)
    if errors := faults + find_errors(placed, registry):
        raise RetraceError(f"{errors[0]}; `retrace check-machine` lists all faults")
    return list(placed.values())
