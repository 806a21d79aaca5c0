"""What sources of one graph cost, with the preparation of the graph counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.reports.frame import Entry, Measured
from retrace.reports.like_for_like import CHOICE, RESIDENT, Cost, is_search
from retrace_audit.same_measure import Today

PEER = "gapbs"
"""The library that is compared with."""


@dataclass(frozen=True)
class Preparation:
    """Sources of one graph on a machine: the kernel that the page shows beside what else there is."""

    today: Today
    shown: Measured

    @classmethod
    def of(cls, one: Today) -> Preparation | None:
        """Return it for searches; None for betweenness, of which a trial has all sources."""
        compared = one.by(RESIDENT)
        return cls(one, compared.ours) if compared and is_search(compared.ours) else None

    @property
    def alike(self) -> list[Measured]:
        """The records of the same host and commit as the kernel that is shown."""
        return [entry for entry in self.today.entries if not self.shown.differences(entry)]

    def cheapest(self, sources: int, counts: Callable[[Measured], bool]) -> Measured | None:
        """Return the record that takes least for so many sources, of those that count."""
        costs = [(cost.per_source(sources), e) for e in self.alike if counts(e) and (cost := Cost.of(e))]
        return min(costs, key=lambda one: one[0], default=(0.0, None))[1]

    @property
    def choice(self) -> Measured | None:
        """The solver that chooses, with its own settings."""
        chosen = (e for e in self.alike if _variant(e) == CHOICE and _is_default(e))
        return next(chosen, None)

    @property
    def peer(self) -> Measured | None:
        """The library that is compared with, on all cores."""
        return next((entry for entry in self.alike if _variant(entry) == PEER), None)


def is_on_one_core(entry: Measured) -> bool:
    """Return whether a solver ran on one core."""
    return entry.record.cores == 1


def _variant(entry: Entry) -> str:
    return entry.solver.split("/")[1]


def _is_default(entry: Measured) -> bool:
    usual = CATALOGUE.find(entry.solver).defaults
    return all(usual.get(key, value) == value for key, value in entry.record.parameters.items())
