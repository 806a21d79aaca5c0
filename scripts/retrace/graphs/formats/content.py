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

LONGEST_LINE = 1 << 20
"""Longer lines, which no format has, are cut, so that they do not fill the memory."""


@contextmanager
def _naming_file(path: Path | str) -> Iterator[None]:
    """Turn an error into one line that names the file."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise RetraceError(f"{path}: expected a whole gzip file, found a damaged one; get it again") from None
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None


@contextmanager
def open_graph(path: Path, shown: str | None = None) -> Iterator[BinaryIO]:
    """Open a file that may be gzipped; RetraceErrors, if it is damaged, call it `shown` instead of `path`."""
    check_regular(path)
    with _naming_file(shown or path), path.open("rb") as raw:
        if raw.peek(2).startswith(GZIP_MAGIC):
            with gzip.open(raw) as content:
                yield cast(BinaryIO, content)
        else:
            yield raw


def read_pieces(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield the content of a file in pieces of whole lines, each with a flag for the last piece."""
    piece, last = file.read(PIECE) + file.readline(LONGEST_LINE), False
    while not last:
        following = file.read(PIECE) + file.readline(LONGEST_LINE)
        last = not following
        yield piece, last
        piece = following
