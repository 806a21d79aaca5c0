"""Where numbers come from: the machine, the software and the days of some records, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable

from retrace.reports.frame import Entry


def provenance(machine: str, entries: Iterable[Entry]) -> str:
    """Say what a machine is and what it ran; every value found is named."""
    records = [entry.record for entry in entries if entry.machine == machine and entry.record]
    found: dict[str, None] = {}
    for record in records:
        found[record.machine.cpu] = None
        if gpu := record.machine.gpu:
            found[f"{gpu.name}, driver {gpu.driver or 'unknown'}"] = None
    for record in records:
        if record.software.cuda:
            found[f"CUDA {record.software.cuda}"] = None
        if record.software.compiler:
            found[record.software.compiler] = None
        if commit := record.software.git_commit:
            found[f"commit {commit[:10]}{' with changes' if record.software.dirty else ''}"] = None
    days = sorted({record.started[:10] for record in records})
    found[days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"] = None
    throttled = [r for r in records if r.machine.gpu and r.machine.gpu.throttled]
    if throttled:
        found["GPU throttled during " + ", ".join(f"{r.solver} on {r.label}" for r in throttled)] = None
    return f"{machine}: {'; '.join(found)}."


def emulated(entries: Iterable[Entry]) -> list[str]:
    """Say how many answers the emulator, which gives no times, has checked."""
    records = [e.record for e in entries if e.record and e.record.backend == "emulator"]
    agreed = f"{sum(record.agreed for record in records)} of {len(records)}"
    return [f"Checked on the emulator, not timed: {agreed} answers agree."] if records else []
