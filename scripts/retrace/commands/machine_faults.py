"""The command `check-machine`: whether a machine's records may enter a table."""

from argparse import Namespace
from pathlib import Path

import yaml

from retrace.commands.lists import MACHINES
from retrace.graphs.dataset_registry import load_registry
from retrace.planning.configuration import load_configuration
from retrace.records.machine_check import examine
from retrace.system.errors import RetraceError
from retrace.system.project import ROOT


def check_machine(arguments: Namespace) -> None:
    """Print a line for each fault in a machine's records; raise RetraceError if one keeps them out."""
    given: Path = arguments.folder
    folder = given if given.parent.name == "machines" else given.absolute()
    configuration, _ = load_configuration(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))
    listed = {name: experiment.specs for name, experiment in configuration.experiments.items()}
    registry = load_registry(arguments.datasets)
    number, errors, doubts = examine(folder, other_records(folder), registry, listed)
    for told in errors:
        print(f"error: {told}")
    for told in doubts:
        print(f"doubtful: {told}")
    print(f"{folder}: records: {number}, errors: {len(errors)}, doubtful: {len(doubts)}")
    if errors:
        raise RetraceError(f"{folder}: {len(errors)} faults keep it out of the tables; mend what is listed")


def other_records(folder: Path) -> list[Path]:
    """List the committed files of other machines: of the project, and beside the folder."""
    places = {path.resolve() for place in (MACHINES, folder.parent) for path in place.glob("*")}
    others = sorted(path for path in places if path != folder.resolve() and path.name != "local")
    return [file for other in others for file in sorted(other.glob("*/*.jsonl"))]
