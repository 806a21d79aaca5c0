"""What is trusted from its first use on: digests of a file without one in the registry, and of its graph.

They are kept beside the file, as `<file>.pin`, a line for each: of the content, of the graph's arrays as they
are read, and of the arrays without weights.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from retrace.graphs.dataset_registry import PINNED, Edition
from retrace.system.errors import RetraceError
from retrace.system.files import check_regular, write_whole
from retrace.system.models import one_line


@dataclass(frozen=True)
class Pin:
    """The digests of an edition's file; those of arrays are missing in pins from before they were kept."""

    sha256: str
    arrays_sha256: str | None = None
    unweighted_sha256: str | None = None


def is_trusted(edition: Edition) -> bool:
    """Return whether the registry has no digest of an edition's file, so that the first one is trusted."""
    return edition.file is not None and edition.sha256 is None


def pin_of(edition: Edition, downloads: Path) -> Path:
    """Return the path of a pin, which need not exist."""
    return downloads / f"{edition.file}{PINNED}"


def read_pin(path: Path) -> Pin | None:
    """Return what the first download found; None if there was none."""
    check_regular(path)
    try:
        text = path.read_text().strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise RetraceError(f"{path}: cannot be read ({one_line(error)}); delete it") from None
    if not re.fullmatch("[0-9a-f]{64}(\n[0-9a-f]{64}){0,2}", text):
        raise RetraceError(f"{path}: expected a sha256, found {one_line(text)!r}; delete it")
    return Pin(*text.split("\n"))


def write_pin(path: Path, pin: Pin) -> None:
    """Write a pin, whole or not at all."""
    write_whole(path, f"{pin.sha256}\n{pin.arrays_sha256}\n{pin.unweighted_sha256}\n")
