"""The library's structure: what is read when, and what is declared once.

What may import what is said in pyproject.toml, and checked by import-linter (`make check`).
"""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from command_line import needs_today, python
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers import Setting, Solver
from retrace.system import project
from retrace_generated.write_schemas import project_solvers, settings_of_all_solvers
from solving import needs_networkit

ALL = project_solvers()
LIBRARY = project.ROOT / "scripts/retrace"
HOUSES = {name: sorted((project.ROOT / "scripts" / name).rglob("*.py")) for name in project.OWN_PACKAGES}
OWN = "|".join(project.OWN_PACKAGES)
ARCHITECTURE = (project.ROOT / "docs/architecture.md").read_text(encoding="utf-8")
ALIKE = {
    "COLUMNS", "PHASES", "PIECE", "T", "WORTH_KEEPING", "load", "page", "save", "tidy",
    "experiments", "kernels", "rules", "solvers",
}  # fmt: skip
"""Names that mean the same in each module that has them, such as the columns of its CSV file."""


def test_imports_are_those_that_python_sees() -> None:
    """A run's jobs depend on them, read without Python's parser."""
    for file in (project.ROOT / "scripts").rglob("*.py"):
        seen = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(project.OWN_PACKAGES):
                for name in (str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)):
                    stem = f"scripts/{name.replace('.', '/')}"
                    seen |= {f"{stem}.py", f"{stem}/__init__.py"}
            elif isinstance(node, ast.Constant) and re.fullmatch(rf"({OWN})(\.\w+)+:\w+", str(node.value)):
                seen.add(f"scripts/{node.value.partition(':')[0].replace('.', '/')}.py")  # an entry point
        modules = {path for path in seen if (project.ROOT / path).exists()}
        assert project.imported_by(str(file.relative_to(project.ROOT))) == modules, file


@pytest.mark.long
@needs_today
@pytest.mark.parametrize(
    ("module", "forbidden", "contract"),
    [
        ("cuda_device/memory.py", "cuda_on_cpu.build", "packages"),
        ("cuda_device/memory.py", "retrace.system.files", "packages"),
        ("cuda_on_cpu/build.py", "retrace.system.files", "packages"),
        ("retrace/devices/backends.py", "cuda_on_cpu.device", "packages"),
        ("retrace/devices/backends.py", "retrace_today.limits", "packages"),
        ("retrace/reports/judge.py", "retrace_audit.audit", "packages"),
        ("retrace/reports/judge.py", "retrace_peers.best_threads", "packages"),
        ("retrace_today/limits.py", "retrace_audit.audit", "packages"),
        ("retrace_today/limits.py", "retrace_peers.best_threads", "packages"),
        ("retrace_audit/audit.py", "retrace_today.limits", "packages"),
        ("retrace/cli.py", "retrace_commands.arguments", "packages"),
        ("retrace_commands/lists.py", "retrace_audit.audit", "packages"),
        ("retrace_commands/lists.py", "retrace.stages.tune", "commands"),
        ("retrace_archive/make_crate.py", "retrace.stages.tune", "commands"),
        ("retrace_generated/make_site.py", "retrace.stages.tune", "commands"),
        ("retrace_generated/make_site.py", "retrace_audit.audit", "packages"),
        ("retrace_audit/audit.py", "retrace.publish.tables", "audit"),
        ("retrace_audit/audit.py", "retrace.solvers.solver", "audit"),
        ("retrace_today/limits.py", "cuda_on_cpu.device", "today"),
        ("retrace_today/limits.py", "retrace.publish.tables", "today"),
        ("retrace_peers/best_threads.py", "retrace.publish.tables", "today"),
        ("retrace/system/files.py", "retrace.planning.plan", "layers"),
        ("retrace/added/__init__.py", "", "layers"),
        ("retrace/check/result.py", "retrace.solvers.solver", "checks"),
    ],
)
def test_an_import_that_a_contract_forbids_is_refused(
    module: str, forbidden: str, contract: str, tmp_path: Path
) -> None:
    for name in HOUSES:
        shutil.copytree(LIBRARY.parent / name, tmp_path / name)
    copy = tmp_path / module
    copy.parent.mkdir(exist_ok=True)
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    options = ["--no-cache", f"--config={project.ROOT / 'pyproject.toml'}", f"--contract={contract}"]
    clean = python(program, *options, PYTHONPATH=str(tmp_path))
    assert clean.returncode == 0, clean.stdout
    with copy.open("a") as file:
        file.write(f"\nimport {forbidden or 'os'}\n")
    planted = python(program, *options, PYTHONPATH=str(tmp_path))
    assert planted.returncode == 1, planted.stderr
    assert module.removesuffix(".py").removesuffix("/__init__").replace("/", ".") in planted.stdout


def test_the_layers_of_the_contract_are_those_of_the_architecture() -> None:
    contracts = tomllib.loads((project.ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = (contract["layers"] for contract in contracts if contract["id"] == "layers")
    rows = re.findall(r"^\| `(\w+)/`.*$", ARCHITECTURE, re.MULTILINE)
    order = [name for name in rows if (LIBRARY / name).is_dir()]
    assert layers == ["__main__", "cli", *reversed(order)]


SOLVERS = "retrace.solvers"
DEVICES = f"{SOLVERS} cuda_device.interface scipy.sparse igraph networkit pycuda"
READ_RECORDS = (
    "from pathlib import Path; from retrace.records.record import read_records; "
    f"file = Path({str(project.ROOT / 'results/machines/h200/table-3.3/NY.jsonl')!r})"
)


@pytest.mark.parametrize(
    ("program", "unread"),
    [
        ("from retrace.records.record import read_records", f"{DEVICES} numpy"),
        (f"{READ_RECORDS}; read_records([file])[0].cores", f"{DEVICES} numpy"),
        ("from retrace.planning.configuration import project_configuration as c; c()", DEVICES),
        ("from retrace.planning import plan", f"{SOLVERS} igraph networkit matplotlib pandas requests"),
        ("from retrace.measure import trials", "igraph networkit matplotlib pandas requests"),
        ("from retrace.reports import judge", f"{DEVICES} matplotlib"),
        (
            "from retrace.publish import chart, report_page, tables; from retrace_generated import gpu_table",
            f"{SOLVERS} igraph networkit requests scipy.sparse",
        ),
        ("from retrace.solvers import find; find('bfs/igraph').load()", "matplotlib pandas"),
        pytest.param(
            "from retrace.solvers import find; find('bfs/networkit').load()",
            "matplotlib pandas",
            marks=needs_networkit,
        ),
    ],
)
def test_large_libraries_are_read_where_they_are_used(program: str, unread: str) -> None:
    """Each of a run's hundred processes would read them, for up to a second."""
    done = python(f"import sys; {program}; print(set({unread.split()}) & sys.modules.keys() or 0)")
    assert done.stdout == "0\n", done.stderr


@needs_networkit
def test_networkit_does_not_bring_a_library_that_learns(tmp_path: Path) -> None:
    (tmp_path / "sklearn.py").write_text("print('read')")
    reads = f"import sys; sys.path.append({str(tmp_path)!r}); {{}}; print('end')"
    assert python(reads.format("import networkit")).stdout == "read\nend\n"
    bare = "from retrace.system.imports import import_bare; import_bare('networkit')"
    assert python(reads.format(bare)).stdout == "end\n"


def test_a_library_that_is_read_without_matplotlib_does_not_hide_it() -> None:
    program = "from retrace.system.imports import import_bare; import_bare('igraph')"
    done = python(f"{program}; import matplotlib.figure; print(import_bare('matplotlib').figure.Figure)")
    assert "matplotlib.figure.Figure" in done.stdout, done.stderr


def test_the_emulator_knows_nothing_of_retrace() -> None:
    folders = [
        project.KERNELS / "cuda_on_cpu",
        *(LIBRARY.parent / name for name in ("cuda_device", "cuda_on_cpu")),
    ]
    files = [path for folder in folders for path in folder.rglob("*.*") if path.suffix != ".pyc"]
    assert [str(path) for path in files if path.is_file() and "retrace" in path.read_text().lower()] == []


def test_the_emulator_s_tests_need_nothing_of_retrace() -> None:
    """A module that is None in `sys.modules` cannot be imported."""
    folder = str(project.ROOT / "tests/cuda_on_cpu")
    options = [
        folder,
        "-qq",
        "--collect-only",
        "-c/dev/null",
        f"--rootdir={folder}",
        f"--confcutdir={folder}",
    ]
    program = "import sys, pytest; sys.modules['retrace'] = None; sys.exit(pytest.main(sys.argv[1:]))"
    done = python(program, *options, "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("house", HOUSES)
def test_module_names_of_a_house_are_unlike(house: str) -> None:
    folders = {file.parent for file in HOUSES[house]}
    names = Counter(path.stem for path in [*HOUSES[house], *folders])
    assert [name for name, times in names.items() if times > 1 and not name.startswith("__")] == []


def defined(file: Path) -> set[str]:
    """Return the public names that a module defines."""
    names = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            nodes = (node for target in targets for node in ast.walk(target))
            names |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return {name for name in names if not name.startswith("_")}


def test_public_names_of_all_houses_are_unlike() -> None:
    files = [
        file for house in HOUSES.values() for file in house if "run_command(main)" not in file.read_text()
    ]
    times = Counter(name for file in files for name in defined(file))
    assert {name for name, number in times.items() if number > 1} == ALIKE


@pytest.mark.parametrize(
    "package",
    [
        *(path.parent for path in LIBRARY.parent.glob("*_*/**/__init__.py")),
        *sorted(path.parent for path in LIBRARY.glob("*/__init__.py")),
    ],
    ids=lambda package: package.name,
)
def test_the_architecture_names_the_modules_of_a_package(package: Path) -> None:
    (row,) = re.findall(rf"^\| `{package.name}/`.*$", ARCHITECTURE, re.MULTILINE)
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    assert sorted(modules - set(re.findall(r"`(\w+)/?`", row))) == []


def test_solvers_know_their_problem() -> None:
    for solver in ALL:
        assert f"{solver.problem}/{solver.variant}" == solver.name


@pytest.mark.parametrize("solver", ALL, ids=lambda solver: solver.name)
def test_a_file_of_a_solver_s_name_is_what_it_runs(solver: type[Solver]) -> None:
    host = f"host/{solver.name.replace('/', '_').replace('-', '_')}.cpp"
    for file in {host, f"{solver.name}.cu"} & set(project.kernel_files()):
        assert solver.source == file


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
