"""Random mutants: what a file can be changed into, what is drawn, which tests are run, and the verdicts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter, sleep

import pytest

from mutations import random_mutants, reach, run
from mutations.changes import changes_of, compiles
from mutations.random_mutants import Judge, RandomMutant, draws, same_bytecode
from mutations.reach import Reach
from mutations.run import ROOT, VerdictFile
from retrace.system.errors import RetraceError


def results(file: str, text: str) -> set[str]:
    """Return all texts into which a text can be changed."""
    return {change.applied(text) for change in changes_of(file, text)}


PYTHON = {
    "a < b": {"a <= b"},
    "a is not b": {"a is b"},
    "(a + b) * c": {"(a - b) * c", "(a) * c", "(b) * c", "(a + b) / c", "(a + b)", "c"},
    "a / b": {"a * b", "b / a", "a", "b"},
    "a and b": {"a or b", "a", "b"},
    "not a": {"a"},
    "f(a, b)": {"f(b, a)", "pass"},
    "x = f(a, k=2)": {"x = None", "x = f(a)", "x = f(a, k=3)", "x = f(a, k=1)"},
    "x = True": {"x = False", "x = None"},
    "x = g[(a, b)]": {"x = None", "x = g[(b)]", "x = g[(a,)]"},
    "é.b = é.c": {"é.b = é.b", "é.b = None", "é.c = é.c"},
    "x += 1": {"pass", "x += 2", "x += 0"},
    "if a: raise b": {"if not a: raise b", "if a: pass"},
    "def f(a: 1 = 2) -> 3: return a": {
        "def f(a: 1 = 3) -> 3: return a", "def f(a: 1 = 1) -> 3: return a",
        "def f(a: 1 = 2) -> 3: return None",
    },
    "for a in b: break": {"for a in b: continue"},
    "[a for a in b if c]": {"[a for a in b if not c]", "pass"},
    "'text 1'": set(),
    "__all__ = [1]": set(),
    "@f(1)\nclass A: ...": set(),
}  # fmt: skip


@pytest.mark.parametrize("text", PYTHON)
def test_changes_of_python(text: str) -> None:
    after = results("x.py", f"# 1 < 2\n{text}\n")
    assert after - {f"# 1 < 2\n{text}\n"} == {f"# 1 < 2\n{change}\n" for change in PYTHON[text]} | (
        {"# 1 < 2\npass\n"} if text[0] in "([an" and " = " not in text else set()
    )


ATOMIC_ADD = "([](auto *cell, auto value) { auto old = *cell; *cell = old + value; return old; })(&x, v);"
KERNEL = {
    "if (i < n) return;": {"if (i <= n) return;", "if (!(i < n)) return;"},
    "const int u = a * b + 1u;": {
        "const int u = a / b + 1u;", "const int u = a * b - 1u;", "const int u = a * b + 2u;",
        "const int u = a * b + 0u;",
    },
    "__syncthreads();": {";"},
    "cg::this_grid().sync();": {";"},
    "else __threadfence();": {"else ;"},
    "atomicAdd(&x, v);": {ATOMIC_ADD, "atomicAdd(v, &x);", ";"},
    "i = blockIdx.x;": {"i = threadIdx.x;", "i = blockIdx.y;", ";"},
    "volatile int *p;": {" int *p;"},
    "f(a, g(b, c));": {"f(g(b, c), a);", "f(a, g(c, b));", ";"},
    "cell.load(std::memory_order_acquire);": {"cell.load(std::memory_order_relaxed);", ";"},
    "void f(int a, const T &b);": set(),
    "std::vector<int> v;": set(),
    "struct A { int *p; };": set(),
    "const char *p = \"a < b\", c = 'x'; // a + b": set(),
    "#define N (1 + 1)": set(),
    "/* a < b */ x++;": {"/* a < b */ x--;", "/* a < b */ ;"},
    "a % b;": {"a / b;"},
}  # fmt: skip


@pytest.mark.parametrize("text", KERNEL)
def test_changes_of_kernels(text: str) -> None:
    assert results("x.cu", f"{text}\n") == {f"{change}\n" for change in KERNEL[text]}


@pytest.mark.long
def test_draws_are_spread_and_the_same_for_a_seed() -> None:
    for language in random_mutants.LANGUAGES:
        drawn = list(islice(draws(ROOT, language, ["*"], 5), 200))
        assert drawn == list(islice(draws(ROOT, language, ["*"], 5), 200))
        assert len({*drawn} & {*islice(draws(ROOT, language, ["*"], 6), 20)}) < 5
        files, kinds = (
            Counter(names) for names in zip(*((m.file, m.change.kind) for m in drawn), strict=True)
        )
        assert len(files) > 50
        assert max(files.values()) < 25
        assert len(kinds) > 7
        assert max(kinds.values()) < 120
        for mutant in drawn[:50]:
            text = (ROOT / mutant.file).read_text()
            assert mutant.planted(text) != text
            assert mutant.file.endswith(".py") <= compiles(mutant.planted(text))
    only = islice(draws(ROOT, "Python", ["scripts/retrace/measure/t*.py"], 5), 9)
    assert {mutant.file for mutant in only} == {"scripts/retrace/measure/trials.py"}


def test_half_is_drawn_in_python_and_half_in_kernels() -> None:
    assert random_mutants.numbers_of(7, ["*"]) == {"Python": 4, "kernels": 3}
    assert random_mutants.numbers_of(7, ["kernels/*"]) == {"kernels": 7}
    with pytest.raises(RetraceError, match="no source file"):
        random_mutants.numbers_of(7, ["nowhere/*"])


def test_the_same_bytecode() -> None:
    before = "def f(a):\n    return (lambda: a + 2 * 3)\n"
    assert same_bytecode(before, before.replace("2 * 3", "(3 * 2)"))
    assert same_bytecode(before, f"\n\n{before}")
    assert not same_bytecode(before, before.replace("+", "-"))


TOY = """LIMIT = 4


def doubled(x):
    return x * 2


def kept(x):
    return x + LIMIT


def unused(x):
    return x - 1


def elsewhere(x):
    return x // 3
"""
TOY_KERNEL = """extern "C" int twice(int x)
{
    int y = x + x;
    y = y - 0;
    return y;
}
"""
TOY_TESTS = """import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

import toy
from cuda_device.compiled_files import build_host


def test_doubled():
    assert toy.doubled(2) == 4


def test_kept():
    toy.kept(1)


@pytest.mark.parametrize("name", [str(toy.LIMIT), toy.__file__])
def test_name(name):
    assert toy.kept(1)


@pytest.mark.parametrize("x", [1, 2])
def test_twice(x):
    assert ctypes.CDLL(str(build_host(Path("kernels/host/toy.cpp")))).twice(x) == 2 * x


def test_elsewhere():
    subprocess.run([sys.executable, "-c", "import toy; assert toy.elsewhere(6) == 2"], check=True)


def test_that_fails():
    assert not toy.unused(2)
"""
MODULE = "tests/test_toy.py"
FILES = {
    "scripts/toy.py": TOY,
    "kernels/host/toy.cpp": TOY_KERNEL,
    MODULE: TOY_TESTS,
    "pytest.ini": "[pytest]",
}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a small project, and a copy of it in which changes are planted."""
    project, build = tmp_path / "project", tmp_path / "build"
    for folder in (project, tmp_path / "copy"):
        for file, text in FILES.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
    build.mkdir()
    for module in (run, random_mutants):
        monkeypatch.setattr(module, "BUILD", build)
        monkeypatch.setattr(module, "ROOT", project)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # nearly half of the time of each run
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p _hypothesis_pytestplugin")
    monkeypatch.delenv(reach.NOTES, raising=False)
    return project


def measured(project: Path) -> Reach:
    reached = Reach(project, project.parent / "build/reach", [MODULE])
    for module in reached.stale():
        reached.measure(module, project.parent / "copy", run.variables_of(project.parent / "copy"))
    return reached


def changed(file: str, text: str, old: str, new: str) -> RandomMutant:
    """Return the change of the only place that makes `new` of `old`."""
    wanted = text.replace(old, new, 1)
    (change,) = {change for change in changes_of(file, text) if change.applied(text) == wanted}
    return RandomMutant(file, change)


def python(old: str, new: str) -> RandomMutant:
    return changed("scripts/toy.py", TOY, old, new)


def kernel(old: str, new: str) -> RandomMutant:
    return changed("kernels/host/toy.cpp", TOY_KERNEL, old, new)


def test_the_tests_that_reach_a_line(toy: Path) -> None:
    reached = measured(toy)
    in_copy = f"name[{toy.parent / 'copy/scripts/toy.py'}]"
    tests = ("doubled", "kept", "name[4]", in_copy, "twice[1]", "twice[2]", "elsewhere", "that_fails")
    names = {name: f"{MODULE}::test_{name}" for name in tests}
    assert {*reached.tests()} == {*names.values()} - {names["that_fails"]}
    assert reached.failing() == [names["that_fails"]]
    of_file = {names[name] for name in ("doubled", "kept", "name[4]", in_copy)}
    assert reached.of_lines("scripts/toy.py", 5, 5) == ({names["doubled"]}, of_file)
    assert reached.of_lines("scripts/toy.py", 1, 1)[0] == set()
    assert reached.of_lines("scripts/toy.py", 13, 13)[0] == set()
    assert reached.of_kernel("kernels/host/toy.cpp") == {names["twice[1]"], names["twice[2]"]}
    assert reached.compiled_with("kernels/host/toy.cpp") == ["kernels/host/toy.cpp"]


def test_what_tests_reach_is_measured_again_once_it_changes(toy: Path) -> None:
    reached = measured(toy)
    assert reached.stale() == []
    assert Reach(toy, reached.kept, [MODULE, "tests/test_more.py"]).stale() == ["tests/test_more.py"]
    for file in ("scripts/toy.py", "kernels/host/toy.cpp", MODULE):
        before = (toy / file).read_text()
        (toy / file).write_text(before + "\n")
        assert reached.stale() == [MODULE]
        (toy / file).write_text(before)
    (toy.parent / "copy" / MODULE).write_text("import no_such_module")
    with pytest.raises(RetraceError, match="cannot be measured"):
        reached.measure(MODULE, toy.parent / "copy", run.variables_of(toy.parent / "copy"))
    assert Reach(toy, reached.kept, [MODULE]).stale() == [MODULE]


@pytest.mark.long
def test_verdicts(toy: Path) -> None:
    copy = toy.parent / "copy"
    judge = Judge(toy, measured(toy), VerdictFile(toy.parent / "verdicts"), [MODULE])
    verdicts = {
        python("x * 2", "x / 2"): "killed",
        python("x + LIMIT", "LIMIT"): "survived",
        python("LIMIT = 4", "LIMIT = None"): "killed",
        python("x - 1", "x + 1"): "survived",  # the only test that reaches it fails anyway
        python("x // 3", "3"): "killed",  # in another process, which the suite finds
        kernel("x + x", "x - x"): "killed",
        kernel("y - 0", "y + 0"): "equivalent",
    }
    assert {mutant: judge.judge(mutant, copy)[0] for mutant in verdicts} == verdicts
    assert (copy / "scripts/toy.py").read_text() == TOY
    assert (copy / "kernels/host/toy.cpp").read_text() == TOY_KERNEL
    judge.suite = []
    assert judge.judge(python("x // 3", "3"), copy)[0] == "survived"
    no_kernel = RandomMutant("kernels/host/toy.cpp", kernel("x + x", "x - x").change)
    object.__setattr__(no_kernel.change, "new", "(")
    assert judge.judge(no_kernel, copy)[0] == "broken"


@pytest.mark.long
def test_names_of_tests_may_depend_on_the_change_and_the_copy(toy: Path) -> None:
    """Those with the limit 4 or another copy's path would not be there, as if the change had broken them."""
    judge = Judge(toy, measured(toy), VerdictFile(toy.parent / "verdicts"), [MODULE])
    other = Path(shutil.copytree(toy.parent / "copy", toy.parent / "other"))
    assert judge.judge(python("LIMIT = 4", "LIMIT = 5"), toy.parent / "copy")[0] == "survived"
    assert judge.judge(python("x + LIMIT", "LIMIT"), other)[0] == "survived"


@pytest.mark.long
@pytest.mark.parametrize("fails", ["toy.kept(1)", "len(request.session.items) == 1"])
def test_a_test_that_fails_whatever_the_change_finds_nothing(toy: Path, fails: str) -> None:
    """One fails with and without the change, the other only after others, whose libraries fill up memory."""
    copy = toy.parent / "copy"
    judge = Judge(toy, measured(toy), VerdictFile(toy.parent / "verdicts"), [MODULE])
    failing = f"def test_kept(request):\n    assert {fails.replace('(1)', '(1) == 0')}\n"
    (copy / MODULE).write_text(TOY_TESTS.replace("def test_kept():\n    toy.kept(1)\n", failing))
    assert judge.judge(python("x + LIMIT", "x - LIMIT"), copy)[0] == "survived"
    assert f"{MODULE}::test_kept" in judge.failing


@pytest.mark.long
def test_a_draw_is_printed_and_resumed(
    toy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def copies(number: int) -> SimpleQueue[Path]:
        queue: SimpleQueue[Path] = SimpleQueue()
        queue.put(toy.parent / "copy")
        return queue

    monkeypatch.setattr(random_mutants, "copies_of_project", copies)
    monkeypatch.setattr(sys, "argv", ["random_mutants", "9", "--files", "scripts/*"])
    random_mutants.main()
    printed = capsys.readouterr().out
    assert "-    return x * 2\n+    return " in printed
    *_, in_python, in_kernels = printed.splitlines()
    found, changing, equivalent, broken = map(int, re.findall(r"\d+", in_python))
    assert changing == 5  # lines that can change, of which two are tested and one is not
    assert 0 < found < changing
    assert f"s  1 of 1  {MODULE}\n" in printed
    assert re.findall(r"s  (\d) of 9  scripts", printed) == [*"12345"]
    assert (equivalent, broken) == (0, 0)
    assert in_kernels.startswith("kernels: 0 found of 0 that change something, 0 equivalent")
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    random_mutants.main()
    assert capsys.readouterr().out.splitlines()[-2:] == [in_python, in_kernels]
    (toy / MODULE).write_text(TOY_TESTS + "\n")
    monkeypatch.setattr(random_mutants, "measure", lambda *_: None)
    tried: list[RandomMutant] = []
    monkeypatch.setattr(Judge, "judge", lambda _, mutant, copy: tried.append(mutant) or ("survived", ""))
    random_mutants.main()
    assert len(tried) == changing - found


def test_a_file_that_is_edited_meanwhile_ends_the_run(toy: Path) -> None:
    """Places of the new text would be changed in the old one."""
    judge = Judge(toy, Reach(toy, toy.parent / "reach", []), VerdictFile(toy.parent / "verdicts"), [MODULE])
    (toy / "scripts/toy.py").write_text(f"\n{TOY}")
    with pytest.raises(RetraceError, match=r"toy\.py was edited since the start"):
        judge.verdict(python("x * 2", "x / 2"), toy.parent / "copy")


@pytest.mark.parametrize("options", [["x"], ["0"], ["-3"], ["5", "--seed", "x"], ["5", "--processes", "0"]])
def test_what_cannot_be_drawn_is_one_line(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(random_mutants, "copies_of_project", pytest.fail)
    monkeypatch.setattr(sys, "argv", ["random_mutants", *options])
    with pytest.raises(SystemExit, match="2"):
        random_mutants.main()
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert repr(options[-1]) in printed.err


def test_files_that_are_not_there_are_said_before_anything_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_mutants, "copies_of_project", pytest.fail)
    monkeypatch.setattr(sys, "argv", ["random_mutants", "9", "--files", "nowhere/*"])
    with pytest.raises(RetraceError, match=r"nowhere/\*: no source file"):
        random_mutants.main()


def test_ctrl_c_ends_the_tests_that_run_and_keeps_no_verdict(
    toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed run would look like one that a change lets take too long."""
    copy, kept = toy.parent / "copy", VerdictFile(toy.parent / "verdicts")
    judge, before = Judge(toy, measured(toy), kept, [MODULE]), (copy / "scripts/toy.py").read_text()
    monkeypatch.setattr(Judge, "batches", lambda *_: [])
    begun = toy.parent / "begun"
    (copy / MODULE).write_text(
        f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(60)\n"
    )

    def judge_or_interrupt(mutant: RandomMutant | None) -> None:
        if mutant is not None:
            judge.verdict(mutant, copy)
            return
        while not begun.exists():
            sleep(0.01)
        raise KeyboardInterrupt

    began = perf_counter()
    with pytest.raises(KeyboardInterrupt):
        run.call_each(judge_or_interrupt, [None, python("x * 2", "x / 2")], 2)
    assert perf_counter() - began < 30
    assert not VerdictFile(kept.path).verdicts
    assert (copy / "scripts/toy.py").read_text() == before
