"""What contributors and GitHub read: CONTRIBUTING.md, continuous integration and the forms for issues."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import forked_snakemake
from browser import REQUIRED
from command_line import ENVIRONMENT, PROJECT

GITHUB = PROJECT / ".github"
FORMS = sorted(path for path in GITHUB.glob("ISSUE_TEMPLATE/*.yml") if path.name != "config.yml")
NPM = PROJECT / "tests/npm"
FIELDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def read(path: Path) -> dict[str, Any]:
    """Read YAML in which `on` is a text, as GitHub does."""
    found: dict[str, Any] = yaml.load(path.read_text(), yaml.BaseLoader)
    return found


def test_continuous_integration_runs_what_the_readme_says() -> None:
    jobs = read(GITHUB / "workflows/ci.yml")["jobs"]
    commands = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}
    assert commands.keys() == {"test", "snakemake", "emulator", "cluster", "bundle", "workflows"}
    assert commands["test"][-1] == f"{REQUIRED}=1 .ci/run"  # the image has Chrome and npm
    assert commands["emulator"][0] == "pip install ./scripts/cuda_on_cpu pytest"
    assert commands["cluster"][-1].endswith(" make cluster-test")
    assert "make bundle" in commands["bundle"]
    assert os.access(PROJECT / ".ci/run", os.X_OK)
    made = re.findall(r"^make \w+$", (PROJECT / ".ci/run").read_text(), re.MULTILINE)
    assert made == ["make check", "make test"]
    for page in ("README.md", "CONTRIBUTING.md"):
        assert all(command in (PROJECT / page).read_text() for command in made)
    assert ".ci/run" in (PROJECT / "CONTRIBUTING.md").read_text()


def test_continuous_integration_is_a_workflow() -> None:
    """Only keys of GitHub's syntax; nothing that a step need not do, nothing that may change unnoticed."""
    workflow = read(GITHUB / "workflows/ci.yml")
    assert workflow.keys() == {"name", "on", "permissions", "concurrency", "jobs"}
    assert workflow["on"].keys() == {"push", "pull_request"}
    assert workflow["permissions"] == {"contents": "read"}
    least = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["requires-python"]
    for job in workflow["jobs"].values():
        assert job.keys() == {"runs-on", "timeout-minutes", "steps"}
        assert re.fullmatch(r"ubuntu-\d\d\.04", job["runs-on"])
        assert 0 < int(job["timeout-minutes"]) <= 360
        for step in job["steps"]:
            assert step.keys() in ({"uses"}, {"uses", "with"}, {"run"})
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/none@v0"))
        for python in (step["with"]["python-version"] for step in job["steps"] if "with" in step):
            version = tuple(map(int, python.split(".")))
            assert version >= tuple(map(int, least.removeprefix(">=").split(".")))


def test_the_locks_agree() -> None:
    """They are installed into one environment, one after the other."""
    pinned: dict[str, set[str]] = {}
    for lock in PROJECT.glob("requirements*.lock"):
        found = re.findall(r"^(\S+)==(\S+)", lock.read_text(), re.MULTILINE)
        for name in {name for name, _ in found}:
            versions = " ".join(sorted(version for other, version in found if other == name))
            pinned.setdefault(name, set()).add(versions)
    assert {name: versions for name, versions in pinned.items() if len(versions) > 1} == {}
    assert "snakemake-executor-plugin-slurm" in pinned


def test_the_expressions_of_the_workflow_are_closed() -> None:
    text = (GITHUB / "workflows/ci.yml").read_text()
    assert re.findall(r"\$\{\{.*?\}\}", text) == ["${{ github.ref }}"]
    assert text.count("{{") == text.count("}}") == 1


def test_what_comes_from_npm_is_locked_by_its_hash() -> None:
    packages = json.loads((NPM / "package-lock.json").read_text())["packages"]
    asked = packages.pop("")["devDependencies"]
    assert asked == json.loads((NPM / "package.json").read_text())["devDependencies"]
    assert {name.removeprefix("node_modules/") for name in packages} == asked.keys()
    for one in packages.values():
        assert one["integrity"].startswith("sha512-")
        assert "resolved" not in one  # a host that another computer may not reach


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
