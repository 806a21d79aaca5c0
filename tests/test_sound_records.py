"""Records are checked once, and again when they, where they are, the registry or the check's code change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricated import record
from retrace.planning import sound_records
from retrace.planning.sound_records import first_fault
from retrace.records.record import write_records
from retrace.system.project import CATALOGUE_FILE


@pytest.fixture
def checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of records in each check; in a build folder of its own."""
    checked: list[int] = []
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path / "build"))

    def find_errors(placed: dict[str, Any], _registry: object) -> list[str]:
        checked.append(len(placed))
        return ["x:1: wrong"] if len(placed) > 1 else []

    monkeypatch.setattr(sound_records, "find_errors", find_errors)
    return checked


def stored(folder: Path, *ms: float) -> list[Path]:
    path = folder / "h200/table-3.3/NY.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_records(
        path,
        [record(f"bfs/{name}", "NY", [time] * 5) for name, time in zip(("queue", "scipy"), ms, strict=False)],
    )
    return [path]


def test_what_was_found_sound_is_read_again_only_if_something_changed(
    tmp_path: Path, checks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = stored(tmp_path, 1.0), {tmp_path / "h200": "h200"}, "local", {}
    for _ in range(2):
        assert first_fault(*arguments) is None
        assert checks == [1]
    stored(tmp_path, 2.0)
    assert first_fault(*arguments) is None
    assert len(checks) == 2
    assert first_fault(arguments[0], {}, *arguments[2:]) is None
    assert len(checks) == 3
    assert first_fault(*arguments[:2], "other", {}) is None
    assert len(checks) == 4
    code = tmp_path / "code.py"
    code.write_text("")
    monkeypatch.setattr(sound_records, "imports", lambda _: [str(code)])
    assert first_fault(*arguments) is None
    code.write_text("changed")
    assert first_fault(*arguments) is None
    assert len(checks) == 6


def test_solvers_are_part_of_the_check() -> None:
    """A record of a solver that is gone is refused, though its bytes are the same."""
    assert CATALOGUE_FILE in sound_records.imports(sound_records.CHECK)


def test_what_is_wrong_is_found_every_time(tmp_path: Path, checks: list[int]) -> None:
    paths = stored(tmp_path, 1.0, 2.0)
    for times in (1, 2):
        assert first_fault(paths, {}, "local", {}) == "x:1: wrong"
        assert len(checks) == times


def test_a_damaged_note_or_none_is_no_reason_to_stop(
    tmp_path: Path, checks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = stored(tmp_path, 1.0)
    assert first_fault(paths, {}, "local", {}) is None
    (note,) = (tmp_path / "build/sound-records").iterdir()
    note.write_text("")
    assert first_fault(paths, {}, "local", {}) is None
    assert len(checks) == 2
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path / "file"))
    assert first_fault(paths, {}, "local", {}) is None
    assert len(checks) == 3
