"""The registry of data sets, `datasets.yaml`: which graphs there are and where their files come from."""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, RootModel, StringConstraints, model_validator

from retrace.graphs.graph_names import COMPLETE_GRAPH, HUB_GRAPH, NO_GRAPH, RANDOM_GRAPH
from retrace.system.errors import RetraceError
from retrace.system.models import SHA256, FileModel, Many, Some, at, read_as, read_yaml
from retrace.system.project import ROOT

Vertex = Annotated[int, Field(ge=0)]
VertexPair = tuple[Vertex, Vertex]

PINNED = ".pin"
"""Ending of the file that says what was trusted of a file beside it."""


class Edition(FileModel):
    """One file of a data set: `path` in the project, or `file` to be downloaded."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    format: Literal["dimacs", "he", "snap", "pace", "matrix-market"]
    path: Annotated[str, StringConstraints(min_length=1)] | None = None
    """A file of the project, relative to its root."""
    file: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")] | None = None
    """Name of the file to download from `addresses` or from $GRAPH_MIRROR."""
    addresses: Many[Annotated[str, StringConstraints(pattern=r"^https?://")]] = ()
    sha256: SHA256 | None = None
    """Of the uncompressed content. Without it, what the first download finds is trusted from then on."""
    arrays_sha256: SHA256 | None = None
    """Of the graph as it is read, before weights are generated."""
    unweighted_sha256: SHA256 | None = None
    """The same without weights, where a data set replaces those of the file."""
    arcs: Annotated[int, Field(ge=0)] | None = None
    """If this file has another number of arcs than the data set."""
    renumber: bool = False
    """Number the vertices in the order in which they first appear in the file."""

    @model_validator(mode="after")
    def _has_one_place(self) -> Self:
        if (self.path is None) == (self.file is None) or (self.path and self.addresses):
            raise ValueError("expected either path, or file and addresses")
        if self.file and self.file.endswith(PINNED):
            raise at("file", f"expected a name that does not end in {PINNED}, found {self.file}")
        if self.path and not (ROOT / self.path).resolve().is_relative_to(ROOT):
            raise at("path", f"expected a file of the project, found {self.path}")
        return self


class Pairs(FileModel):
    """Source and target of the searches for ST-connectivity."""

    near: Annotated[VertexPair, Field(strict=False)]
    far: Annotated[VertexPair, Field(strict=False)]
    unreachable: Annotated[VertexPair, Field(strict=False)] | None = None

    def by_name(self) -> dict[str, list[int]]:
        """Return the pairs that the data set has."""
        return {name: list(pair) for name, pair in self if pair is not None}


def check_ids(vertices: int, source: int | None, pairs: Pairs | None) -> None:
    """Raise the error of a validator if the source or an end of a pair is no vertex."""
    ids_by_key = {} if source is None else {"source": [source]}
    if pairs is not None:
        ids_by_key |= {f"pairs.{name}": pair for name, pair in pairs.by_name().items()}
    for key, ids in ids_by_key.items():
        if max(ids) >= vertices:
            raise at(key, f"expected ids below {vertices}, found {max(ids)}")


class DatasetEntry(FileModel):
    """What the registry says of a data set."""

    title: str = ""
    """What a newcomer reads in place of the name, such as `roads of New York`."""
    vertices: Annotated[int, Field(ge=1)]
    arcs: Annotated[int, Field(ge=0)]
    """An undirected edge counts as two arcs."""
    directed: bool
    origin: Literal["dimacs", "snap", "report", "own"]
    licence: str
    source: Vertex
    """The vertex that searches begin at, 0-based."""
    pairs: Pairs | None = None
    """Source and target of the searches for ST-connectivity; found by a search if they are not named."""
    editions: Some[Edition]
    """Files with this graph. The first one that is available is used."""
    weighted: bool = True
    """If so, weights are generated for an edition without weights."""
    weights: Literal["uniform", "unit"] | None = None
    """Weights in place of the file's own: those that are generated for a file without weights, or ones."""
    sources: Annotated[int, Field(ge=1)] | None = None
    """Betweenness: the number of sources, drawn with the configuration's seed; by default all vertices."""
    stand_in: Literal["road", "heavy-tailed"] | None = None
    """The kind of generated graph that is used if no edition is available; by default none is used."""
    optional: bool = False
    """If no edition is available, the graph's rows say so, and the run goes on."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        check_ids(self.vertices, self.source, self.pairs)
        if len({edition.name for edition in self.editions}) < len(self.editions):
            raise at("editions", "expected a different name for each edition")
        return self


class Dataset(DatasetEntry):
    """A data set and its name."""

    name: str

    def arcs_of(self, edition: Edition) -> int:
        """Return the number of arcs in an edition's file."""
        return self.arcs if edition.arcs is None else edition.arcs


class DatasetRegistry(
    RootModel[
        dict[
            Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=100)],
            DatasetEntry,
        ]
    ]
):
    """Data sets by name."""

    @model_validator(mode="after")
    def _names_no_generated_graph(self) -> Self:
        """Refuse what is taken for a graph that is made, or for none."""
        for name in self.root:
            if re.fullmatch(f"{NO_GRAPH}|{RANDOM_GRAPH}|{HUB_GRAPH}|{COMPLETE_GRAPH}", name):
                raise at(name, "expected a data set's name, found that of a graph which is generated")
        return self


def load_registry(files: Sequence[str | Path]) -> dict[str, Dataset]:
    """Read data sets; an entry replaces that of an earlier file. RetraceErrors name file and key."""
    datasets: dict[str, Dataset] = {}
    for file in files:
        entries = read_as(DatasetRegistry, read_yaml(find_file(file)), str(file)).root
        datasets |= {name: Dataset(name=name, **dict(entry)) for name, entry in entries.items()}
    return datasets


def find_file(file: str | Path) -> Path:
    """Return the path of a file of the working folder, or else of the project."""
    path = None
    with suppress(OSError):  # a name that is too long
        path = next((candidate for candidate in (Path(file), ROOT / file) if candidate.is_file()), None)
    if path is None:
        raise RetraceError(f"{file}: no such file; expected a registry of data sets such as datasets.yaml")
    return path
