"""Opens a graph's file: unpacked, whatever its name, as bytes of UTF-8; names what cannot be read."""

import bz2
import io
import lzma
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import BinaryIO, cast

from isal import igzip

from retrace.graphs.formats.lines import GZIP_MAGIC, open_graph
from retrace.system.errors import RetraceError

STDIN = Path("-")
"""The path that stands for standard input."""

HEAD_BYTES = 1 << 16
"""Number of bytes by which a format is known."""

MOST_PACKINGS = 4
"""A file that is packed in itself more often is refused."""

ZSTD_MAGIC, ZIP_MAGIC = b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
UTF16, UTF8_BOM = (b"\xff\xfe", b"\xfe\xff"), b"\xef\xbb\xbf"
UNREADABLE = {
    b"PAR1": "Parquet; write CSV, in pandas by `to_csv(index=False)`",
    b"\x89HDF": "HDF5; write an edge list or CSV",
    b"\x93NUMPY": "a NumPy array; write an edge list or CSV",
    b"7z\xbc\xaf": "a 7z archive; unpack it",
    b"Rar!": "a RAR archive; unpack it",
    b"SQLite": "an SQLite database; write its edges as CSV",
    b"%PDF": "a PDF",
    b"\x1f\x9d": "packed with compress; unpack it",
    b"\x04\x22\x4d\x18": "packed with lz4; unpack it",
    b"\x1f\xa0": "packed with compress; unpack it",
}
"""What a file is that begins with these bytes, and what to do."""


@contextmanager
def open_content(path: Path) -> Iterator[BinaryIO]:
    """Open a file, or standard input for `-`, that may be packed by gzip, bzip2, xz, zstd or zip, or twice.

    A byte order mark is skipped, and UTF-16 becomes UTF-8. Raises RetraceError if it is damaged or binary.
    """
    if path == STDIN:
        with _naming(path):
            yield _unpacked(io.BufferedReader(cast(io.RawIOBase, io.BytesIO(_standard_input()))), path)
        return
    with open_graph(path) as file, _naming(path):
        plain = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, file))
        yield _unpacked(plain, path)


def read_head(path: Path) -> str:
    """Return the first characters of a file."""
    with open_content(path) as file:
        return decoded(file.read(HEAD_BYTES))


def decoded(content: bytes) -> str:
    """Return text of UTF-8, or else of Latin-1; lines end with a line feed."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        cut = error.start >= len(content) - 3 and len(content) == HEAD_BYTES  # in the middle of a letter
        text = content[: error.start].decode() if cut else content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@cache
def _standard_input() -> bytes:
    """Return all of standard input, which can be read only once."""
    return sys.stdin.buffer.read()


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn what a damaged file raises into one line."""
    try:
        yield
    except (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise RetraceError(f"{path}: expected a whole packed file, found a damaged one ({reason})") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise RetraceError(
            f"{path}: expected a whole packed file, found a damaged one; get it again"
        ) from None
    except UnicodeDecodeError:
        raise RetraceError(f"{path}: expected UTF-16 after its first bytes; write it as UTF-8") from None


def _unpacked(file: io.BufferedReader, path: Path) -> BinaryIO:
    """Return the content as bytes of text; RetraceError if it is none."""
    for _ in range(MOST_PACKINGS):
        head = file.peek(512)
        if head.startswith(GZIP_MAGIC):
            inner = cast(io.RawIOBase, igzip.open(file))
        elif head.startswith(b"BZh"):
            inner = cast(io.RawIOBase, bz2.open(file))  # noqa: SIM115 - closed with the file
        elif head.startswith(b"\xfd7zXZ\0"):
            inner = cast(io.RawIOBase, lzma.open(file))  # noqa: SIM115 - closed with the file
        elif head.startswith(ZSTD_MAGIC):
            inner = cast(io.RawIOBase, io.BytesIO(_unzstd(file.read(), path)))
        elif head.startswith(ZIP_MAGIC):
            inner = cast(io.RawIOBase, _only_member(file, path))
        else:
            return _text(file, head, path)
        file = io.BufferedReader(inner)
    raise RetraceError(f"{path}: is packed more than {MOST_PACKINGS} times; unpack it")


def _text(file: io.BufferedReader, head: bytes, path: Path) -> BinaryIO:
    """Skip a byte order mark; refuse what no text begins with."""
    if head.startswith(UTF8_BOM):
        file.read(len(UTF8_BOM))
        head = head[len(UTF8_BOM) :]
    elif head.startswith(UTF16):
        return io.BytesIO(file.read().decode("utf-16").encode())
    for magic, what in UNREADABLE.items():
        if head.startswith(magic):
            raise RetraceError(f"{path}: is {what}")
    if head[257:262] == b"ustar":
        raise RetraceError(f"{path}: is a tar archive; unpack it, and name the graph's file in it")
    return file


def _unzstd(content: bytes, path: Path) -> bytes:
    """Unpack zstd by its program, since Python before 3.14 has no module for it."""
    try:
        done = subprocess.run(["zstd", "-dc"], input=content, capture_output=True, check=False)
    except OSError:
        raise RetraceError(f"{path}: is packed with zstd, whose program is not here; install it") from None
    if done.returncode:
        raise RetraceError(f"{path}: expected a whole zstd file, found a damaged one; get it again")
    return done.stdout


def _only_member(file: io.BufferedReader, path: Path) -> BinaryIO:
    """Open the only file of a zip archive; RetraceError if it has several."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(file.read()))
        return _opened(archive, path)
    except (ValueError, OverflowError) as error:  # of damaged places in the archive
        raise zipfile.BadZipFile(str(error)) from None


def _opened(archive: zipfile.ZipFile, path: Path) -> BinaryIO:
    """Open the only file of an archive."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        names = ", ".join(member.filename for member in members[:5])
        raise RetraceError(f"{path}: is a zip archive of {len(members)} files ({names}); unpack the graph's")
    return cast(BinaryIO, archive.open(members[0]))
