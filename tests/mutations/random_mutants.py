"""Plant small changes at random places, half in Python and half in kernels, and see which tests find them.

PYTHONPATH=tests python tests/mutations/random_mutants.py N [--seed S] [--files PATTERN ...] [--tests ...]

It knows nothing of the mutants of `tests/mutations/*.yaml`. The same seed draws the same changes while the
sources stay as they are. For each change run first a few tests that reach the line (`reach`), then all that
do, then, unless the compiled code is the same, every test. `build/mutations` keeps the verdicts and what
tests reach, so that a run can be interrupted and resumed; what survived is tried again once tests change.
"""

from __future__ import annotations

import difflib
import marshal
import os
import re
import shlex
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from hashlib import sha256
from itertools import count, repeat
from pathlib import Path
from queue import SimpleQueue
from random import Random
from threading import Lock
from time import perf_counter
from types import CodeType

from mutations.changes import Change, changes_of, compiles
from mutations.reach import Reach
from mutations.run import (
    BUILD,
    ROOT,
    VerdictFile,
    at_least_one,
    call_each,
    copies_of_project,
    run,
    variables_of,
)
from retrace.system.errors import OneLineParser, RetraceError, run_command

LANGUAGES = {"Python": ("scripts/", (".py",)), "kernels": ("kernels/", (".cu", ".cuh", ".cpp", ".h"))}
FEW = 25
"""Tests that are run first."""
FOUND = ("killed", "crashed", "timeout")
NO_MATCH = "(no match in any of"
"""What pytest says last of a test that is not there."""

COMPILE = """
import sys
from pathlib import Path

from cuda_device.compiled_files import build_host
from cuda_on_cpu.build import build_emulator, build_runtime, build_thrust_for_host
from retrace_peers.gapbs import build_gapbs

for name in sys.argv[1:]:
    source = Path(name).resolve()
    if source.suffix == ".cu":
        plain, shuffled = build_emulator(source), build_emulator(source, shuffled=True)
        print(build_runtime(False), plain, shuffled, sep="\\n")
    else:
        known = {"retrace_peers": build_gapbs, "thrust": build_thrust_for_host}
        print(known.get(source.parent.name, build_host)(source))
"""
"""Compiles kernel files for this processor as most tests do, and prints where."""


@dataclass(frozen=True)
class RandomMutant:
    """A change of a file at a place that was drawn."""

    file: str
    change: Change

    def planted(self, text: str) -> str:
        """Return the file's text with the change."""
        return self.change.applied(text)

    def lines(self, text: str) -> tuple[int, int]:
        """Return the first line of the statement, and the last line that changes, from 1."""
        first, end = (text.count("\n", 0, place) + 1 for place in (self.change.first, self.change.end))
        return first, end

    def difference(self, text: str) -> str:
        """Return the change as a unified diff without context."""
        before, after = text.splitlines(), self.planted(text).splitlines()
        lines = [*difflib.unified_diff(before, after, self.file, self.file, n=0, lineterm="")]
        return "\n".join(lines[2:])

    def digest(self, *texts: str) -> str:
        """Return what changes with the change and with texts."""
        return sha256("\0".join([repr(self), *texts]).encode()).hexdigest()


def files_of(root: Path, language: str, patterns: Sequence[str]) -> list[str]:
    """List the files of a language whose paths match one of the patterns."""
    folder, endings = LANGUAGES[language]
    paths = sorted(path for path in (root / folder).rglob("*") if path.suffix in endings)
    files = [str(path.relative_to(root)) for path in paths]
    return [file for file in files if any(fnmatch(file, pattern) for pattern in patterns)]


def draws(root: Path, language: str, patterns: Sequence[str], seed: int) -> Iterator[RandomMutant]:
    """Yield changes at random: of any line that has some one kind, and of this one change."""
    places = []
    for file in files_of(root, language, patterns):
        lines = changes_by_line(file, (root / file).read_text())
        places += [(file, changes) for changes in lines.values()]
    random = Random(f"{language} {seed}")
    random.shuffle(places)
    for file, changes in places:
        kinds = defaultdict(list)
        for change in changes:
            kinds[change.kind].append(change)
        mutant = RandomMutant(file, random.choice(kinds[random.choice(sorted(kinds))]))
        if language != "Python" or compiles(mutant.planted((root / file).read_text())):
            yield mutant


@cache
def changes_by_line(file: str, text: str) -> Mapping[int, list[Change]]:
    """Return the changes of a file by the line at which they begin."""
    lines = defaultdict(list)
    for change in changes_of(file, text):
        lines[text.count("\n", 0, change.start)].append(change)
    return lines


def same_bytecode(before: str, after: str) -> bool:
    """Return whether two modules are compiled into the same code."""

    def without_places(code: CodeType) -> CodeType:
        constants = (without_places(part) if isinstance(part, CodeType) else part for part in code.co_consts)
        return code.replace(co_consts=tuple(constants), co_linetable=b"", co_firstlineno=1)

    first, second = (marshal.dumps(without_places(compile(text, "", "exec"))) for text in (before, after))
    return first == second


def compiled_code(copy: Path, sources: Sequence[str]) -> list[str]:
    """Compile kernel files in a copy of the project; return what is compiled, as digests, without its names.

    It is empty if something does not compile.
    """
    command = [sys.executable, "-c", COMPILE, *sources]
    environment = os.environ | variables_of(copy)
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return []
    return [code_digest(Path(name)) for name in done.stdout.split()]


@cache
def code_digest(library: Path) -> str:
    """Return the digest of a library without what depends on its name or on where it was compiled."""
    stripped = library.with_name(f".{os.getpid()}-{library.name}")
    subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", library, stripped], check=True)
    content = stripped.read_bytes()
    stripped.unlink()
    return sha256(re.sub(rb"\.building-\w{8}|(?<=-)[0-9a-f]{16}(?=\.)", b"", content)).hexdigest()


class Judge:
    """Plants changes in copies of the project, and runs the tests that may find them."""

    def __init__(self, root: Path, reach: Reach, kept: VerdictFile, suite: Sequence[str]) -> None:
        self.root, self.reach, self.kept, self.suite = root, reach, kept, suite
        self.seconds = reach.tests()
        self.failing = set(reach.failing())
        self.tests_digest = tests_digest(root, suite)

    def verdict(self, mutant: RandomMutant, copy: Path) -> tuple[str, str]:
        """Return the verdict on a change, and what it is known by; keep it."""
        text = (self.root / mutant.file).read_text()
        if text != (copy / mutant.file).read_text():
            raise RetraceError(f"{mutant.file} was edited since the start; run it again, which goes on")
        digest, as_survivor = mutant.digest(text), mutant.digest(text, self.tests_digest)
        for key in (digest, as_survivor):
            if (kept := self.kept.verdicts.get(key)) is not None:
                return kept, "as before"
        verdict, line = self.judge(mutant, copy)
        self.kept.add(as_survivor if verdict == "survived" else digest, verdict)
        return verdict, line

    def batches(self, mutant: RandomMutant) -> Iterator[list[str]]:
        """Yield the tests to run, batch after batch: a few of different functions, all that reach it, all."""
        text = (self.root / mutant.file).read_text()
        if mutant.file.endswith(".py"):
            near, others = self.reach.of_lines(mutant.file, *mutant.lines(text))
        else:
            near, others = self.reach.of_kernel(mutant.file), set[str]()
        by_time = sorted(near or others, key=lambda test: (self.seconds[test], test))
        few = list({function_of(test): test for test in reversed(by_time)}.values())[-FEW:]
        yield few
        yield [test for test in by_time if test not in few]
        if near and near != others:
            yield sorted(others - near)

    def judge(self, mutant: RandomMutant, copy: Path) -> tuple[str, str]:
        """Plant a change and run tests, at last the suite; `broken` if it does not compile."""
        path = copy / mutant.file
        whole = path.read_text()
        planted = mutant.planted(whole)
        if mutant.file.endswith(".py") and same_bytecode(whole, planted):
            return "equivalent", "the bytecode is the same"
        path.write_text(planted)
        try:
            for tests in filter(None, self.batches(mutant)):
                verdict, line = self.verdict_by(mutant, copy, whole, tests)
                if verdict != "survived":
                    return verdict, line
            if self.is_compiled_the_same(mutant, copy, whole):
                return "equivalent", "the emulator's code is the same"
            return self.verdict_by(mutant, copy, whole, self.suite)
        finally:
            path.write_text(whole)

    def verdict_by(
        self, mutant: RandomMutant, copy: Path, whole: str, tests: Sequence[str]
    ) -> tuple[str, str]:
        """Return the verdict by tests or their modules, less those that fail whatever the change.

        A test that fails counts if it fails alone, too, and passes alone without the change.
        """
        outcome, line = self.run(copy, tests)
        test = line.partition(" - ")[0]
        if outcome == "failed" and test in self.seconds and test not in self.failing:
            alone, _ = self.run(copy, [test])
            (copy / mutant.file).write_text(whole)
            without, _ = self.run(copy, [test])
            (copy / mutant.file).write_text(mutant.planted(whole))
            if alone == "passed" or without != "passed":
                self.failing.add(test)
                return self.verdict_by(mutant, copy, whole, tests)
        if outcome == "broken" and mutant.file.endswith(".py"):
            outcome = "killed"  # it compiles, but tests cannot be collected, or a name is missing
        return {"passed": "survived", "failed": "killed"}.get(outcome, outcome), line

    def is_compiled_the_same(self, mutant: RandomMutant, copy: Path, whole: str) -> bool:
        """Return whether a change of a kernel file alters nothing that tests load."""
        sources = [] if mutant.file.endswith(".py") else self.reach.compiled_with(mutant.file)
        after = compiled_code(copy, sources) if sources else []
        if not after:
            return False
        (copy / mutant.file).write_text(whole)
        before = compiled_code(copy, sources)
        (copy / mutant.file).write_text(mutant.planted(whole))
        return before == after

    def run(self, copy: Path, tests: Sequence[str]) -> tuple[str, str]:
        """Run tests by their names or, if a change alters these, by the functions that have them.

        They are too many for a command line. A name may hold the path of the copy in which it was measured.
        """
        tests = [test for test in tests if test not in self.failing]
        if not tests:
            return "passed", ""
        names = dict.fromkeys(function_of(test) if str(copy.parent) in test else test for test in tests)
        failing = [f"--deselect={test}" for test in sorted(self.failing)]
        listed = BUILD / f"{copy.name}.arguments"
        listed.write_text("\n".join([*names, *failing]))
        times = [self.seconds.get(test) for test in tests]
        limit = 60 + 3 * sum(self.seconds.values() if None in times else times)
        outcome, line = run(copy, shlex.quote(f"@{listed}"), limit)
        functions = list(dict.fromkeys(map(function_of, tests)))
        if outcome == "broken" and NO_MATCH in line and functions != [*names]:
            return self.run(copy, functions)
        return outcome, line


def function_of(test: str) -> str:
    """Return a test's name without its parameters."""
    return test.partition("[")[0]


def modules_of_tests(root: Path) -> list[str]:
    """List the modules of tests that `make test` runs."""
    paths = sorted(str(path.relative_to(root)) for path in root.glob("tests/**/test_*.py"))
    return [path for path in paths if not path.startswith("tests/cluster/")]


def measure(reach: Reach, copies: SimpleQueue[Path]) -> None:
    """Measure what tests reach, of the modules for which that is not known."""

    def measure_module(module: str) -> None:
        copy, began = copies.get(), perf_counter()
        try:
            reach.measure(module, copy, variables_of(copy))
        finally:
            copies.put(copy)
        place = f"{next(places)} of {len(stale)}"
        print(f"measured   {perf_counter() - began:4.0f} s  {place}  {module}", flush=True)

    stale, places = reach.stale(), count(1)
    if stale:
        print(f"measuring what the tests of {len(stale)} modules reach; it is kept", flush=True)
    call_each(measure_module, stale, copies.qsize())


def numbers_of(number: int, files: Sequence[str]) -> dict[str, int]:
    """Share changes out among the languages: half each, or all to the only one that the files have."""
    languages = [language for language in LANGUAGES if files_of(ROOT, language, files)]
    if not languages:
        raise RetraceError(f"--files {' '.join(files)}: no source file is called so; try 'scripts/retrace/*'")
    return {language: (number + k) // len(languages) for k, language in enumerate(reversed(languages))}


def tests_digest(root: Path, modules: Sequence[str]) -> str:
    """Return what changes with the tests there are."""
    files = sorted((root / "tests").rglob("*.py"))
    return sha256("\0".join([*modules, *(path.read_text() for path in files)]).encode()).hexdigest()


def summary(verdicts: Mapping[RandomMutant, str]) -> str:
    """Count the verdicts of each language."""
    lines = []
    for language, (folder, _) in LANGUAGES.items():
        counts = Counter(verdict for mutant, verdict in verdicts.items() if mutant.file.startswith(folder))
        found = sum(counts[verdict] for verdict in FOUND)
        changing = found + counts["survived"]
        numbers = f"{found} found of {changing} that change something, {counts['equivalent']} equivalent"
        lines.append(f"{language}: {numbers}; {counts['broken']} that do not compile were drawn anew")
    return "\n".join(lines)


def main() -> None:
    """Draw, plant and print; what survives is no failure of the tool."""
    parser = OneLineParser(description="Plant random changes, one at a time, and run the tests.")
    parser.add_argument("number", type=at_least_one, metavar="N", help="how many changes")
    parser.add_argument("--seed", type=int, default=1, help="draw others")
    parser.add_argument("--files", nargs="+", default=["*"], metavar="PATTERN", help="only in such files")
    parser.add_argument("--tests", nargs="+", metavar="MODULE", help="take these for all tests there are")
    quick = "let a change survive that no test finds which reaches it"
    parser.add_argument("--no-suite", dest="suite", action="store_false", help=quick)
    parser.add_argument("--processes", type=at_least_one, default=1)
    asked = parser.parse_args()
    numbers = numbers_of(asked.number, asked.files)
    copies = copies_of_project(asked.processes)
    reach = Reach(ROOT, BUILD / "reach", asked.tests or modules_of_tests(ROOT))
    measure(reach, copies)
    suite = reach.modules if asked.suite else []
    judge = Judge(ROOT, reach, VerdictFile(BUILD / "random-verdicts.jsonl"), suite)
    verdicts: dict[RandomMutant, str] = {}
    drawing = Lock()

    def judge_next(changes: Iterator[RandomMutant]) -> None:
        """Judge the next change, and those after it until one compiles."""
        copy, verdict = copies.get(), "broken"
        try:
            while verdict == "broken":
                with drawing:
                    mutant = next(changes, None)
                if mutant is None:
                    return
                began = perf_counter()
                verdict, line = judge.verdict(mutant, copy)
                verdicts[mutant] = verdict
                judged = sum(verdict != "broken" for verdict in verdicts.values())
                head = f"{verdict:<10} {perf_counter() - began:4.0f} s  {judged} of {asked.number}"
                head += f"  {mutant.file}  {mutant.change.kind}"
                difference = mutant.difference((ROOT / mutant.file).read_text())
                print(f"{head}\n{difference}\n{'':19}{line[:200]}", flush=True)
        finally:
            copies.put(copy)

    slots = [
        slot
        for language, number in numbers.items()
        for slot in repeat(draws(ROOT, language, asked.files, asked.seed), number)
    ]
    call_each(judge_next, slots, asked.processes)
    print(summary(verdicts))


if __name__ == "__main__":
    run_command(main)
