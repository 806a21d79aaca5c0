"""Available memory of the host, and messages for a lack of memory."""

import os
import re
from pathlib import Path

from cuda_device.errors import TooLargeError

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


def available() -> int:
    """Return the bytes that the system, or the control group (container, batch job), can still give."""
    try:
        match = re.search(r"^MemAvailable: +(\d+) kB", (PROC / "meminfo").read_text(), re.MULTILINE)
    except OSError:
        match = None
    free = int(match[1]) * 1024 if match else os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(free, _left_to_group(free))


def shortage(needed: int, free: int, what: str) -> str | None:
    """Return a message if `needed` bytes exceed the `free` bytes of `what`, else None."""
    return None if needed <= free else f"needs {_binary(needed)} of {what}, {_binary(free)} are free"


def require(needed: int, free: int, what: str) -> None:
    """Raise TooLargeError, with both numbers, if `needed` bytes exceed the `free` bytes of `what`."""
    if (lack := shortage(needed, free, what)) is not None:
        raise TooLargeError(lack)


def _left_to_group(unlimited: int) -> int:
    """Return the bytes left to the control group (version 2), or `unlimited`; file cache counts as free."""
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
    """Format a size in the largest unit in which it is at least 0.1."""
    for power, unit in ((30, "GiB"), (20, "MiB")):
        if size >= 2**power / 10:
            return f"{size / 2**power:.1f} {unit}"
    return f"{size / 2**10:.1f} KiB"
