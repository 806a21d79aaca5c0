"""Whether a run may show its records: checked once, and again when they, the registry or the check change."""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from retrace.graphs.dataset_registry import Dataset
from retrace.records.machine_check import find_errors
from retrace.records.record import survey
from retrace.system.errors import RetraceError
from retrace.system.files import write_whole
from retrace.system.project import build_folder, imports, path

CHECK = "retrace/planning/sound_records.py"


def first_fault(
    paths: Iterable[Path], folders: Mapping[Path, str], own: str, registry: Mapping[str, Dataset]
) -> str | None:
    """Return what keeps records out of a run, the first fault; None if they are sound.

    `folders` are those of machines; the machine `own` may have records that others may not, such as those of
    the emulator.
    """
    files = list(paths)
    key = _identity(files, folders, own, registry)
    known = build_folder() / "sound-records" / key
    if known.is_file() and known.read_text(encoding="ascii") == key:
        return None
    placed, faults = survey(files, folders)
    published = {place: record for place, record in placed.items() if record.machine.name != own}
    if errors := faults + find_errors(published, registry):
        return errors[0]
    with suppress(RetraceError):  # a folder that cannot be written: they are checked again
        write_whole(known, key)
    return None


def _identity(
    files: list[Path], folders: Mapping[Path, str], own: str, registry: Mapping[str, Dataset]
) -> str:
    """Return the sha256 of all that decides: records, where they are, registry, solvers, the check's code."""
    digest = hashlib.sha256(repr((own, sorted(folders.items()), sorted(registry.items()))).encode())
    for file in [*files, *map(Path, (path(f"scripts/{CHECK}"), *imports(CHECK)))]:
        digest.update(f"\0{file}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()
