"""Checks that a stored graph with the name of a data set is what the registry says of it.

The digests beside stored arrays only show that the arrays are those that were stored. Whoever replaces the
folder can replace them too; the registry's digests come with the project. Where it has none, the digests are
those of the pin that the first download left beside its file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from retrace.graphs.csr import CSRGraph
from retrace.graphs.dataset_registry import Dataset, Edition
from retrace.graphs.dense import Graph
from retrace.graphs.generators import ROAD_WEIGHTS, random_weights
from retrace.graphs.pins import is_trusted, pin_of, read_pin
from retrace.system.errors import RetraceError

Expectation = tuple[str, Any, Any]
"""What is compared, what the registry says, and what the graph has."""


def require_registered(graph: Graph, folder: Path, registry: Mapping[str, Dataset], downloads: Path) -> None:
    """Raise RetraceError if a graph, or its folder, has the name of a data set, but it is another graph.

    A stand-in is only compared by its identity: its origin stands beside every number of it. `downloads` is
    the folder of files and their pins.
    """
    dataset = registry.get(folder.name) or registry.get(graph.name)
    if dataset is None:
        return
    for key, expected, actual in _compared(graph, dataset, downloads):
        if actual != expected:
            raise RetraceError(
                f"{folder}: not {dataset.name} of the registry ({key}: expected {expected}, found {actual}); "
                "delete it and write it again, by `retrace stage get-graph`, or name another graph otherwise"
            )


def _compared(graph: Graph, dataset: Dataset, downloads: Path) -> Iterator[Expectation]:
    """Yield what is compared, the digests last, since they take time."""
    info, edition = graph.info, None
    yield "name", dataset.name, graph.name
    yield "source", dataset.source, info.get("source")
    yield "vertices", dataset.vertices, graph.vertices
    if dataset.sources is not None and dataset.sources < dataset.vertices:
        yield "sources.count", dataset.sources, (info.get("sources") or {}).get("count")
    if not (dataset.stand_in and info.get("origin") == "stand-in"):
        editions = {edition.name: edition for edition in dataset.editions}
        edition = editions.get(str(info.get("edition")))
        if edition is None or not isinstance(graph, CSRGraph):
            yield "edition", " or ".join(editions), info.get("edition")
        else:
            yield "origin", dataset.origin, info.get("origin")
            yield "directed", dataset.directed, info.get("directed")
            yield "arcs", dataset.arcs_of(edition), graph.arcs
            if dataset.pairs is not None:
                yield "pairs", dataset.pairs.by_name(), info.get("pairs")
            if is_trusted(edition):
                pin, trusted = read_pin(place := pin_of(edition, downloads)), info.get("trusted_sha256")
                if pin is None or pin.arrays_sha256 is None:
                    yield "trusted_sha256", f"three digests in {place}", trusted
                    return
                yield "trusted_sha256", pin.sha256, trusted
                lacking = {key: of_first for key, of_first in vars(pin).items() if not getattr(edition, key)}
                edition = edition.model_copy(update=lacking)
            yield from _arrays(graph, dataset, edition)


def _arrays(graph: CSRGraph, dataset: Dataset, edition: Edition) -> Iterator[Expectation]:
    """Yield digests, where the registry has any, and weights that no file has."""
    seed, kind, rows = graph.info.get("seed"), graph.info.get("weights"), replace(graph, weights=None)
    made_kind = {"uniform": "generated", "unit": "unit"}.get(str(dataset.weights))
    if made_kind is not None:
        yield "weights", made_kind, kind
    if kind in ("file", "none"):
        yield from _digest(graph, edition.arrays_sha256)
        return
    yield from _digest(rows, edition.unweighted_sha256 if made_kind else edition.arrays_sha256)
    if kind == "unit" and made_kind:
        expected = np.ones(graph.arcs, np.int32)
    elif kind == "generated" and seed is not None:
        expected = random_weights(graph.tails(), graph.indices, *ROAD_WEIGHTS, seed)
    else:
        yield "weights", "those of the file, or generated ones with a seed", f"{kind}, seed {seed}"
        return
    if graph.weights is None or not np.array_equal(graph.weights, expected):
        yield "weights", f"those that are {kind} for seed {seed}", "others"


def _digest(graph: CSRGraph, expected: str | None) -> Iterator[Expectation]:
    if expected is not None:
        yield "sha256 of its arrays", expected, graph.digest()
