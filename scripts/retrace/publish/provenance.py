"""Where numbers come from: the machine, the software and the days of some records, in one sentence."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from retrace.records.record import Record
from retrace.records.statistics import ENOUGH_ROUNDS
from retrace.reports.frame import Measured
from retrace.reports.wording import plural


def provenance(machine: str, entries: Iterable[Measured]) -> str:
    """Say what a machine is and what it ran; every value found is named."""
    records = [entry.record for entry in entries if entry.machine == machine]
    hardware, software = list[str | None](), list[str | None]()
    for record in records:
        host, made, commit = record.machine, record.software, record.software.git_commit
        gpu, cores = host.gpu, plural(host.cores, "core")
        of_cpu = f"{host.cpu}, {cores}, {host.memory_gib:.0f} GiB"
        hardware += [of_cpu, f"{gpu.used}, driver {gpu.driver or 'unknown'}" if gpu else None]
        software += [f"CUDA {made.cuda}" if made.cuda else None, made.compiler_release]
        software.append(f"commit {commit[:10]}{' with changes' if made.dirty else ''}" if commit else None)
    days = sorted({record.started[:10] for record in records})
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    parts = dict.fromkeys(filter(None, (*hardware, *software, span)))
    return f"{machine}: {'; '.join(parts)}.{mixture(records)}{few_rounds(records)}"


def origin(record: Record) -> dict[str, str]:
    """Return what the records of a table should have in common."""
    return {"host": record.machine.computer, "commit": (record.software.git_commit or "unknown")[:10]}


def mixture(records: Sequence[Record]) -> str:
    """Name the hosts and commits of a machine's records, with how many each has; empty if all are of one."""
    mixed = []
    for what in origin(records[0]) if records else ():
        counts = Counter(origin(record)[what] for record in records)
        named = (f"{name} ({plural(count, 'record')})" for name, count in counts.items())
        mixed += [f"{len(counts)} {what}s: {', '.join(named)}"] if len(counts) > 1 else []
    return f" Mixed, of {'; of '.join(mixed)}; times are compared only within one." if mixed else ""


def few_rounds(records: Sequence[Record]) -> str:
    """Say how many records with times are of too few processes; empty if none are."""
    timed = [record for record in records if record.timed]
    few = sum(record.rounds < ENOUGH_ROUNDS for record in timed)
    which = "all records" if few == len(timed) else plural(few, "record")
    return (
        f" Of fewer than {ENOUGH_ROUNDS} processes: {which}, with the margin of a single process."
        if few
        else ""
    )


def cores_of(record: Record) -> str:
    """Say how many cores of the CPU a solver used, at most if it took what was best; nothing of a GPU's."""
    chosen = record.cores and "threads" in record.observed  # a kernel's threads are a GPU's
    if chosen and not record.parameters.get("threads"):
        return f"up to {plural(record.machine.cores, 'core')}"
    return plural(record.cores, "core") if record.cores else ""


def cores(entries: Iterable[Measured]) -> list[str]:
    """Say for each machine which solvers used several cores of the CPU, if any did."""
    used: dict[str, dict[str, str]] = defaultdict(dict)
    for entry in entries:
        if entry.times and (words := cores_of(entry.record)) not in ("", "1 core"):
            used[entry.machine][entry.solver] = words
    return [
        f"{machine}: {', '.join(f'{solver} used {words}' for solver, words in several.items())} "
        "of the CPU, each other solver there one."
        for machine, several in used.items()
    ]


def emulated(entries: Iterable[Measured]) -> list[str]:
    """Say how many answers the emulator, which gives no times, has checked."""
    records = [e.record for e in entries if e.record.backend == "emulator"]
    agreed = f"{sum(record.agreed for record in records)} of {len(records)}"
    wrong = dict.fromkeys(f"{r.solver} ({r.reason})" for r in records if not r.agreed)
    others = f"; not {', '.join(wrong)}" if wrong else ""
    return [f"Checked on the emulator, not timed: {agreed} answers agree{others}."] if records else []
