"""The library's structure: what may import what, and what is declared once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from retrace.graphs.csr import UNREACHABLE
from retrace.solvers import Setting, Solver, all_solvers, settings_of_all_solvers
from retrace.system import project

ALL = all_solvers()


@pytest.mark.parametrize("file", sorted((project.ROOT / "scripts/retrace/check").glob("*.py")))
def test_checks_share_no_code_with_solvers(file: Path) -> None:
    imported = project.imported(str(file.relative_to(project.ROOT)))
    assert [path for path in imported if path.startswith("scripts/retrace/solvers/")] == []


def test_module_names_of_the_library_are_unlike() -> None:
    library = project.ROOT / "scripts/retrace"
    names = Counter(path.stem for path in library.rglob("*") if path.suffix == ".py" or path.is_dir())
    assert [name for name, times in names.items() if times > 1 and not name.startswith("__")] == []


def test_solvers_know_their_problem() -> None:
    for solver in ALL:
        assert f"{solver.problem}/{solver.variant}" == solver.name


@pytest.mark.parametrize("solver", ALL, ids=lambda solver: solver.name)
def test_sources_are_the_files_that_a_solver_compiles(solver: type[Solver]) -> None:
    known = set(project.kernel_files())
    assert set(solver.sources) <= known
    text = "".join((project.KERNELS / file).read_text() for file in solver.sources)
    included = re.findall(r'#include "(?:[^"]*/)?([^"]+)"', text)
    headers = {file.rpartition("/")[2] for file in solver.sources if file.endswith("h")}
    assert headers <= set(included) <= {file.rpartition("/")[2] for file in solver.sources}


def test_solvers_that_share_a_setting_declare_the_same() -> None:
    every = settings_of_all_solvers()
    for solver in ALL:
        for key, setting in solver.settings.items():
            shared = every[key]
            assert (setting.least, setting.most, setting.choices) == (
                shared.least, shared.most, shared.choices,
            ), f"{solver.name}: {key}"  # fmt: skip
            assert setting.meaning == shared.meaning
            assert setting.parse(key, str(setting.default)) == setting.default
    assert every["blocks"].least == 0
    assert every["precision"].choices == ("float", "double")
    assert every["parts"] == Setting(2, every["parts"].meaning, least=1, most=UNREACHABLE - 1)
