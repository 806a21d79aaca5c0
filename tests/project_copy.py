"""A copy of the project with experiments of its own, in which nothing was run yet."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from command_line import PROJECT

PARTS = [
    "Snakefile",
    "config.yaml",
    "experiments.yaml",
    "datasets.yaml",
    "profiles",
    "workflow",
    "scripts",
    "kernels",
]
PARTS += ["docs/errata.md", "docs/references.bib", "results/published", "results/repeatability.csv"]


def copy_project(folder: Path, experiments: dict[str, Any]) -> None:
    """Copy what a run needs; the copy measures `experiments`, on the emulator, in two trials each."""
    for part in PARTS:
        source = PROJECT / part
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            # bytecode saves each process a second; what another test writes just now has a longer name
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("*.pyc.*"))
        else:
            shutil.copy(source, folder / part)
    config: dict[str, Any] = yaml.safe_load((PROJECT / "config.yaml").read_text())
    config |= {"machine": "local", "machines": {"local": {"block_size": 64}}}
    config |= {"backend": "emulator", "trials": 2}
    (folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    write_experiments(folder / "experiments.yaml", experiments)
    for of_house in folder.glob("scripts/*/experiments.yaml"):
        of_house.write_text("{}")


def write_experiments(path: Path, experiments: dict[str, Any]) -> None:
    """Write a copy of experiments.yaml with other experiments."""
    measured: dict[str, Any] = yaml.safe_load((PROJECT / "experiments.yaml").read_text())
    measured["experiments"] = experiments
    path.write_text(yaml.safe_dump(measured, sort_keys=False))
