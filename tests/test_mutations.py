"""The mutants of `tests/mutations` still apply; `make mutants` runs them."""

from __future__ import annotations

import shlex

import pytest

from mutations.run import ROOT, Mutant, mutants


@pytest.mark.parametrize("file", sorted({one.file for one in mutants()}))
def test_each_mutant_changes_one_place(file: str) -> None:
    text = (ROOT / file).read_text()
    for mutant in mutants():
        if mutant.file == file:
            assert mutant.planted(text) != text


def test_each_mutant_is_there_once_and_its_tests_are_there() -> None:
    found: list[Mutant] = list(mutants())
    assert len({(one.file, one.old, one.new) for one in found}) == len(found)
    for words in {one.tests for one in found}:
        files = [word.partition("::")[0] for word in shlex.split(words) if word.startswith("tests/")]
        assert files, words
        assert all((ROOT / name).is_file() for name in files), words
