"""Runs the documentation: its commands, targets, links and names, and the steps of docs/adding-a-kernel.md.

A fenced block marked `sh` holds commands; so does an indented block that begins with one of `PROGRAMS`.
Other blocks hold none. What a command is decides how it is run:

- `python -m retrace` runs in this process, in an empty folder beside the project's small graphs;
- `snakemake` plans its targets as `snakemake -n`;
- `make` shows what it would do, as `make -n`;
- a program of `scripts/` is asked for `--help`, which has to list every option that the page names;
- what begins as a key of `NOT_RUN` is not run, for the reason that stands there.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from itertools import takewhile
from pathlib import Path

import pytest
import yaml

import forked_snakemake
from command_line import ENVIRONMENT, PROJECT, needs_today
from retrace import cli
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.graphs.dataset_registry import load_registry
from retrace.planning.configuration import project_keys
from retrace.planning.plan import Plan, make_plan
from retrace.reports.report import load_reports

EXPERIMENTS = sorted((PROJECT / "docs/experiments").glob("*.md"))
PAGES = [
    PROJECT / "README.md",
    PROJECT / "CONTRIBUTING.md",
    *sorted((PROJECT / "docs").glob("*.md")),
    *EXPERIMENTS,
]
README = PAGES[0].read_text()
KERNEL_PAGE = "docs/adding-a-kernel.md"

ON_GITHUB = ("../../deployments/",)
"""Links that GitHub resolves beside a repository's files, whatever the repository's address."""
MOST_WORDS = {"README.md": 1200, "README.md and docs/*.md": 18_100 + 1_764}

PROGRAMS = ("make", "python", "retrace", "snakemake", "git", "compute-sanitizer", "printf", "cd", "pytest")
NOT_RUN = {
    "git clone": "needs the network",
    "snakemake --profile profiles/slurm": "needs Slurm's plugin; tests/cluster does it",
    "cd retrace": "follows git clone",
    "compute-sanitizer": "needs a GPU",
    "python -m pip install --editable": "needs the network; tests/test_solver_packages.py does what it does",
    "python -m pytest": "takes minutes, and runs in the tests already",
    "pytest": "takes minutes, and runs in the tests already",
    "python tests/": "attacks of minutes; tests/test_fuzzing.py runs one of them for seconds",
}
MADE_BY_READER = {
    "kernels/bfs/level-scan.cu": "the kernel of docs/adding-a-kernel.md",
    "results/machines/rtx4090": "the example of docs/adding-a-gpu.md",
    "results/tune/": "what `snakemake tune` writes",
    "my-bfs": "the experiment of docs/adding-a-kernel.md",
    "my_kernels.py": "the package of docs/adding-a-kernel.md",
    "bfs/level-scan.cu": "its kernel",
    "results/machines/local/": "what a run measures here",
}
RESULTS = ("results/machines", "results/published")
CODE = ("kernels", "scripts", "tests", "workflow")
FOLDERS = ("docs", "kernels", "profiles", *RESULTS, "scripts", "tests", "workflow")


def name_of(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def blocks(text: str, mark: str) -> list[str]:
    return re.findall(rf"^```{mark}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def program(line: str) -> str:
    """Write a command without the folder of its program and without variables before it."""
    return re.sub(r"^([A-Z_]+=\S+ )*(\.venv/bin/)?", "", line.strip())


def commands_of(page: Path) -> list[str]:
    """List a page's commands in order; a line that ends in a backslash goes on in the next one."""
    indented = re.findall(r"(?:\n\n)((?: {4,}\S.*(?:\n|$))+)", prose(page))
    listings = [text for text in indented if program(text).split()[0] in PROGRAMS]
    lines = "\n".join([*blocks(page.read_text(), "sh"), *listings]).replace("\\\n", " ")
    return [program(line) for line in lines.splitlines() if line.strip()]


def spans(page: Path) -> list[str]:
    return [" ".join(code.split()) for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose(page))]


words_of = partial(shlex.split, comments=True)
COMMANDS = {name_of(page): commands_of(page) for page in PAGES}
INLINE = {name_of(page): spans(page) for page in PAGES}
ALL = dict.fromkeys((page, command) for page, found in COMMANDS.items() for command in found)


def of(kind: str) -> list[tuple[str, str]]:
    """List pages and commands of a program that are run, each command once."""
    once = {command: page for page, command in reversed(ALL) if command.startswith(f"{kind} ")}
    return [(page, command) for command, page in once.items() if not command.startswith(tuple(NOT_RUN))]


@cache
def project_files() -> set[str]:
    folders = [PROJECT / folder for folder in (*FOLDERS, ".ci")]
    nested = (path for folder in folders for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {path.relative_to(PROJECT).as_posix() for path in (*nested, *PROJECT.glob("*")) if path.is_file()}


def test_every_command_is_known() -> None:
    known = ("python -m retrace ", "retrace ", "python scripts/", "snakemake ", "make ", "printf ", *NOT_RUN)
    assert ALL
    assert [command for _, command in ALL if not command.startswith(known)] == []
    assert len(NOT_RUN) <= 8, "run it, or say why not and let this number grow"
    assert all(" " not in prefix or prefix.split()[0] in PROGRAMS for prefix in NOT_RUN)


# ----- python -m retrace


def is_retrace(command: str) -> bool:
    return command.startswith(("python -m retrace ", "retrace ", "printf "))


@pytest.mark.long
@needs_today
@pytest.mark.parametrize(
    "page", [page for page in COMMANDS if page != KERNEL_PAGE and any(map(is_retrace, COMMANDS[page]))]
)
def test_the_command_line_runs_as_written(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "workflow").symlink_to(PROJECT / "workflow")
    add_machines(tmp_path / "results/machines")
    monkeypatch.chdir(tmp_path)
    for command in filter(is_retrace, COMMANDS[page]):
        if command.startswith("printf "):
            subprocess.run(["bash", "-c", command], check=True)
            continue
        words = words_of(command)
        status = cli.main(words[words.index("retrace") + 1 :])
        told = capsys.readouterr()
        assert status == 0, f"{command}\n{told.err}"
        assert "solve " not in command or "verified" in told.out, f"{command}\n{told.out}"


def add_machines(folder: Path) -> None:
    """Copy some records of the H200, and make slower ones of the machine in the examples from them."""
    committed = PROJECT / "results/machines/h200/table-3.3"
    shutil.copytree(committed, folder / "h200/table-3.3")
    (folder / "rtx4090/table-3.3").mkdir(parents=True)
    for path in committed.glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            line["machine"] |= {"name": "rtx4090", "host": "4" * 12}
            line["started"] = line["started"].replace("2026-", "2025-")
            line["trials"] = [
                trial | {key: trial[key] + 1 for key in ("solve", "total")} for trial in line["trials"]
            ]
        (folder / "rtx4090/table-3.3" / path.name).write_text(
            "".join(f"{json.dumps(line)}\n" for line in lines)
        )


def test_the_registry_of_ones_own_is_valid(tmp_path: Path) -> None:
    page = (PROJECT / "docs/command-line.md").read_text()
    (entry,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "my-datasets.yaml").write_text(entry)
    assert load_registry([tmp_path / "my-datasets.yaml"])["my-graph"].origin == "own"


def test_every_command_has_an_example() -> None:
    page = (PROJECT / "docs/command-line.md").read_text()
    listed = re.findall(r"^    (\w+) ", cli.make_parser().format_help(), re.MULTILINE)
    assert {"solve", "machines"} <= set(listed)
    assert [command for command in listed if f"python -m retrace {command}" not in page] == []


# ----- snakemake

Processes = dict[str, "Future[subprocess.CompletedProcess[str]]"]


def targets_table() -> list[str]:
    page = (PROJECT / "docs/targets.md").read_text()
    table = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    return list(dict.fromkeys(re.findall(r"`([\w.-]+)`", table)))


def plan(arguments: list[str], folder: Path, root: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    """Let Snakemake plan targets without making anything, in a folder of its own."""
    words = ["--snakefile", str(root / "Snakefile"), "--directory", str(folder), "--cores", "1", "--dry-run"]
    environment = {**ENVIRONMENT, "PYTHONPATH": str(root / "scripts")}
    given = (*words, *arguments)
    status, printed = forked_snakemake.call(root, *given, environment=environment, timeout=200)
    return subprocess.CompletedProcess(given, status, printed, "")


def python(*words: str, root: Path) -> subprocess.CompletedProcess[str]:
    environment = {**ENVIRONMENT, "PYTHONPATH": str(root / "scripts")}
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, cwd=root)


OURS = next(command for command in COMMANDS[KERNEL_PAGE] if command.startswith("snakemake "))
PLANNED = [command for _, command in of("snakemake") if command != OURS]


@pytest.fixture(scope="module", autouse=True)
def processes(with_kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """What takes a process, begun before the first test: the new kernel's commands, and Snakemake's plans.

    All targets that are named with one configuration are planned together, under its name.
    """
    folder = tmp_path_factory.mktemp("plans")
    wanted: dict[str, list[str]] = {"": targets_table()}
    for command in PLANNED:
        targets, configuration = split_command(command)
        wanted.setdefault(configuration, []).extend(targets)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {
            KERNEL_PAGE: pool.submit(solve_with_kernel, with_kernel),
            OURS: pool.submit(plan, [*words_of(OURS)[1:], "--printshellcmds"], with_kernel, with_kernel),
            **{
                said: pool.submit(plan, [*dict.fromkeys(targets), *shlex.split(said)], folder / str(number))
                for number, (said, targets) in enumerate(wanted.items())
            },
        }


def split_command(command: str) -> tuple[list[str], str]:
    """Take the targets of a Snakemake command, and its `--config` with what follows."""
    before, option, values = command.partition(" --config ")
    targets = [word for word in words_of(before)[1:] if not word.startswith("-") and not word.isdecimal()]
    return targets, shlex.join(["--config", *words_of(values)]) if option else ""


@needs_today
@pytest.mark.parametrize("command", ["the table of docs/targets.md", *PLANNED])
def test_snakemake_knows_the_targets(command: str, processes: Processes) -> None:
    configuration = split_command(command)[1] if command in PLANNED else ""
    done = processes[configuration].result()
    assert done.returncode == 0, done.stdout + done.stderr


@cache
def planned() -> Plan:
    return make_plan(project_keys())


@needs_today
def test_every_target_is_listed() -> None:
    assert set(targets_table()) == planned().targets.keys()


# ----- make and scripts


@pytest.mark.parametrize("command", [command for _, command in of("make")])
def test_make_knows_the_target(command: str) -> None:
    words = words_of(command)
    done = subprocess.run([*words, "-n"], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


WITH_OPTIONS = [
    command.removeprefix("python ") for _, command in of("python") if "python scripts/" in command
]
WITH_OPTIONS += [
    code for found in INLINE.values() for code in found if re.match(r"scripts/\w+\.py .*--", code)
]


@needs_today
@pytest.mark.parametrize("command", dict.fromkeys(WITH_OPTIONS))
def test_scripts_have_the_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    script, *words = words_of(command)
    stage = [*takewhile(lambda word: not word.startswith("-"), words)]
    with pytest.raises(SystemExit):
        run_script(script, *stage[:1], "--help")
    listed = capsys.readouterr().out
    assert [word for word in words if word.startswith("--") and word not in listed] == []


def run_script(script: str, *arguments: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [script, *arguments])
        runpy.run_path(str(PROJECT / script), run_name="__main__")


# ----- links and names


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        path, _, anchor = link.partition("#")
        if link.startswith(("http://", "https://", "mailto:", *ON_GITHUB)):
            continue
        target = (page.parent / path) if path else page
        headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE) if anchor else []
        anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
        if not target.exists() or (anchor and anchor not in anchors):
            broken.append(link)
    assert broken == []


def test_the_index_of_experiments_has_every_entry_once() -> None:
    """An entry's number is that of its file's name and of its title, and none is left out."""
    index = PROJECT / "docs/experiments/README.md"
    entries = sorted({*EXPERIMENTS} - {index}, key=lambda path: int(path.name.partition("-")[0]))
    linked = re.findall(r"^\| \[(\d+)\]\((.*?)\) \|", index.read_text(), re.MULTILINE)
    assert sorted(linked, key=lambda row: int(row[0])) == [
        (str(number), path.name) for number, path in enumerate(entries, 1)
    ]
    for number, path in enumerate(entries, 1):
        assert path.name.startswith(f"{number:02}-"), path
        assert path.read_text().startswith(f"# {number}. "), path


def test_references_to_experiments_lead_somewhere() -> None:
    """Code and tests write `docs/experiments, 4 and 16`."""
    for path in sorted(path for folder in CODE for path in (PROJECT / folder).rglob("*.*")):
        if path.suffix in (".py", ".cu", ".cuh", ".h", ".cpp", ".smk", ".yaml") and path != Path(__file__):
            text = path.read_text(encoding="utf-8")
            assert "docs/experiments.md" not in text, path
            for numbers in re.findall(r"docs/experiments, ((?:\d+|, | and )+)", text):
                assert all(0 < int(number) < len(EXPERIMENTS) for number in re.findall(r"\d+", numbers)), path


@needs_today
@pytest.mark.parametrize("page", INLINE)
def test_files_exist(page: str) -> None:
    for code in INLINE[page]:
        whole = code.startswith(tuple(f"{folder}/" for folder in FOLDERS))
        part = re.fullmatch(r"[\w./<>*-]+\.(py|cu|cuh|cpp|h|smk|he|toml|cff|bib|yaml|lock)", code)
        if code.startswith(tuple(MADE_BY_READER)) or not re.fullmatch(r"[\w./<>*-]+", code):
            continue
        pattern = re.sub(r"<[^>]+>|\\\*", "[^/]+", re.escape(code.rstrip("/")))
        pattern = ("" if whole else "(.*/)?") + pattern + "(/.*)?"
        assert not (whole or part) or any(re.fullmatch(pattern, file) for file in project_files()), code


@pytest.mark.parametrize("page", INLINE)
def test_targets_results_solvers_and_tests_exist(page: str) -> None:
    targets = planned().targets
    misspelt = {name.replace("-", "_").replace(".", "_") for name in targets} - {*targets}
    stems = {Path(file).stem for made in targets.values() for file in made} | MADE_BY_READER.keys()
    names = {*CATALOGUE.listed, "bfs/level-scan"}
    problems = "|".join(sorted({name.split("/")[0] for name in names}))
    sources = "".join(path.read_text() for path in sorted((PROJECT / "tests").rglob("test_*.py")))
    for code in INLINE[page]:
        assert code not in misspelt
        assert not re.match(r"results/(tables|figures)/[a-z]", code) or Path(code).stem in stems, code
        assert not re.fullmatch(r"test_\w+", code) or f"def {code}(" in sources, code
        if re.fullmatch(rf"({problems})/[\w-]+(:\S+)?", code):
            assert code.partition(":")[0] in names
            if ":" in code and "level-scan" not in code:
                CATALOGUE.parse(code)


# ----- docs/adding-a-kernel.md


@pytest.fixture(scope="module")
def with_kernel() -> Path:
    """Carry out the steps of the page in a copy of the project: one kernel, one class, one experiment.

    The copy is always at the same place, since what was compiled is found again by its path too.
    """
    folder = PROJECT / "build/documentation"
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("kernels", "profiles", "results/published", "scripts", "workflow"):
        shutil.copytree(PROJECT / part, folder / part, ignore=shutil.ignore_patterns("*.pyc.*"))
    for path in [PROJECT / "Snakefile", *PROJECT.glob("*.yaml"), *PROJECT.glob("*.toml")]:
        shutil.copy(path, folder / path.name)
    shutil.copy(PROJECT / "results/repeatability.csv", folder / "results")
    (folder / "results/machines").symlink_to(PROJECT / "results/machines")
    (folder / "build").symlink_to(PROJECT / "build")
    page = (PROJECT / KERNEL_PAGE).read_text()
    (kernel,), (solver,), (experiment, *_) = (blocks(page, mark) for mark in ("cuda", "python", "yaml"))
    (folder / "kernels/bfs/level-scan.cu").write_text(kernel)
    for name, text in {
        "scripts/retrace/solvers/bfs.py": f"\n\n{solver}",
        "experiments.yaml": experiment,
    }.items():
        before = (folder / name).read_text()
        if text.strip() not in before:  # it is there once a reader has carried out the steps
            (folder / name).write_text(before + text)
    done = python(str(folder / "scripts/stage.py"), "write-schemas", root=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_example_kernel_is_short() -> None:
    page = (PROJECT / KERNEL_PAGE).read_text()
    assert blocks(page, "cuda")[0].count("\n") <= 30
    assert blocks(page, "python")[0].count("\n") <= 40


def solve_with_kernel(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the page's `python -m retrace` commands one after the other in one process."""
    commands = [words_of(command)[3:] for command in COMMANDS[KERNEL_PAGE] if is_retrace(command)]
    program = f"from retrace.cli import main\nfor words in {commands}: assert main(words) == 0"
    return python("-c", program, root=folder)


def test_the_example_kernel_finds_levels(processes: Processes) -> None:
    done = processes[KERNEL_PAGE].result()
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert "6 of 9 reached, largest level 4" in line
        assert "verified against" in line


def test_the_example_kernel_has_table_and_figure(processes: Processes) -> None:
    done = processes[OURS].result()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bfs/level-scan:block_size=128 bfs/level-scan:block_size=256" in done.stdout
    assert "publish-experiment" in done.stdout


# ----- lengths


def test_the_readme_and_the_documents_are_short() -> None:
    """Words are what `wc -w` counts, but for docs/experiments/, docs/results/ and what a script makes."""
    texts = [path.read_text() for path in (PROJECT / "docs").glob("*.md")]
    made = re.compile("<!-- made by .*?<!-- end -->", re.DOTALL)
    documents = sum(len(made.sub("", text).split()) for text in texts)
    readme = len(README.split())
    assert readme <= MOST_WORDS["README.md"]
    assert readme + documents <= MOST_WORDS["README.md and docs/*.md"]


# ----- citations


def test_citations_agree() -> None:
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text())
    bibliography = (PROJECT / "docs/references.bib").read_text()
    found = re.findall(r"^@\w+\{([\w-]+),\n(.*?)^\}", bibliography, re.MULTILINE | re.DOTALL)
    entries = {key: re.sub(r"[{}\\]", "", text) for key, text in found}
    reports = sorted(key for key, report in load_reports().items() if report.claims)
    assert sorted(entry["notes"].split(".")[0] for entry in citation["references"]) == reports
    for entry in citation["references"]:
        text = entries[entry["notes"].split(".")[0]]
        author = entry["authors"][0]
        assert re.search(rf" title += {re.escape(entry['title'])},", text)
        assert author.get("family-names", author.get("name")) in text
        assert str(entry.get("year", "")) in text
