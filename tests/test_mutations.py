"""The mutants of `tests/mutations` still apply; `make mutants` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import refused
from cuda_device.errors import OneLineError
from mutations import run
from mutations.run import ROOT, Mutant, VerdictFile, mutants, share_found, table


def test_the_page_on_tests_counts_them() -> None:
    assert f" lists {len(mutants()):,} mutants " in (ROOT / "docs/testing.md").read_text()


@pytest.mark.parametrize("file", sorted({mutant.file for mutant in mutants()}))
def test_each_mutant_changes_one_place(file: str) -> None:
    text = (ROOT / file).read_text()
    for mutant in mutants():
        if mutant.file == file:
            assert mutant.planted(text) != text


def test_each_mutant_is_there_once_and_its_tests_are_there() -> None:
    places = {(mutant.file, mutant.within, mutant.old, mutant.new) for mutant in mutants()}
    assert len(places) == len(mutants())
    for files in {mutant.tests: mutant.test_files() for mutant in mutants()}.values():
        assert files
        assert all((ROOT / name).is_file() for name in files), files


MODULE = """LIMIT = 1


class Search:
    step: int = 1

    @cache  # 1
    def levels(self):
        def deepest():
            return 1

        return deepest


def run():
    return 1
"""


def test_a_bug_is_planted_within_a_definition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "files_with", run.files_with.__wrapped__)
    place = tmp_path / "scripts/graphs/search.py"
    place.parent.mkdir(parents=True)
    place.write_text(MODULE)
    lines = MODULE.splitlines(keepends=True)
    for within, number in {"LIMIT": 0, "Search.step": 4, "Search.levels.deepest": 9, "run": 15}.items():
        changed = [*lines[:number], lines[number].replace("1", "2"), *lines[number + 1 :]]
        assert run.file_with(within) == "scripts/graphs/search.py"
        assert Mutant("", "", "1", "2", within=within).planted(MODULE) == "".join(changed)
    assert "Search.levels: '1' occurs 2 times" in refused(
        Mutant("", "", "1", "2", within="Search.levels").planted, MODULE
    )

    moved = place.rename(tmp_path / "scripts/moved.py")
    assert run.file_with("Search.step") == run.file_with("moved:run") == "scripts/moved.py"
    assert "steps is defined 0 times, expected once" in refused(run.file_with, "steps")
    place.write_text(MODULE)
    assert "run is defined 2 times" in refused(run.file_with, "run")
    assert run.file_with("graphs.search:run") == run.file_with("search:run") == "scripts/graphs/search.py"
    moved.write_text("def stop(): ...\n\n\ndef stop(): ...\n")
    assert "2 times, expected once (scripts/moved.py, scripts/moved.py)" in refused(run.file_with, "stop")


def test_no_mutant_is_planted_if_one_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other processes waited for the copy that its process did not give back."""
    astray = Mutant("tests/graphs.py", "tests/test_mutations.py", "no such text", "")
    monkeypatch.setattr(run, "mutants", lambda: [*mutants()[:1], astray])
    monkeypatch.setattr(run, "take_lock", lambda path: pytest.fail("it began"))
    monkeypatch.setattr("sys.argv", ["run.py"])
    with pytest.raises(OneLineError, match="'no such text' occurs 0 times, expected once"):
        run.main()


def test_a_verdict_is_kept_and_a_line_cut_short_is_not(tmp_path: Path) -> None:
    kept = VerdictFile(tmp_path / "verdicts.jsonl")
    kept.add("first", "killed")
    kept.add("second", "timeout")
    kept.path.write_text(kept.path.read_text()[:-3])
    VerdictFile(kept.path).add("third", "crashed")
    assert VerdictFile(kept.path).verdicts == {"first": "killed", "third": "crashed"}


def test_verdicts_are_counted_by_part() -> None:
    kernel, library = (
        Mutant("kernels/bfs/bsp.cu", "", "a", "b"),
        Mutant("scripts/retrace/check/x.py", "", "a", "b"),
    )
    rows = [
        line.strip("| ").split(" | ") for line in table({kernel: "killed", library: "survived"}).splitlines()
    ]
    assert rows[0] == ["part", "planted", "killed", "crashed", "timeout", "equivalent", "survived", "broken"]
    assert rows[2:] == [
        ["check/", *"1000010"], ["kernels/", *"1100000"], ["all", *"2100010"],
    ]  # fmt: skip


def test_what_changes_nothing_is_no_part_of_the_share_that_is_found() -> None:
    outcomes = ["killed", "crashed", "timeout", "survived", "equivalent"]
    verdicts = {Mutant(f"{n}.py", "", "a", "b"): outcome for n, outcome in enumerate(outcomes)}
    assert share_found(verdicts).startswith(
        "found: 3 of 4 that change something; of all such mutants, 30.1% to"
    )
    assert share_found({}).startswith("found: 0 of 0")
