"""A solver with some of its settings, as experiments, reports, claims and figures name it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from retrace.system.errors import RetraceError

QUERY = (
    *("pair", "target", "sources", "pairs", "samples", "source_seed"),
    *("threads", "weight_low", "weight_high"),
)
"""Parameters of a record that are no settings of its solver: what was asked, and how the machine was used."""

UNSTATED = {"loop": "python"}
"""The values of settings that records do not state which are older than the setting."""


@dataclass(frozen=True)
class Variant:
    """A solver, and those of its settings that tell it from its like."""

    solver: str
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.settings.items())
        return ":".join(filter(None, (self.solver.split("/")[1], settings)))

    def fits(self, solver: str, parameters: Mapping[str, int | float | str]) -> bool:
        """Return whether a record of `solver` with `parameters` is of this variant."""
        return solver == self.solver and all(
            str(parameters.get(key, UNSTATED.get(key))) == value for key, value in self.settings.items()
        )

    @classmethod
    def parse(cls, spec: str, problem: str = "") -> Variant:
        """Read a specification such as `bellman-ford/streams:parts=2`, or `streams:parts=2` of a problem.

        A setting without a value, or a solver without a problem, is a RetraceError.
        """
        name, _, rest = spec.partition(":")
        settings = dict(part.partition("=")[::2] for part in rest.split(",") if part)
        if not all(settings.values()) or ("/" not in name and not problem):
            raise RetraceError(f"{spec!r} is no solver; expected such as bellman-ford/streams:parts=2")
        return cls(name if "/" in name else f"{problem}/{name}", settings)
