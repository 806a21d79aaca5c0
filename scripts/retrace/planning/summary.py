"""What a run says at its end."""

from collections import Counter, defaultdict
from collections.abc import Collection
from pathlib import Path

from retrace.planning.plan import PAGE, Plan, info_if_stored
from retrace.records.record import Record, read_records
from retrace.records.record_faults import of_others
from retrace.system.solver_packages import missing_library


def closing_words(plan: Plan, files: Collection[str]) -> str:
    """Say what was asked for and is there, and which of its graphs and answers are missing.

    `files` are those that were asked for, and all that they are made from.
    """
    lines = [f"Retrace: {in_words(files)}."]
    if PAGE in files:
        lines.append(f"All of it is on one page, {PAGE}, which opens in a browser.")
    if plan.why_no_gpu is not None and any(path in files for path in plan.measured(*plan.experiments)):
        lines.append(f"No GPU was used ({plan.why_no_gpu}): kernels were checked on the emulator, not timed.")
    if records := records_among(plan, files):
        lines += say_outcomes(records, plan.config.machine)
    if warning := warning_of_all(plan, files):
        lines.append(warning)
    return "\n".join(lines)


def records_among(plan: Plan, files: Collection[str]) -> list[Record]:
    """Read the records that are among files."""
    paths = [Path(path) for path in plan.records(*plan.experiments) if path in files]
    return read_records(path for path in paths if path.exists())


def fault(plan: Plan, files: Collection[str]) -> str | None:
    """Say which answers of this machine are wrong or failed, but of libraries and kernels kept as printed."""
    faulty = [
        f"{record.solver} on {record.label}"
        for record in records_among(plan, files)
        if record.machine.name == plan.config.machine
        if (record.verified is False or record.status == "failed") and of_others(record) is None
    ]
    if not faulty:
        return None
    more = f" and {len(faulty) - 1} more" if len(faulty) > 1 else ""
    return f"{faulty[0]}{more}: wrong or failed; see above, and measure again once it is mended"


def warning_of_all(plan: Plan, files: Collection[str]) -> str | None:
    """Return one or two warnings: what among files is not as it should be, and how to try again."""
    folder = "resources/graphs/"
    names = sorted(path.removeprefix(folder) for path in files if path.startswith(folder))
    kinds: dict[str, list[str]] = defaultdict(list)
    without: list[str] = []
    for name in names:
        info, dataset = info_if_stored(name), plan.datasets.get(name)
        if info.get("origin") == "stand-in":
            kinds["could not be had, and generated graphs of the same size are used instead"].append(name)
        elif "missing" in info:
            kinds[f"missing ({info['missing']})"].append(name)
        elif dataset and dataset.weights is None and info.get("weights") == "generated":
            if info.get("edition") == dataset.editions[0].name:  # to get it again cannot help
                without.append(name)
            else:
                kinds["without its own weights, for which generated ones are used"].append(name)
    lacking = [name for every in kinds.values() for name in every]
    outcomes = {path for name in plan.experiments for path in plan.peers(name)}.intersection(files)
    libraries = {path: library for path in sorted(outcomes) if (library := missing_library(path))}
    if libraries:
        kinds["not there, and its solvers are skipped"] += libraries.values()
    warnings = []
    if without:
        warnings.append(
            f"WARNING: {', '.join(without)}: the file has no weights, and generated ones are used. In the "
            "registry, `weights: uniform` says so, and `weighted: false` leaves them out."
        )
    if not kinds:
        return "\n".join(warnings) or None
    lacks = "; ".join(f"{', '.join(every)}: {what}" for what, every in kinds.items())
    again = " ".join([plan.removal(lacking), *libraries])
    warnings.append(f"WARNING: {lacks}. To try again: {again}, and run again. The logs say what was tried.")
    return "\n".join(warnings)


def in_words(files: Collection[str]) -> str:
    """Name the table and the figure among files, or the folder of several; records if there are no others."""
    places: list[str] = []
    for what, suffix in (("tune", ".yaml"), ("tables", ".html"), ("figures", ".svg"), ("machines", ".jsonl")):
        paths = [path for path in files if path.startswith(f"results/{what}/") and path.endswith(suffix)]
        if what != "machines" or not places:
            places += paths if len(paths) == 1 else [f"{len(paths)} {what} in results/{what}/"][: len(paths)]
    return f"see {' and '.join(places)}".replace(" machines ", " files of records ") if places else "done"


def say_outcomes(records: list[Record], this_machine: str) -> list[str]:
    """Say how many answers were verified, and why others were not; count those of other machines."""
    table = Path("results/tables/verification.md")
    listed = f", see {table}" if table.exists() else ""
    lines = [f"{sum(record.agreed for record in records)} of {len(records)} answers verified{listed}."]
    elsewhere: Counter[tuple[str, str]] = Counter()
    without: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record in records:
        machine = record.machine.name
        outcome = ("differs" if record.status == "ok" else record.status).upper()
        if not record.agreed and machine != this_machine:
            elsewhere[outcome, machine] += 1
        elif not record.agreed:
            without[outcome, str(record.reason)].append(f"{record.solver} on {record.label}, {machine}")
    for (what, reason), answers in without.items():
        more = f" and {len(answers) - 1} more" if len(answers) > 1 else ""
        lines.append(f"{what}: {answers[0]}{more}: {reason}")
    counted = "{}: {} by {}, whose committed records say why."
    return lines + [counted.format(what, number, machine) for (what, machine), number in elsewhere.items()]
