"""Where the file of a data set would come from, without getting it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from retrace.graphs.dataset_registry import Dataset
from retrace.graphs.downloads import USUAL, WEB, Patience, host, probe
from retrace.system.project import ROOT


@dataclass(frozen=True)
class Places:
    """Where data sets would come from."""

    by_dataset: dict[str, str | None]
    """Where the first available edition is; None if none is."""
    asked: int
    answered: int
    """Web addresses that were asked, and that have the file."""


def find_places(
    datasets: Sequence[Dataset], downloads: Path, mirror: str | None, patience: Patience = USUAL
) -> Places:
    """Find where data sets would come from; all addresses are asked at the same time.

    What is there may still have other content than expected.
    """
    deadline = time.monotonic() + patience.probe
    probes = {
        (dataset.name, edition.name): [
            (address, probe(address, patience))
            for address in ([f"{mirror.rstrip('/')}/{edition.file}"] if mirror else []) + [*edition.addresses]
        ]
        for dataset in datasets
        for edition in dataset.editions
        if edition.file and not (downloads / edition.file).is_file()
    }
    by_dataset: dict[str, str | None] = {}
    asked_of_web = answered = 0
    for dataset in datasets:
        places = []
        for edition in dataset.editions:
            if edition.path and (ROOT / edition.path).is_file():
                places.append("the project")
            elif edition.file and (downloads / edition.file).is_file():
                places.append(str(downloads))
            for address, answer in probes.get((dataset.name, edition.name), []):
                asked_of_web += address.startswith(WEB)
                try:
                    answer.result(max(0.0, deadline - time.monotonic()))
                except Exception:  # whatever the reason, it is not to be had from there
                    continue
                answered += address.startswith(WEB)
                places.append("$GRAPH_MIRROR" if mirror and address.startswith(mirror) else host(address))
        by_dataset[dataset.name] = next(iter(places), None)
    return Places(by_dataset, asked_of_web, answered)
