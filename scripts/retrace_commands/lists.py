"""The commands `solvers`, `explain` and `machines`, which list what exists."""

from argparse import Namespace
from collections import Counter
from collections.abc import Sequence

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.planning.configuration import effective_settings, load_configuration, project_keys
from retrace.records.record import survey
from retrace.reports.wording import plural
from retrace.system.errors import RetraceError, say, warn
from retrace.system.project import ROOT

MACHINES = ROOT / "results" / "machines"


def list_solvers(arguments: Namespace) -> None:
    """List the solvers by problem: backends, what each implements, and its settings by default."""
    rows = [("solver", "backends", "implements", "settings")]
    listed = [solver for solver in CATALOGUE.solvers if solver.given == "graph"]
    for solver in sorted(listed, key=lambda solver: solver.problem):
        settings = ",".join(f"{key}={value}" for key, value in solver.defaults.items())
        rows.append((solver.name, " ".join(solver.backends), solver.implements, settings))
    print_table(rows)


def explain_settings(arguments: Namespace) -> None:
    """List what a solver runs with on a machine: each setting, its value, and where that is from."""
    keys = project_keys()
    config, _ = load_configuration(keys)
    machine = arguments.machine or config.machine
    if machine not in (known := [*config.machines, config.machine]):
        raise RetraceError(
            f"--machine: {machine} is no machine of config.yaml; expected {' or '.join(known)}"
        )
    backends = CATALOGUE.find(arguments.solver).backends
    backend = arguments.backend or ("cuda" if "cuda" in backends else backends[0])
    if backend not in backends:
        able = " or ".join(backends)
        raise RetraceError(f"--backend {backend}: {arguments.solver} runs on {able} only")
    config, _ = load_configuration(keys | {"machine": machine})
    settings = effective_settings(arguments.solver, config, backend)
    rows = [("setting", "value", "from")]
    rows += [(name, str(setting.value), setting.origin) for name, setting in settings.items()]
    print_table(rows)


def list_machines(arguments: Namespace) -> None:
    """List the machines with records: hardware, how many records of each outcome, and when they were made."""
    rows: list[tuple[str, ...]] = [
        ("machine", "GPU", "CPU", "records", "verified", "wrong", "skipped", "failed", "measured")
    ]
    for folder in sorted(path for path in MACHINES.glob("*") if path.is_dir()):
        placed, faults = survey(sorted(folder.glob("*/*.jsonl")))
        if faults:
            warn(f"{folder.name}: {plural(len(faults), 'fault')}; the first: {faults[0]}")
        if not (records := list(placed.values())):
            continue
        gpus = {record.machine.gpu.used for record in records if record.machine.gpu}
        cpus = {record.machine.cpu for record in records}
        first, last = (end(record.started[:10] for record in records) for end in (min, max))
        name = "local (not committed)" if folder.name == "local" else folder.name
        hardware = (", ".join(sorted(gpus)) or "none", ", ".join(sorted(cpus)))
        verified = sum(record.agreed for record in records)
        status = Counter(record.status for record in records)
        counts = len(records), verified, status["ok"] - verified, status["skipped"], status["failed"]
        when = first if first == last else f"{first} to {last}"
        rows.append((name, *hardware, *map(str, counts), when))
    if len(rows) == 1:
        raise RetraceError(f"{MACHINES}: no machine has records; measure with make reproduce")
    print_table(rows)


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns that are as wide as their longest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
