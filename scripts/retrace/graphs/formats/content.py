"""Reads the bytes of a graph file, which may be gzipped."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from retrace.system.errors import RetraceError
from retrace.system.files import check_regular

GZIP_MAGIC = b"\x1f\x8b"

PIECE = 1 << 20
"""Number of bytes read at a time."""


@contextmanager
def _naming_file(path: Path | str) -> Iterator[None]:
    """Turn an error into one line that names the file."""
    check_regular(Path(path))
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise RetraceError(f"{path}: expected a whole gzip file, found a damaged one; get it again") from None
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None


@contextmanager
def open_graph(path: Path) -> Iterator[BinaryIO]:
    """Open a file that may be gzipped; raise RetraceError if it cannot be read or is damaged."""
    with _naming_file(path), path.open("rb") as raw:
        if raw.peek(2).startswith(GZIP_MAGIC):
            with gzip.open(raw) as content:
                yield cast(BinaryIO, content)
        else:
            yield raw


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, without decompression; raise RetraceError if it cannot be read."""
    with _naming_file(path):
        return path.read_bytes()


def unpack(raw: bytes, path: Path | str) -> bytes:
    """Return content that may be gzipped; raise RetraceError, naming `path`, if the gzip data is damaged."""
    with _naming_file(path):
        return gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw


def read_pieces(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield the content of a file in pieces of whole lines, each with a flag for the last piece."""
    piece, last = file.read(PIECE) + file.readline(), False
    while not last:
        following = file.read(PIECE) + file.readline()
        last = not following
        yield piece, last
        piece = following
