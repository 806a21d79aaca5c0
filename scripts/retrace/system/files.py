"""Writes files so that a reader never sees an incomplete one."""

import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cuda_device.compiled_files import naming_output
from retrace.system.errors import RetraceError
from retrace.system.interrupts import writing_whole


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a temporary file, then rename it; raise RetraceError if that is not possible."""
    check_writable(path)
    with replacing(path) as partial:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, and rename it at the end; RetraceError if that is not possible.

    A link stays one, to the new file, which has the mode of the old.
    """
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    partial = target.with_name(f".{target.name}.partial-{os.getpid()}")
    with naming_output(path), writing_whole(path):
        try:
            if target.is_file():  # before there is anything to read
                partial.touch(mode=0o600)
                partial.chmod(stat.S_IMODE(target.stat().st_mode))
            yield partial
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def naming_input(path: Path) -> Iterator[None]:
    """Turn the system's error into one line that names what cannot be read."""
    try:
        with suppress(OSError):
            path.stat()
    except ValueError as error:  # of a name that no file can have
        raise RetraceError(f"{path}: cannot be read ({error}); check the path") from None
    try:
        yield
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None


def check_regular(path: Path) -> None:
    """Raise RetraceError if a path is a pipe or a device, for which a reader might wait for ever."""
    try:
        kind = path.stat().st_mode
    except OSError:
        return  # opening it says why
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise RetraceError(f"{path}: cannot be read (it is a pipe or a device); expected a file")


def check_writable(path: Path) -> None:
    """Check, before a long computation, that its output can be written; raise RetraceError if not."""
    with naming_output(path):
        path.exists()  # which a name that is too long fails
        parent = next(parent for parent in path.absolute().parents if parent.exists())
    if not parent.is_dir():
        why_not = f"{parent} is a file"
    elif path.is_dir():
        why_not = "it is a folder"
    elif path.exists() and not path.is_file():
        why_not = "it is a pipe or a device"
    elif not os.access(path if path.exists() else parent, os.W_OK):
        why_not = "permission denied"
    else:
        return
    raise RetraceError(f"{path}: cannot be written ({why_not}); check the path")


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Write an archive's members, of which each must stay in the folder; Python before 3.11.4 trusts them."""
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter="data")
    else:
        archive.extractall(folder)
