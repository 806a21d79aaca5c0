"""The mutants of `tests/mutations` still apply; `make mutants` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import needs_today
from cuda_device.errors import OneLineError
from mutations import run
from mutations.run import ROOT, Found, Mutant, mutants, share_found, table


def test_the_page_on_tests_counts_them() -> None:
    assert f" lists {len(mutants()):,} mutants " in (ROOT / "docs/testing.md").read_text()


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=[needs_today] * ("/retrace_today/" in file))
        for file in sorted({one.file for one in mutants()})
    ],
)
def test_each_mutant_changes_one_place(file: str) -> None:
    text = (ROOT / file).read_text()
    for mutant in mutants():
        if mutant.file == file:
            assert mutant.planted(text) != text


@needs_today
def test_each_mutant_is_there_once_and_its_tests_are_there() -> None:
    found: list[Mutant] = list(mutants())
    assert len({(one.file, one.old, one.new) for one in found}) == len(found)
    for files in {one.tests: one.test_files() for one in found}.values():
        assert files
        assert all((ROOT / name).is_file() for name in files), files


def test_no_mutant_is_planted_if_one_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other processes waited for the copy that its process did not give back."""
    astray = Mutant("tests/graphs.py", "tests/test_mutations.py", "no such text", "")
    monkeypatch.setattr(run, "mutants", lambda: [*mutants()[:1], astray])
    monkeypatch.setattr(run, "take_lock", lambda path: pytest.fail("it began"))
    monkeypatch.setattr("sys.argv", ["run.py"])
    with pytest.raises(OneLineError, match="'no such text' occurs 0 times, expected once"):
        run.main()


def test_a_verdict_is_kept_and_a_line_cut_short_is_not(tmp_path: Path) -> None:
    kept = Found(tmp_path / "found.jsonl")
    kept.add("first", "killed")
    kept.add("second", "timeout")
    kept.path.write_text(kept.path.read_text()[:-3])
    Found(kept.path).add("third", "crashed")
    assert Found(kept.path).verdicts == {"first": "killed", "third": "crashed"}


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
    told = ["killed", "crashed", "timeout", "survived", "equivalent"]
    verdicts = {Mutant(f"{n}.py", "", "a", "b"): one for n, one in enumerate(told)}
    assert share_found(verdicts).startswith(
        "found: 3 of 4 that change something; of all such mutants, 30.1% to"
    )
    assert share_found({}).startswith("found: 0 of 0")
