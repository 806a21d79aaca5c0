"""Which tests reach a line of Python or a kernel file: measured once for each module of tests, and kept.

As a plugin of pytest (`-p mutations.reach`, under `coverage run`), it notes in the file that `$REACH_NOTES`
names how long each test takes that passes, and which compiled files it loads; coverage notes the lines under
the name of the test. What runs in other processes is not noted. A module is measured again once a file has
changed that its tests reach, or that all tests share.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from coverage import Coverage, CoverageData

from cuda_device.compiled_files import compiled_from
from retrace.system.errors import RetraceError

NOTES = "REACH_NOTES"
EMULATOR = "kernels/cuda_on_cpu/"
SOURCES = (".cu", ".cpp")
LIMIT_S = 3600


def pytest_configure(config: pytest.Config) -> None:
    """Note what the tests of this process reach."""
    if (path := os.environ.get(NOTES)) is not None:
        config.pluginmanager.register(Notes(Path(path)))


class Notes:
    """Notes the seconds of each test, and the compiled files that it loads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.test = ""
        self.seconds: dict[str, float] = defaultdict(float)
        self.libraries: dict[str, set[str]] = defaultdict(set)
        self.without: set[str] = set()
        sys.addaudithook(self.on_event)

    def on_event(self, event: str, arguments: tuple[object, ...]) -> None:
        """Note the library that ctypes loads."""
        if event == "ctypes.dlopen" and self.test:
            self.libraries[self.test].add(str(arguments[0]))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Give the test's name to the lines that it reaches, with its fixtures."""
        measured = Coverage.current()
        self.test = item.nodeid
        if measured:
            measured.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.test = ""
            if measured:
                measured.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase's time; a test that fails or is skipped finds no bug."""
        self.seconds[report.nodeid] += report.duration
        if not report.passed:
            self.without.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the notes."""
        tests = {test: seconds for test, seconds in self.seconds.items() if test not in self.without}
        libraries = {test: sorted(names) for test, names in self.libraries.items()}
        failed = sorted(self.without)
        self.path.write_text(json.dumps({"tests": tests, "libraries": libraries, "without": failed}))


class Reach:
    """What the tests of the project at `root` reach, kept in the folder `kept`."""

    def __init__(self, root: Path, kept: Path, modules: Sequence[str]) -> None:
        self.root, self.kept, self.modules = root, kept, modules
        kept.mkdir(parents=True, exist_ok=True)
        self.notes = {module: self._read(module) for module in modules}

    def _file(self, module: str, ending: str) -> Path:
        return self.kept / (module.removesuffix(".py").replace("/", "-") + ending)

    def _read(self, module: str) -> dict[str, dict[str, object]]:
        path = self._file(module, ".json")
        return json.loads(path.read_text()) if path.exists() else {}

    def stale(self) -> list[str]:
        """List the modules to be measured: none of their tests was, or a file that they reach has changed."""
        return [
            module
            for module in self.modules
            if not (digests := self.notes[module].get("digests"))
            or digests != {file: digest_of(self.root / file) for file in digests}
        ]

    def measure(self, module: str, copy: Path, variables: dict[str, str]) -> None:
        """Run a module's tests in a copy of the project; raise RetraceError if none can be run."""
        notes, data = self._file(module, ".notes"), self._file(module, ".coverage")
        settings = self.kept / "coveragerc"
        settings.write_text(
            "[run]\nsource = scripts\nrelative_files = true\ndisable_warnings = no-data-collected\n"
        )
        for path in (notes, data, self._file(module, ".json")):
            path.unlink(missing_ok=True)
        coverage = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", f"--data-file={data}"]
        pytest_of = [
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "mutations.reach",
            "--hypothesis-seed=0",
        ]
        environment = os.environ | variables | {NOTES: str(notes)}
        paths = [str(copy / "tests"), str(Path(__file__).parents[1]), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        done = subprocess.run(
            [*coverage, *pytest_of, module], cwd=copy, env=environment, capture_output=True, text=True,
            timeout=LIMIT_S, check=False,
        )  # fmt: skip
        if done.returncode not in (0, 1, 5) or not notes.exists() or not data.exists():
            last = (done.stdout + done.stderr).strip().rpartition("\n")[2]
            raise RetraceError(f"{module}: its tests cannot be measured: {last}; run pytest {module}")
        self.notes[module] = json.loads(notes.read_text())
        lines = reached_lines(data)
        reached = {file for file in lines if any(lines[file].values())} | self._kernels(module)
        shared = {str(path.relative_to(self.root)) for path in self.root.glob("tests/*.py")}
        shared = {file for file in shared if not Path(file).name.startswith("test_")}
        digests = {file: digest_of(copy / file) for file in sorted({module} | reached | shared)}
        self.notes[module]["digests"] = digests
        self._file(module, ".json").write_text(json.dumps(self.notes[module]))
        notes.unlink()

    def _kernels(self, module: str) -> set[str]:
        loaded = {name for names in self.notes[module]["libraries"].values() for name in names}
        return {file for name in loaded for file in self.compiled_into(name)}

    def compiled_into(self, library: str) -> set[str]:
        """Return the kernel files of which a library is compiled, by the library's name."""
        path = Path(library)
        name = re.sub(r"-[0-9a-f]{16}\.so$", "", path.name)
        files = sources(self.root).get(name, set())
        return files | (emulator_files(self.root) if path.parent.name == "emulator" else set())

    def tests(self) -> dict[str, float]:
        """Return the seconds of each test that passes."""
        return {test: seconds for notes in self.notes.values() for test, seconds in notes["tests"].items()}

    def failing(self) -> list[str]:
        """List the tests that do not pass without any change."""
        return sorted(test for notes in self.notes.values() for test in notes["without"])

    def of_lines(self, file: str, first: int, last: int) -> tuple[set[str], set[str]]:
        """Return the tests that reach lines of a Python file, and all that reach some part of it."""
        near, all_tests = set(), set()
        for module in self.modules:
            for line, tests in reached_lines(self._file(module, ".coverage")).get(file, {}).items():
                all_tests |= tests
                near |= tests if first <= line <= last else set()
        passing = self.tests().keys()
        return near & passing, all_tests & passing

    def of_kernel(self, file: str) -> set[str]:
        """Return the tests that load what is compiled of a kernel file."""
        return {
            test
            for notes in self.notes.values()
            for test, names in notes["libraries"].items()
            if test in notes["tests"] and any(file in self.compiled_into(name) for name in names)
        }

    def compiled_with(self, file: str) -> list[str]:
        """List the files that are compiled with a kernel file, of those that tests load."""
        loaded = {
            Path(name).name.rpartition("-")[0]
            for notes in self.notes.values()
            for names in notes["libraries"].values()
            for name in names
        }
        return sorted(
            str(path.relative_to(self.root))
            for path in self.root.glob("kernels/**/*")
            if path.suffix in SOURCES and f"{path.parent.name}-{path.stem}" in loaded
            if file in {str(part.relative_to(self.root)) for part in compiled_from(path)}
            or (file.startswith(EMULATOR) and path.suffix == ".cu")
        )


def digest_of(path: Path) -> str:
    """Return the digest of a file, which may be missing."""
    return sha256(path.read_bytes()).hexdigest() if path.exists() else ""


@cache
def reached_lines(path: Path) -> dict[str, dict[int, set[str]]]:
    """Return which tests reach which lines of which files; a line reached by an import alone has none."""
    data = CoverageData(str(path))
    data.read()
    return {
        file: {line: {*filter(None, tests)} for line, tests in data.contexts_by_lineno(file).items()}
        for file in data.measured_files()
    }


@cache
def sources(root: Path) -> dict[str, set[str]]:
    """Return which kernel files are compiled into the libraries whose names begin so."""
    into: dict[str, set[str]] = defaultdict(set)
    for path in root.glob("kernels/**/*"):
        if path.suffix in SOURCES:
            files = {file.resolve() for file in compiled_from(path)}
            inside = (file for file in files if file.is_relative_to(root))
            into[f"{path.parent.name}-{path.stem}"] |= {str(file.relative_to(root)) for file in inside}
    return into


@cache
def emulator_files(root: Path) -> set[str]:
    """Return the emulator's own C++."""
    return {str(path.relative_to(root)) for path in (root / EMULATOR).rglob("*") if path.is_file()}
