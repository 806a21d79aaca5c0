"""What a run says at its end."""

from collections import Counter, defaultdict
from pathlib import Path

from retrace.planning.plan import PAGE, Plan
from retrace.records.record import Record, read_records


def closing_words(plan: Plan) -> str:
    """Say what was made, and which graphs and answers are missing."""
    lines = ["Retrace: the tables are in results/tables/, the figures in results/figures/."]
    if Path(PAGE).exists():
        lines.append(f"All of it is on one page, {PAGE}, which opens in a browser.")
    if plan.why_no_gpu is not None:
        lines.append(f"No GPU was used ({plan.why_no_gpu}): kernels were checked on the emulator, not timed.")
    if records := read_records(Path(path) for path in plan.records(*plan.experiments) if Path(path).exists()):
        lines += outcomes(records, plan.config.machine)
    missing = [graph for graph, found in plan.stored.items() if "missing" in found]
    kinds = {
        "STAND-IN: {} could not be had; generated graphs of the same size are used instead.": plan.stand_ins,
        "MISSING: {} did not fit into this machine's memory or onto its disk.": missing,
    }
    for what, graphs in kinds.items():
        if graphs:
            again = f"To try again: {plan.removal(graphs)}, and run again."
            lines.append(f"{what.format(', '.join(graphs))} {again}")
    return "\n".join(lines)


def outcomes(records: list[Record], own: str) -> list[str]:
    """Say how many answers were verified, and why others were not; count what other machines skipped."""
    table = Path("results/tables/verification.md")
    listed = f", see {table}" if table.exists() else ""
    lines = [f"{sum(record.agreed for record in records)} of {len(records)} answers verified{listed}."]
    elsewhere: Counter[str] = Counter()
    without: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record in records:
        machine = record.machine.name
        if record.status == "skipped" and machine != own:
            elsewhere[machine] += 1
        elif not record.agreed:
            outcome = "differs" if record.status == "ok" else record.status
            where = f"{record.solver} on {record.label}, {machine}"
            without[outcome.upper(), str(record.reason)].append(where)
    for (what, reason), answers in without.items():
        more = f" and {len(answers) - 1} more" if len(answers) > 1 else ""
        lines.append(f"{what}: {answers[0]}{more}: {reason}")
    skipped = "SKIPPED: {} by {}, whose committed records say why."
    return lines + [skipped.format(number, machine) for machine, number in elsewhere.items()]
