"""The values of each profile are options that Snakemake and its plugin know, of the type that they expect."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from snakemake.cli import get_argument_parser
from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

from command_line import PROJECT

PROFILES = sorted(path.parent.name for path in PROJECT.glob("profiles/*/config.yaml"))


def parsed(folder: Path) -> Any:
    """Parse a profile as Snakemake does, and let its plugin make its settings of it."""
    arguments = get_argument_parser(profiles=[folder]).parse_args([])
    plugin = ExecutorPluginRegistry().get_plugin(arguments.executor or "local")
    settings = plugin.get_settings(arguments)
    plugin.validate_settings(settings)
    return arguments, settings


def test_there_is_a_profile_for_each_plugin() -> None:
    assert PROFILES == ["default", "kubernetes", "slurm"]


@pytest.mark.parametrize("name", PROFILES)
def test_values_are_parsed(name: str) -> None:
    arguments, _ = parsed(PROJECT / "profiles" / name)
    assert (arguments.executor or "default") == name


@pytest.mark.parametrize(
    "spoiled", ["kubernetes-namspace: default", "kubernetes-cpu-scalar: most", "retries: often"]
)
def test_a_wrong_key_or_value_is_found(tmp_path: Path, spoiled: str) -> None:
    profile = tmp_path / "kubernetes"
    shutil.copytree(PROJECT / "profiles/kubernetes", profile)
    file = profile / "config.yaml"
    key = spoiled.partition(":")[0]
    kept = [line for line in file.read_text().splitlines() if not line.startswith(f"{key}:")]
    file.write_text("\n".join([*kept, spoiled]))
    with pytest.raises(SystemExit):
        parsed(profile)


def test_kubernetes_is_given_what_the_profile_says() -> None:
    arguments, settings = parsed(PROJECT / "profiles/kubernetes")
    assert (settings.namespace, settings.cpu_scalar, settings.persistent_volumes) == ("default", 0.95, [])
    assert (arguments.jobs, arguments.retries, arguments.max_threads) == (100, 2, 8)


@pytest.mark.parametrize(("threads", "asked"), [(1024, ("--exclusive", -1, 0)), (1, ("", 1, 4000))])
def test_only_what_has_threads_gets_a_node(threads: int, asked: tuple[str, int, int]) -> None:
    resources = parsed(PROJECT / "profiles/slurm")[0].default_resources
    known = {
        "wildcards": {},
        "input": [],
        "attempt": 1,
        "threads": threads,
        "rulename": "",
        "async_run": None,
    }
    found = [resources[key].evaluate(**known).value for key in ("slurm_extra", "cpus_per_task", "mem_mb")]
    assert tuple(found) == asked
