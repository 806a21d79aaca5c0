"""Opens a graph's file: unpacked, whatever its name, as bytes of UTF-8; names what cannot be read."""

import bz2
import io
import lzma
import re
import shutil
import struct
import subprocess
import sys
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from isal import igzip

from cuda_device import memory
from retrace.graphs.formats.lines import GZIP_MAGIC, open_graph
from retrace.system.errors import RetraceError

STDIN = Path("-")
"""The path that stands for standard input."""

HEAD_BYTES = 1 << 16
"""Number of bytes by which a format is known."""

MOST_PACKINGS = 4
"""A file that is packed in itself more often is refused."""

MEMORY_PER_LINE, MOST_PER_BYTE = 32, 4
"""Memory that an arc takes at least, and length of its line at most, for each byte of its place in memory."""
TEXT_FACTOR = 32
"""Memory for each byte of text that is read whole, where edges are words in Python."""

ZSTD_MAGIC, ZIP_MAGIC = b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
UTF16, UTF8_BOM = (b"\xff\xfe", b"\xfe\xff"), b"\xef\xbb\xbf"
UNREADABLE = {
    b"]\0\0": "packed as .lzma; unpack it, or pack it as .xz",
    b"PAR1": "Parquet inside something else; unpack it",
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
STATED_ENCODING = re.compile(rb"\s*<\?xml[^>]{0,99}encoding\s*=\s*[\"']([\w.-]{1,40})")
GUESSED = "is not UTF-8: names are read as Latin-1 (iconv -f ENCODING -t UTF-8 FILE, if they are not)"


@contextmanager
def open_content(path: Path) -> Iterator[BinaryIO]:
    """Open a file, or standard input for `-`, that may be packed by gzip, bzip2, xz, zstd or zip, or twice.

    A byte order mark is skipped, and UTF-16 becomes UTF-8. Raises RetraceError if it is damaged or binary.
    """
    with _naming(path), ExitStack() as opened:
        if path == STDIN:
            file: BinaryIO = io.BufferedReader(cast(io.RawIOBase, io.BytesIO(_standard_input())))
        else:
            file = opened.enter_context(open_graph(path))
        plain = file if isinstance(file, io.BufferedReader) else _bounded(file, path)
        yield _unpacked(plain, path, opened)


def read_head(path: Path) -> str:
    """Return the first characters of a file."""
    with open_content(path) as file:
        return decoded(file.read(HEAD_BYTES))


def decoded(content: bytes) -> str:
    """Return text of UTF-8, or else of what XML says, or of Latin-1; lines end with a line feed."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        cut = error.start >= len(content) - 3 and len(content) == HEAD_BYTES  # in the middle of a letter
        text = content[: error.start].decode() if cut else _of_another_encoding(content)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _of_another_encoding(content: bytes) -> str:
    """Return text of the encoding that XML says, or else of Latin-1, which every byte fits."""
    said = STATED_ENCODING.match(content)
    with suppress(LookupError, UnicodeDecodeError):
        return content.decode(said[1].decode() if said else "latin-1")
    return content.decode("latin-1")


def guessed_encoding(content: bytes) -> str:
    """Say that letters are read as Latin-1, if they are and no file says so; else nothing."""
    with suppress(UnicodeDecodeError):
        content.decode()
        return ""
    return "" if STATED_ENCODING.match(content) else GUESSED


@cache
def _standard_input() -> bytes:
    """Return all of standard input, which can be read only once."""
    if not sys.stdin:
        raise RetraceError(f"{STDIN}: standard input is closed; give it a graph, as in `retrace … - < FILE`")
    return read_whole(sys.stdin.buffer, STDIN)


def read_whole(file: BinaryIO, path: Path) -> bytes:
    """Return the rest of a file; RetraceError if to read it as words would fill the memory."""
    most = memory.available() // TEXT_FACTOR
    content = file.read(most + 1)
    if len(content) > most:
        raise RetraceError(
            f"{path}: is above {most >> 20} MiB, which may fill the memory in a form that is read whole; "
            "write it as DIMACS, or as a list of edges in a file"
        )
    return content


def check_text(content: bytes, path: Path) -> None:
    """Raise RetraceError if a content is binary."""
    if b"\0" in content:
        raise RetraceError(f"{path}: expected text, found a zero byte; it is binary or damaged")


class _Bounded(io.RawIOBase):
    """What is unpacked; RetraceError where no graph that fits the memory has a file of this length."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.file, self.path = file, path
        self.memory = memory.available()
        self.count = self.lines = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read as `io.RawIOBase` says."""
        content = self.file.read(len(buffer))
        buffer[: len(content)] = content
        self.count += len(content)
        self.lines += content.count(b"\n")
        if self.count > MOST_PER_BYTE * self.memory or self.lines * MEMORY_PER_LINE > self.memory:
            raise RetraceError(
                f"{self.path}: unpacks to over {self.count >> 20} MiB in {self.lines} lines, more than a "
                f"graph has that fits the {self.memory >> 20} MiB of free memory"
            )
        return len(content)


def _bounded(file: BinaryIO, path: Path) -> io.BufferedReader:
    return io.BufferedReader(_Bounded(file, path), 1 << 16)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn what a damaged file raises into one line."""
    try:
        yield
    except (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise RetraceError(f"{path}: expected a whole packed file, found a damaged one ({reason})") from None
    except MemoryError:
        raise RetraceError(f"{path}: needs more memory than is free; take a smaller graph") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise RetraceError(
            f"{path}: expected a whole packed file, found a damaged one; get it again"
        ) from None


def _unpacked(file: io.BufferedReader, path: Path, opened: ExitStack) -> BinaryIO:
    """Return the content as bytes of text; RetraceError if it is none."""
    for _ in range(MOST_PACKINGS):
        head = file.peek(512)
        if head.startswith(GZIP_MAGIC):
            inner: Any = igzip.open(file)
        elif head.startswith(b"BZh"):
            inner = _Streams(file, path, bz2.BZ2Decompressor, b"")
        elif head.startswith(b"\xfd7zXZ\0"):
            inner = _Streams(file, path, partial(lzma.LZMADecompressor, lzma.FORMAT_XZ), b"\0")
        elif head.startswith(ZSTD_MAGIC):
            inner = _unzstd(file, path, opened)
        elif head.startswith(ZIP_MAGIC):
            inner = _only_member(file, path)
        else:
            return _text(file, head, path)
        file = _bounded(inner, path)
    raise RetraceError(f"{path}: is packed more than {MOST_PACKINGS} times; unpack it")


def _text(file: io.BufferedReader, head: bytes, path: Path) -> BinaryIO:
    """Skip a byte order mark; refuse what no text begins with."""
    if head.startswith(UTF8_BOM):
        file.read(len(UTF8_BOM))
        head = head[len(UTF8_BOM) :]
    elif head.startswith(UTF16):
        try:
            return io.BytesIO(read_whole(file, path).decode("utf-16").encode())
        except UnicodeDecodeError:
            raise RetraceError(f"{path}: expected UTF-16 after its first bytes; write it as UTF-8") from None
    for magic, what in UNREADABLE.items():
        if head.startswith(magic):
            raise RetraceError(f"{path}: is {what}")
    if head[257:262] == b"ustar":
        raise RetraceError(f"{path}: is a tar archive; unpack it, and name the graph's file in it")
    return file


class _Streams(io.RawIOBase):
    """Packed streams behind each other; `bz2.open` and `lzma.open` end at a damaged one without a word."""

    def __init__(self, file: BinaryIO, path: Path, begin: Callable[[], Any], padding: bytes) -> None:
        self.file, self.path, self.begin, self.padding = file, path, begin, padding
        self.stream, self.is_first = begin(), True

    def read(self, size: int = -1) -> bytes:
        """Return up to so many bytes, none at the end; RetraceError if they are damaged."""
        content = b""
        while not content:
            packed = b""
            if self.stream.eof:
                if not (packed := self._behind()):
                    break
                self.stream, self.is_first = self.begin(), False
            elif self.stream.needs_input and not (packed := self.file.read(io.DEFAULT_BUFFER_SIZE)):
                raise self._damaged("it ends early")
            try:
                content = self.stream.decompress(packed, size)
            except (OSError, lzma.LZMAError) as error:  # OSError is bz2's, and of no file
                raise self._damaged(str(error)) from None
        return content

    def _behind(self) -> bytes:
        """Return what follows the stream that has ended, without padding."""
        more: bytes = self.stream.unused_data
        packed, count = more.lstrip(self.padding), len(more)
        while not packed and (more := self.file.read(io.DEFAULT_BUFFER_SIZE)):
            packed, count = more.lstrip(self.padding), count + len(more)
        if (count - len(packed)) % 4:
            raise self._damaged("zeros that follow a packed stream are no multiple of 4 bytes")
        return packed

    def _damaged(self, reason: str) -> RetraceError:
        behind = "" if self.is_first else ", behind a whole stream: cut that off"
        found = f"found a damaged one ({reason}{behind}); get it again"
        return RetraceError(f"{self.path}: expected a whole packed file, {found}")


class _Zstd(io.RawIOBase):
    """What the program zstd unpacks, since Python before 3.14 has no module for it."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.path = path
        pipe = subprocess.PIPE
        self.program = subprocess.Popen(["zstd", "-dc"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self.feeder = threading.Thread(target=self._feed, args=(file,), daemon=True)
        self.feeder.start()

    def _feed(self, file: BinaryIO) -> None:
        assert self.program.stdin is not None
        with suppress(OSError, ValueError), self.program.stdin as packed:  # it may end before
            shutil.copyfileobj(file, packed)

    def read(self, size: int = -1) -> bytes:
        """Return up to so many bytes; RetraceError at the end of a damaged file."""
        assert self.program.stdout is not None
        content = self.program.stdout.read(size)
        if not content and size and self.program.wait():
            raise RetraceError(f"{self.path}: expected a whole zstd file, found a damaged one; get it again")
        return content

    def end(self) -> None:
        """End the program, which may have more to write."""
        self.program.kill()
        self.program.wait()
        self.feeder.join()
        if self.program.stdout is not None:
            self.program.stdout.close()


def _unzstd(file: io.BufferedReader, path: Path, opened: ExitStack) -> BinaryIO:
    """Unpack zstd."""
    try:
        content = _Zstd(file, path)
    except OSError:
        raise RetraceError(f"{path}: is packed with zstd, whose program is not here; install it") from None
    opened.callback(content.end)
    return cast(BinaryIO, content)


BESIDE_FILES = re.compile(r"__MACOSX/|(.*/)?(\._|\.DS_Store$)")
"""What macOS puts into an archive beside the files."""


def _only_member(file: io.BufferedReader, path: Path) -> BinaryIO:
    """Open the only file of a zip archive; RetraceError if it has several."""
    try:
        archive = zipfile.ZipFile(file if file.seekable() else io.BytesIO(read_whole(file, path)))
        return _opened(archive, path)
    except (ValueError, OverflowError, IndexError, struct.error) as error:  # of damaged places in the archive
        raise zipfile.BadZipFile(str(error)) from None


def _opened(archive: zipfile.ZipFile, path: Path) -> BinaryIO:
    """Open the only file of an archive."""
    files = [member for member in archive.infolist() if not member.is_dir()]
    members = [member for member in files if not BESIDE_FILES.match(member.filename)]
    if any(member.filename.startswith("xl/") for member in members):
        raise RetraceError(f"{path}: is an Excel workbook; save its edges as CSV")
    if members and all(member.filename.endswith(".npy") for member in members):
        raise RetraceError(f"{path}: has NumPy's arrays; write Matrix Market with scipy.io.mmwrite")
    if len(members) != 1:
        names = ", ".join(member.filename for member in members[:5])
        raise RetraceError(f"{path}: is a zip archive of {len(members)} files ({names}); unpack the graph's")
    return cast(BinaryIO, archive.open(members[0]))
