"""Find the settings of a machine: values that are faster than the solvers' own, over some solvers and graphs.

OUTPUT is YAML: an entry for the machine, which runs use where config.yaml says nothing. The figures are
FIGURES/tune-<setting>.svg and .png, time on the largest graph against the setting, with the caption in .md.
"""

from __future__ import annotations

from pathlib import Path

from retrace.publish.chart import write_three
from retrace.publish.panels import FigureContent
from retrace.records.record import read_records
from retrace.records.sweep import Sweep, sweep
from retrace.reports.frame import build
from retrace.reports.report import Drawing
from retrace.system.errors import OneLineParser, run_command
from retrace.system.files import write_whole


def main() -> None:
    """Read the arguments, then the records; write the entry and the figures."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--settings", required=True, nargs="*", help="such as block_size")
    parser.add_argument(
        "--records", required=True, type=Path, nargs="*", help="of experiments tune-<setting>"
    )
    parser.add_argument("--machine", required=True, help="its name")
    parser.add_argument("--figures", required=True, type=Path, help="folder of the figures")
    parser.add_argument("--output", required=True, type=Path, help="file to write: the settings (YAML)")
    arguments = parser.parse_args()

    records, sweeps = read_records(arguments.records), []
    frame = build(records, [], {})
    for key in arguments.settings:
        experiment = f"tune-{key.replace('_', '-')}"
        sweeps.append(sweep(key, [record for record in records if record.experiment == experiment]))
        drawing = Drawing(experiment=experiment, title=f"{key}: time on the largest graph", x=key, y="solve")
        write_three(arguments.figures, experiment, FigureContent(drawing, frame, None))
    write_whole(arguments.output, entry(arguments.machine, sweeps))
    print("".join(f"tune: {line}\n" for line in map(told, sweeps)), end="")


def entry(machine: str, sweeps: list[Sweep]) -> str:
    """Return the settings as YAML, with what they were chosen by."""
    used = f"Runs use it where machines.{machine} of config.yaml says nothing."
    lines = [f"# What `snakemake tune` found for {machine}. {used}", *(f"# {told(one)}" for one in sweeps)]
    return "\n".join([*lines, *(f"{one.key}: {one.best}" for one in sweeps if one.best is not None)]) + "\n"


def told(swept: Sweep) -> str:
    """Say what was chosen, and what each value takes."""
    if not swept.costs:
        return f"{swept.key}: no times of a GPU, so the solvers' own stay"
    chosen = f"{swept.best}" if swept.best is not None else "the solvers' own stay"
    costs = ", ".join(f"{value}: {cost:.3f}" for value, cost in swept.costs.items())
    return f"{swept.key}: {chosen}; {swept.cases} times, over those with the solvers' own: {costs}"


if __name__ == "__main__":
    run_command(main)
