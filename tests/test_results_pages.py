"""docs/results/ is what the committed records say today; what changes them makes it stale."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import Call
from retrace.planning.configuration import committed_records
from retrace.publish import results_pages
from retrace.publish.results_pages import REMAKE, stale
from retrace.system.project import ROOT

FOLDER = ROOT / "docs/results"
MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    return results_pages.pages(committed_records())


def test_the_results_are_those_of_the_committed_records(made: dict[str, bytes]) -> None:
    assert stale(made, FOLDER) == [], f"docs/results/ is stale; write it anew with: {REMAKE}"


def test_the_results_are_small_and_complete(made: dict[str, bytes]) -> None:
    assert sum(map(len, made.values())) < MOST_BYTES
    front = made["README.md"].decode()
    for name, content in made.items():
        if name.endswith(".md"):
            linked = re.findall(r"\]\(([\w.-]+)\)", content.decode())
            assert [link for link in linked if link not in made] == [], name
            assert name == "README.md" or f"({name})" in front
    assert "/home" not in front + str([text for name, text in made.items() if name.endswith(".svg")])
    assert f"`{REMAKE}`" in front


def test_what_is_stale_is_named(tmp_path: Path) -> None:
    for name in ("kept", "altered", "left"):
        (tmp_path / name).write_bytes(b"a")
    assert stale({"kept": b"a", "altered": b"b", "missing": b"a"}, tmp_path) == ["altered", "left", "missing"]


def test_the_program_writes_what_has_changed(
    tmp_path: Path, script: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_pages, "pages", lambda records: {"a.md": b"a", "b.svg": b"b"})
    (tmp_path / "a.md").write_bytes(b"a")
    (tmp_path / "old.svg").write_bytes(b"o")
    done = script("make_results.py", "--output", tmp_path)
    assert (done.status, done.err) == (0, "")
    assert done.out.split() == [str(tmp_path / "b.svg"), str(tmp_path / "old.svg")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.md", "b.svg"]
