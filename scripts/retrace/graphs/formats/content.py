"""The bytes of a graph file, which may be gzip'ed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from retrace.system.errors import RetraceError

GZIP_MAGIC = b"\x1f\x8b"

PIECE = 1 << 20
"""Bytes of text read at a time."""


@contextmanager
def open_graph(path: Path) -> Iterator[BinaryIO]:
    """Open a file that may be gzip'ed, to be read inside the block.

    Raises
    ------
    RetraceError
        If it cannot be read, or is a damaged gzip file.
    """
    try:
        with path.open("rb") as raw:
            if raw.peek(2).startswith(GZIP_MAGIC):
                with gzip.open(raw) as content:
                    yield cast(BinaryIO, content)
            else:
                yield raw
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise RetraceError(f"{path}: expected a whole gzip file, found a damaged one; get it again") from None
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None


def read_bytes(path: Path) -> bytes:
    """Return a file as it is.

    Raises
    ------
    RetraceError
        If it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None


def unpack(raw: bytes, path: Path | str) -> bytes:
    """Return the content of a file that may be gzip'ed.

    Raises
    ------
    RetraceError
        If it is a damaged gzip file, naming `path`.
    """
    try:
        return gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise RetraceError(f"{path}: expected a whole gzip file, found a damaged one; get it again") from None


def read_pieces(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield a file's content in pieces of whole lines, each with whether it is the last."""
    piece, last = file.read(PIECE) + file.readline(), False
    while not last:
        following = file.read(PIECE) + file.readline()
        last = not following
        yield piece, last
        piece = following
