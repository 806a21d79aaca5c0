"""Whether the commits that records name are in the repository, have their solvers, and are older."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

from retrace.records.record import Record

CLOCKS = timedelta(hours=1)
"""How far the clocks of two computers may be apart."""
QUOTED = '"([a-z-]+/)?[a-z0-9-]+"'
"""A solver's name, or its variant where a class makes the name."""


def doubtful_commits(own: Mapping[str, Record], root: Path) -> Iterator[str]:
    """Yield a line for each record whose commit cannot have measured it, where `root` is a repository."""
    if not (root / ".git").exists():
        return
    for place, record in own.items():
        if (commit := record.software.git_commit) is None or not re.fullmatch("[0-9a-f]{40}", commit):
            continue
        if (made := _made(root, commit)) is None:
            contrast = f"expected a commit of the repository, found {commit}"
            yield f"{place}: software.git_commit: {contrast}; push it, or measure at another"
        elif datetime.fromisoformat(record.started) < made - CLOCKS:
            contrast = f"expected a time after its commit's, {made.isoformat()}, found {record.started}"
            yield f"{place}: started: {contrast}"
        elif not {record.solver, record.solver.partition("/")[2]} & _names(root, commit):
            contrast = f"expected a commit that has {record.solver}, found {commit}"
            yield f"{place}: software.git_commit: {contrast}, which has not"


@lru_cache(maxsize=64)
def _made(root: Path, commit: str) -> datetime | None:
    """Return when a commit was made; None if there is no such commit."""
    said = _git(root, "log", "-1", "--format=%cI", commit, "--")
    return datetime.fromisoformat(said.strip()) if said else None


@lru_cache(maxsize=64)
def _names(root: Path, commit: str) -> frozenset[str]:
    """Return what a commit's Python names as a solver may be."""
    said = _git(root, "grep", "-h", "-o", "-E", QUOTED, commit, "--", "scripts/*.py")
    return frozenset(said.replace('"', "").split())


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""
