"""How much memory the host has left, and the words for a lack of any."""

from __future__ import annotations

import os
import re
from pathlib import Path

from retrace.system.errors import TooLargeError

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


def available() -> int:
    """Memory that this process can still be given without swapping, in bytes.

    It is what the system has, or what the process's control group leaves: a container or a batch job.
    """
    try:
        found = re.search(r"^MemAvailable: +(\d+) kB", (PROC / "meminfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    free = int(found[1]) * 1024 if found else os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(free, _left_to_group(free))


def shortage(needed: int, free: int, what: str) -> str | None:
    """Say that `needed` bytes are more than the `free` ones of `what`, or None if they are not."""
    if needed <= free:
        return None
    return f"needs {_binary(needed)} of {what}, {_binary(free)} are free"


def require(needed: int, free: int, what: str) -> None:
    """Refuse what needs more bytes than are free.

    Raises
    ------
    TooLargeError
        With both numbers.
    """
    if (lack := shortage(needed, free, what)) is not None:
        raise TooLargeError(lack)


def _left_to_group(unlimited: int) -> int:
    """Bytes that the control group (version 2) may still take, or `unlimited`; its file cache is no loss."""
    try:
        path = (PROC / "self/cgroup").read_text().splitlines()[-1].partition("::")[2]
        folder = CGROUPS / path.lstrip("/")
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
        cached = re.search(r"^inactive_file (\d+)$", (folder / "memory.stat").read_text(), re.MULTILINE)
    except (OSError, IndexError):
        return unlimited
    if limit == "max":
        return unlimited
    return max(0, int(limit) - used + (int(cached[1]) if cached else 0))


def _binary(size: int) -> str:
    """Write a size in the largest unit of which there is a tenth."""
    for power, unit in ((30, "GiB"), (20, "MiB")):
        if size >= 2**power / 10:
            return f"{size / 2**power:.1f} {unit}"
    return f"{size / 2**10:.1f} KiB"
