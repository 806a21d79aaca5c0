"""What one machine has measured, by solver, settings and graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from retrace.records.model import Phase, Record
from retrace.records.statistics import Summary, summarise
from retrace.system.errors import RetraceError


@dataclass(frozen=True)
class Variant:
    """A solver, and those of its settings that tell it from its like."""

    solver: str
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.settings.items())
        return ":".join(filter(None, (self.solver.split("/")[1], settings)))

    def fits(self, record: Record) -> bool:
        """Tell whether a record is of this solver with these settings."""
        return record.solver == self.solver and all(
            record.parameters.get(key) == value for key, value in self.settings.items()
        )


@dataclass(frozen=True)
class Evidence:
    """The records that one machine has of one experiment."""

    machine: str
    records: list[Record]

    @classmethod
    def of(cls, machine: str, experiment: str, records: Iterable[Record]) -> Evidence:
        """Choose a machine's records of an experiment."""
        return cls(
            machine, [r for r in records if (r.machine["name"], r.experiment) == (machine, experiment)]
        )

    @property
    def on_gpu(self) -> bool:
        """Whether any of the times is a GPU's."""
        return any(record.timed and record.backend == "cuda" for record in self.records)

    def timed(self, variant: Variant) -> dict[str, Record]:
        """Find the records of a variant that give times, by the label of the graph, the least work first.

        Raises
        ------
        RetraceError
            If there are two for a graph.
        """
        found: dict[str, Record] = {}
        for record in sorted(self.records, key=work):
            if record.timed and variant.fits(record):
                if record.label in found:
                    raise RetraceError(
                        f"{record.experiment}: two records of {variant} on {record.label} from "
                        f"{self.machine}; give one"
                    )
                found[record.label] = record
        return found

    def summaries(self, variant: Variant, phase: Phase) -> dict[str, Summary]:
        """Summarise a phase of a variant's trials by graph; a graph without times of it is left out."""
        found = {graph: summarise(record, phase) for graph, record in self.timed(variant).items()}
        return {graph: times for graph, times in found.items() if times}

    def why_untimed(self, variants: Iterable[Variant]) -> str:
        """Say why there are no times to go by."""
        if not self.on_gpu:
            return "no times on a GPU"
        for variant in variants:
            records = [record for record in self.records if variant.fits(record)]
            if not records:
                return f"{variant} was not measured"
            if not any(record.timed for record in records):
                return f"{variant} on {records[0].label}: {records[0].reason or 'not timed'}"
        return "no graph has enough trials of all that is compared"


def gpus(found: Iterable[Evidence]) -> list[str]:
    """Say whose GPU the times are of, and which machines have none."""
    timed: list[Evidence] = []
    untimed: list[Evidence] = []
    for evidence in found:
        (timed if evidence.on_gpu else untimed).append(evidence)
    if not timed:
        records = [record for evidence in untimed for record in evidence.records]
        return ["No machine here has timed this on a GPU (docs/adding-a-gpu.md).", *emulated(records)]
    names = "; ".join(
        f"{evidence.machine}: {next(gpu['name'] for r in evidence.records if (gpu := r.machine['gpu']))}"
        for evidence in timed
    )
    others = ", ".join(evidence.machine for evidence in untimed)
    return [f"{names}. {f'No GPU times from {others}. ' if others else ''}Medians, bars between quartiles."]


def emulated(records: Iterable[Record]) -> list[str]:
    """Say how many answers the emulator, which gives no times, has checked."""
    found = [record for record in records if record.backend == "emulator"]
    agreed = f"{sum(record.agreed for record in found)} of {len(found)}"
    return [f"Checked on the emulator, not timed: {agreed} answers agree."] if found else []


def work(record: Record) -> tuple[int, int, str]:
    """Order records by vertices, or, where each source is a search, by sources times arcs."""
    vertices, arcs = record.graph["vertices"], record.graph["arcs"]
    if record.problem != "betweenness":
        return vertices, arcs, record.label
    return int(record.parameters.get("sources") or vertices) * arcs, arcs, record.label
