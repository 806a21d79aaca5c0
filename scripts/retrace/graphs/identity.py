"""The identity of a stored graph, `graph.json`: a digest of all its values shows that none was altered."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from retrace.graphs.dataset_registry import Pairs, Vertex, check_ids
from retrace.system.errors import RetraceError
from retrace.system.models import SHA256, FileModel, Some, at, explain, one_line

SEAL = "identity_sha256"
"""The key of the digest of all other keys."""


class Sample(FileModel):
    """Random sources of a betweenness query."""

    count: Annotated[int, Field(ge=1)]
    seed: int


class Picked(FileModel):
    """Where a benchmark that defines a graph searches from."""

    seed: int
    """Of its random numbers."""
    vertices: Some[Vertex]
    """Different vertices with arcs, in the benchmark's order."""
    edges: Some[Annotated[int, Field(ge=1)]]
    """For each, the edges in its component as they were drawn: self-loops and repeated ones count."""


class Identity(FileModel):
    """What `graph.json` holds. A graph that was not made has no `sha256`, but the reason, `missing`."""

    name: Annotated[str, Field(min_length=1, max_length=255)] = "graph"
    vertices: Annotated[int, Field(ge=0)]
    arcs: Annotated[int, Field(ge=0)]
    sha256: SHA256 | None
    missing: str | None = None
    directed: bool | None = None
    origin: Literal["dimacs", "snap", "report", "own", "generated", "stand-in"] | None = None
    edition: str | None = None
    weights: Literal["file", "generated", "unit", "none"] | None = None
    least_weight: int | None = None
    greatest_weight: int | None = None
    density: float | None = None
    seed: int | None = None
    source: Vertex | None = None
    pairs: Pairs | None = None
    sources: Sample | None = None
    picked: Picked | None = None
    trusted_sha256: SHA256 | None = None
    identity_sha256: SHA256

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for key in sorted(self.model_fields_set - {"seed", "sha256"}):
            if getattr(self, key) is None:
                raise at(key, "expected a value, found null")
        if (self.sha256 is None) == (self.missing is None):
            raise at("sha256", "expected either the digest of arrays, or null and why they are missing")
        check_ids(self.vertices, self.source, self.pairs)
        if self.sources is not None and self.sources.count > self.vertices:
            raise at("sources.count", f"expected at most {self.vertices}, found {self.sources.count}")
        if self.picked is not None and max(self.picked.vertices) >= self.vertices:
            greatest = max(self.picked.vertices)
            raise at("picked.vertices", f"expected ids below {self.vertices}, found {greatest}")
        return self


def write_identity(info: dict[str, Any]) -> str:
    """Return the text of `graph.json`; raise ValueError if it could not be read again."""
    text = json.dumps({**info, SEAL: _digest(info)}, indent=2) + "\n"
    read_identity(text)
    return text


def read_identity(text: str | bytes) -> dict[str, Any]:
    """Return the values of `graph.json`, without its digest; raise ValueError if one of them is wrong."""
    try:
        identity = Identity.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(explain(error, "graph.json")) from None
    info = identity.model_dump(mode="json", exclude_unset=True, exclude={SEAL})
    if _digest(info) != identity.identity_sha256:
        raise ValueError(f"graph.json was altered: its {SEAL} is not that of its other values")
    return info


def _digest(info: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(info, sort_keys=True).encode()).hexdigest()


def stored_info(folder: Path) -> dict[str, Any]:
    """Read a graph's identity, or why it is `missing`; raise RetraceError if the folder holds neither."""
    with naming_folder(folder):
        return read_identity(plain_file(folder / "graph.json").read_bytes())


def plain_file(path: Path) -> Path:
    """Return the path of a file; for a link or a pipe, which would be waited for, raise ValueError."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ValueError(f"{path.name} is no plain file")
    return path


STORING = "`retrace stage get-graph` or `retrace convert`"
"""What writes stored graphs."""


@contextmanager
def naming_folder(folder: Path, writer: str = STORING) -> Iterator[None]:
    """Turn an error into one line that names the folder, and who can write it again."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, SyntaxError, TokenError) as error:
        reason = f"{folder}: not a stored graph ({one_line(error)})"
        mend = "delete it and write it again" if folder.is_dir() else "expected its folder, which is written"
        raise RetraceError(f"{reason}; {mend}, by {writer}") from None
