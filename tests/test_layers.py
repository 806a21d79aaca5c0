"""The library's structure: what may import what, and what is declared once."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from retrace.graphs.csr import UNREACHABLE
from retrace.solvers import GENERATORS, REGISTRY, Setting, Solver, settings_of_all_solvers
from retrace.system import project

ALL = [*REGISTRY.solvers.values(), *GENERATORS.solvers.values()]


@pytest.mark.parametrize("file", project.files_in("scripts/retrace/check", "*.py"))
def test_checks_share_no_code_with_solvers(file: str) -> None:
    imported = project.imported(file)
    assert [path for path in imported if path.startswith("scripts/retrace/solvers/")] == []


@pytest.mark.parametrize("package", ["solvers", "check", "commands", "devices", "measure"])
def test_module_names_of_a_package_occur_nowhere_else(package: str) -> None:
    library = project.ROOT / "scripts/retrace"
    names = Counter(path.stem for path in library.rglob("*") if path.suffix == ".py" or path.is_dir())
    own = [path.stem for path in (library / package).rglob("*.py") if path.stem != "__init__"]
    assert [name for name in own if names[name] > 1] == []


def test_solvers_know_their_problem() -> None:
    for solver in ALL:
        assert f"{solver.problem}/{solver.variant}" == solver.name


@pytest.mark.parametrize("solver", ALL, ids=lambda solver: solver.name)
def test_sources_are_the_files_that_a_solver_compiles(solver: type[Solver]) -> None:
    known = set(project.kernel_files())
    assert set(solver.sources) <= known
    text = "".join((project.KERNELS / file).read_text() for file in solver.sources)
    included = re.findall(r'#include "(?:[^"]*/)?([^"]+)"', text)
    assert set(included) <= {file.rpartition("/")[2] for file in solver.sources}


def test_sources_follow_includes() -> None:
    assert REGISTRY.find("betweenness/vert-queue").sources == (
        "betweenness/vert-queue.cu", "betweenness/vert_queue.cuh", "betweenness/vert.cuh",
        "betweenness/brandes.cuh",
    )  # fmt: skip
    assert set(REGISTRY.find("sssp/thrust").sources) == {
        "thrust/sssp_thrust.cpp", "host/graph.h", "sssp/mask.cuh",
    }  # fmt: skip
    assert REGISTRY.find("bfs/scipy").sources == ()


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
