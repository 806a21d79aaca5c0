"""What the command `doctor` says, by what it is about, with another configuration if need be."""

from __future__ import annotations

from typing import Any

import pytest

from retrace.planning.configuration import project_configuration
from retrace_commands import doctor


def configured(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    configuration, datasets = project_configuration()
    found = configuration.model_copy(update=changes), datasets
    monkeypatch.setattr(doctor, "project_configuration", lambda: found)


def lines(told: str) -> dict[str, str]:
    """Return what was found, by what it is about."""
    found: dict[str, str] = {}
    about = ""
    for line in told.splitlines():
        about = line[2:14].strip() or about
        found[about] = f"{found.get(about, '')} {line[16:].strip()}".strip()
    return found
