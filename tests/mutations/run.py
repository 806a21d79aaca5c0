"""Plant each mutant of `tests/mutations/*.yaml` in a copy of the project, and see its tests fail.

python tests/mutations/run.py [-k WORDS] [--sample N] [--processes N] [--again]

A mutant is a bug: a text, whatever its line breaks, and what takes its place. It occurs once in a `file`, or,
of Python, `within` a definition: `Order.judge`, or `claim:Order.judge` where several modules have one. The
file of a definition is looked up, so that code can be moved without an edit here.
`tests` are pytest's arguments: the tests that ought to catch it. They must pass before the bug is planted.
`equivalent` says why a mutant changes nothing that can be tested. `build/mutations` keeps what is
compiled, and which mutants were found: while a mutant's file and the files of its tests are as they were,
it is not run again, so that a run can be interrupted and resumed. A sample, the same for the same mutants,
estimates in minutes what all of them take hours to say.
"""

from __future__ import annotations

import ast
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from random import Random
from threading import Event
from time import perf_counter
from typing import Any

import yaml
from scipy.stats import binomtest

from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.runs import take_lock

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("RETRACE_BUILD", ROOT / "build" / "mutations"))
PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0")
NONSENSE = re.compile(r"full log: |^E +(Indentation|Syntax|Name|Import)Error", re.MULTILINE)
"""What tests say of a mutant that does not even compile."""
STOPPED = Event()
"""Set once no more tests are to be run, and those that run are killed: they found nothing."""
RUNNING: set[subprocess.Popen[str]] = set()
WRONG = ("survived", "broken")
VERDICTS = ("killed", "crashed", "timeout", "equivalent", *WRONG)


@dataclass(frozen=True)
class Mutant:
    """A bug, and the tests that ought to find it."""

    file: str
    tests: str
    old: str
    new: str
    equivalent: str = ""
    within: str = ""

    def planted(self, text: str) -> str:
        """Return the file's text with the bug in it; raise RetraceError unless it has exactly one place."""
        start, end = (
            dict(definitions(text))[self.within.rpartition(":")[2]] if self.within else (0, len(text))
        )
        before, *after = re.split(r"\s+".join(map(re.escape, self.old.split())), text[start:end])
        if len(after) != 1:
            place = f"{self.file}, {self.within}" if self.within else self.file
            raise RetraceError(f"{place}: {self.old!r} occurs {len(after)} times, expected once")
        return f"{text[:start]}{before}{self.new}{after[0]}{text[end:]}"

    def test_files(self) -> list[str]:
        """List the files that hold its tests, whose names may end in `::` and a test."""
        return [word.partition("::")[0] for word in shlex.split(self.tests) if word.startswith("tests/")]

    def digest(self) -> str:
        """Return what changes with the bug, its file and its tests."""
        texts = [repr(self), *((ROOT / name).read_text() for name in (self.file, *self.test_files()))]
        return sha256("\0".join(texts).encode()).hexdigest()

    def part(self) -> str:
        """Return the folder of its file: in `scripts/`, the package."""
        name = re.sub(r"^scripts/(retrace/)?(?=\w+/)", "", self.file)
        return name.rpartition("/")[0].partition("/")[0] + "/"

    def __str__(self) -> str:
        return f"{self.file}  {self.within}  {self.old}  ->  {self.new or 'nothing'}"


@cache
def definitions(text: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    """List a module's classes, functions and constants: qualified name, where its lines begin and end."""
    begins = [0]
    for line in text.split("\n"):
        begins.append(begins[-1] + len(line) + 1)

    def visit(node: ast.AST, outer: str) -> Iterator[tuple[str, tuple[int, int]]]:
        for child in ast.iter_child_nodes(node):
            names: list[str] = []
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                names = [child.name]
            elif isinstance(child, ast.Assign | ast.AnnAssign) and isinstance(
                node, ast.Module | ast.ClassDef
            ):
                targets = child.targets if isinstance(child, ast.Assign) else [child.target]
                parts = (part for target in targets for part in ast.walk(target))
                names = [part.id for part in parts if isinstance(part, ast.Name)]
            for name in names:
                decorators = getattr(child, "decorator_list", [])
                first = min(part.lineno for part in (child, *decorators))
                yield f"{outer}{name}", (begins[first - 1], begins[child.end_lineno])
            yield from visit(child, f"{outer}{names[0]}." if names else outer)

    return tuple(visit(ast.parse(text), ""))


@cache
def files_with() -> Mapping[str, list[str]]:
    """Return the Python files that define each qualified name, a file twice if it does so twice."""
    files = defaultdict(list)
    for path in sorted((ROOT / "scripts").rglob("*.py")):
        for name, _ in definitions(path.read_text()):
            files[name].append(str(path.relative_to(ROOT)))
    return files


def file_with(within: str) -> str:
    """Return the file that has a definition; raise RetraceError unless it is one."""
    module, _, name = within.rpartition(":")
    ending = "/" + module.replace(".", "/")
    files = [
        file
        for file in files_with().get(name, [])
        if not module or f"/{file.removesuffix('.py').removesuffix('/__init__')}".endswith(ending)
    ]
    if len(files) != 1:
        places = f" ({', '.join(files)}); name the module, as in claim:Order.judge" if files else ""
        raise RetraceError(f"tests/mutations: {within} is defined {len(files)} times, expected once{places}")
    return files[0]


@cache
def mutants() -> tuple[Mutant, ...]:
    """Read all mutants."""
    texts = [path.read_text() for path in sorted(Path(__file__).parent.glob("*.yaml"))]
    parts = [
        part for text in texts for part in yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    ]
    return tuple(
        Mutant(part.get("file") or file_with(mutant["within"]), part["tests"], **mutant)
        for part in parts
        for mutant in part["mutants"]
    )


def copied(place: Path) -> Path:
    """Copy the tracked files of the project, and those that are new."""
    shutil.rmtree(place, ignore_errors=True)
    listed = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    )
    for name in filter(None, listed.split("\0")):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / name)
    return place


class VerdictFile:
    """The verdicts on mutants that were found, by digest, in a file to which each new one is added."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.verdicts: dict[str, str] = dict(json.loads(line) for line in lines if line.endswith("]"))

    def add(self, digest: str, verdict: str) -> None:
        """Keep a verdict; a line that a kill cut short is not read again."""
        with self.path.open("a") as file:
            file.write("\n" + json.dumps([digest, verdict]))


def table(verdicts: Mapping[Mutant, str]) -> str:
    """Count the verdicts by part of the project, in Markdown."""
    counts = Counter((mutant.part(), verdict) for mutant, verdict in verdicts.items())
    rows = [["part", "planted", *VERDICTS], ["---", *["--:"] * (1 + len(VERDICTS))]]
    for part in (*sorted({part for part, _ in counts}), "all"):
        numbers = [
            sum(n for (name, verdict), n in counts.items() if part in (name, "all") and verdict == column)
            for column in VERDICTS
        ]
        rows.append([part, str(sum(numbers)), *map(str, numbers)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def share_found(verdicts: Mapping[Mutant, str]) -> str:
    """Say which share of the mutants that change something is found, with its 95 % interval (Wilson's)."""
    counts = Counter(verdicts.values())
    changing = len(verdicts) - counts["equivalent"]
    killed = changing - sum(counts[verdict] for verdict in WRONG)
    low, high = binomtest(killed, changing).proportion_ci(method="wilson") if changing else (0.0, 1.0)
    return (
        f"found: {killed} of {changing} that change something; of all such mutants, {low:.1%} to {high:.1%}"
    )


def copies_of_project(number: int) -> SimpleQueue[Path]:
    """Lock the folder of builds, get GAPBS, and copy the project so often."""
    take_lock(BUILD / "lock")  # which also makes the folder; each copy has one bug at a time
    # without GAPBS, its tests would be skipped
    get_gapbs = [sys.executable, "scripts/stage.py", "get-gapbs"]
    subprocess.run(get_gapbs, cwd=ROOT, env=os.environ | {"RETRACE_BUILD": str(BUILD)}, check=True)
    copies: SimpleQueue[Path] = SimpleQueue()
    for place in range(number):
        copies.put(copied(BUILD / f"copy-{place}"))
    return copies


def variables_of(copy: Path) -> dict[str, str]:
    """Return the environment variables with which a copy's own files are run."""
    paths = [str(copy / "scripts"), os.environ.get("PYTHONPATH", "")]
    return {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "RETRACE_BUILD": str(BUILD),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "250",  # of the line that says why a test failed
    }


def run(copy: Path, tests: str, limit: float) -> tuple[str, str]:
    """Run tests; return `passed`, `failed`, `crashed`, `timeout` or `broken`, and the first failure.

    `limit`: seconds of a processor, which a busy machine does not lengthen; ten times as long in all.
    """
    shutil.rmtree(copy / ".hypothesis", ignore_errors=True)
    pytest = subprocess.Popen(
        [*PYTEST, *shlex.split(tests)], cwd=copy, env=os.environ | variables_of(copy), text=True,
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    resource.prlimit(pytest.pid, resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
    RUNNING.add(pytest)
    try:
        printed = "" if STOPPED.is_set() else pytest.communicate(timeout=10 * limit)[0]
    except subprocess.TimeoutExpired:
        return "timeout", f"after {limit:.0f} s"
    finally:
        RUNNING.remove(pytest)
        if pytest.poll() is None:
            os.killpg(pytest.pid, signal.SIGKILL)
            pytest.communicate()
    if STOPPED.is_set():
        raise KeyboardInterrupt
    if pytest.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "timeout", f"after {limit:.0f} s"
    failure = re.search(r"^(?:FAILED|ERROR) (.*)", printed, re.MULTILINE)
    line = failure[1] if failure else printed.strip().rpartition("\n")[2]
    if pytest.returncode < 0 and not failure:
        return "crashed", line
    if pytest.returncode in (1, *range(-64, 0)):
        return "broken" if NONSENSE.search(printed) else "failed", line
    return "passed" if pytest.returncode == 0 else "broken", line


def call_each(call: Callable[[Any], None], arguments: Iterable[Any], threads: int) -> None:
    """Call a function with each argument, on so many threads; the first error, or Ctrl-C, ends what runs."""
    STOPPED.clear()
    with ThreadPoolExecutor(threads) as pool:
        try:
            list(pool.map(call, arguments))
        except BaseException:
            STOPPED.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for pytest in tuple(RUNNING):
                os.killpg(pytest.pid, signal.SIGKILL)
            raise


def at_least_one(text: str) -> int:
    """Read a number of an option; argparse makes one line of the ValueError."""
    if (number := int(text)) < 1:
        raise ValueError
    return number


def main() -> None:
    """Run the mutants; exit with 1 unless each is killed or said to be equivalent."""
    parser = OneLineParser(description="Plant bugs, one at a time, and see the tests fail.")
    parser.add_argument("-k", default="", help="only mutants whose line of output contains these words")
    parser.add_argument("--sample", type=at_least_one, metavar="N", help="only so many, drawn at random")
    parser.add_argument("--processes", type=at_least_one, default=1)
    parser.add_argument("--again", action="store_true", help="those too that were found before")
    asked = parser.parse_args()
    chosen = [mutant for mutant in mutants() if all(word in str(mutant) for word in asked.k.split())]
    if asked.sample is not None:
        places = Random(1).sample(range(len(chosen)), min(asked.sample, len(chosen)))
        chosen = [chosen[place] for place in sorted(places)]
    for mutant in chosen:  # those without a place end it here; later, others would wait for their copies
        mutant.planted((ROOT / mutant.file).read_text())
    copies = copies_of_project(asked.processes)
    kept = VerdictFile(BUILD / "verdicts.jsonl")
    digests = {mutant: mutant.digest() for mutant in chosen}
    before = {} if asked.again else kept.verdicts
    verdicts = {mutant: before[digest] for mutant, digest in digests.items() if digest in before}

    def run_group(group: list[Mutant]) -> None:
        group = [mutant for mutant in group if mutant not in verdicts]
        if not group:
            return
        copy, tests = copies.get(), group[0].tests
        began = perf_counter()
        outcome, line = run(copy, tests, 600)
        limit = 60 + 3 * (perf_counter() - began)  # the mutant is compiled first
        if outcome != "passed":
            verdicts.update(dict.fromkeys(group, "broken"))
            print(f"broken    pytest {tests}: {outcome} without a mutant: {line}", flush=True)
        for mutant in group if outcome == "passed" else ():
            began, path = perf_counter(), copy / mutant.file
            whole = path.read_text()
            path.write_text(mutant.planted(whole))
            outcome, line = run(copy, tests, limit)
            path.write_text(whole)
            verdict = {"passed": "survived", "failed": "killed"}.get(outcome, outcome)
            if mutant.equivalent and verdict == "survived":
                verdict, line = "equivalent", mutant.equivalent
            verdicts[mutant] = verdict
            if verdict not in WRONG:
                kept.add(digests[mutant], verdict)
            print(f"{verdict:<9} {perf_counter() - began:4.0f} s  {mutant}\n{'':18}{line[:200]}", flush=True)
        copies.put(copy)

    groups = [list(group) for _, group in groupby(chosen, key=lambda mutant: mutant.tests)]
    call_each(run_group, groups, asked.processes)
    print(table(verdicts))
    print(share_found(verdicts))
    sys.exit(any(verdict in WRONG for verdict in verdicts.values()))


if __name__ == "__main__":
    run_command(main)
