"""Writes files so that a reader never sees an incomplete one."""

from __future__ import annotations

import os
from pathlib import Path

from retrace.system.errors import RetraceError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write `content` to a temporary file, then rename it: a reader finds the old file or the new one.

    Raises
    ------
    RetraceError
        If the file cannot be written.
    """
    check_writable(path)
    partial = path.with_name(f"{path.name}.partial-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            partial.write_bytes(content.encode() if isinstance(content, str) else content)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise RetraceError(f"{path}: cannot be written ({error.strerror}); check the path and disk") from None


def check_writable(path: Path) -> None:
    """Check, before a long computation, that its output can be written.

    Raises
    ------
    RetraceError
        If `path` leads through a file, if it is a folder, or if permission is denied.
    """
    parent = next(parent for parent in path.absolute().parents if parent.exists())
    if not parent.is_dir():
        raise RetraceError(f"{path}: cannot be written ({parent} is a file); check the path")
    if path.is_dir():
        raise RetraceError(f"{path}: cannot be written (it is a folder); check the path")
    if not os.access(path if path.exists() else parent, os.W_OK):
        raise RetraceError(f"{path}: cannot be written (permission denied); check the path")
