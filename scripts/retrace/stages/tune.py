"""Find the settings of a machine."""

from pathlib import Path

from retrace.publish.chart import write_three
from retrace.publish.panels import FigureContent
from retrace.records.record import read_records
from retrace.records.sweep import Sweep, sweep
from retrace.reports.frame import build
from retrace.reports.report import Drawing
from retrace.system.files import write_whole
from retrace.system.models import Many
from retrace.system.stage import Stage


class Tune(Stage):
    """Find the settings of a machine: values that are faster than the solvers' own.

    OUTPUT is YAML: an entry for the machine, which runs use where config.yaml says nothing. The figures are
    FIGURES/tune-SETTING.svg and .png, time on the largest graph against the setting, with the caption in .md.
    """

    settings: Many[str]
    """Such as block_size."""
    records: Many[Path]
    """Of experiments tune-SETTING, JSON lines."""
    machine: str
    """Its name."""
    figures: Path
    """Folder of the figures."""
    output: Path
    """File to write: the settings (YAML)."""

    def run(self) -> None:
        """Compare the records; write the entry and the figures."""
        records, sweeps = read_records(self.records), []
        frame = build(records, [], {})
        for key in self.settings:
            experiment = f"tune-{key.replace('_', '-')}"
            sweeps.append(sweep(key, [record for record in records if record.experiment == experiment]))
            title = f"{key}: time on the largest graph"
            drawing = Drawing(experiment=experiment, title=title, x=key, y="solve")
            write_three(self.figures, experiment, FigureContent(drawing, frame, None))
        write_whole(self.output, entry(self.machine, sweeps))
        print("".join(f"tune: {line}\n" for line in map(chosen, sweeps)), end="")


def entry(machine: str, sweeps: list[Sweep]) -> str:
    """Return the settings as YAML, with what they were chosen by."""
    used = f"Runs use it where machines.{machine} of config.yaml says nothing."
    choices = [f"# {chosen(swept)}" for swept in sweeps]
    settings = [f"{swept.key}: {swept.best}" for swept in sweeps if swept.best is not None]
    return "\n".join([f"# What `snakemake tune` found for {machine}. {used}", *choices, *settings]) + "\n"


def chosen(swept: Sweep) -> str:
    """Say what was chosen, and what each value takes."""
    if not swept.costs:
        return f"{swept.key}: no times of a GPU, so the solvers' own stay"
    choice = f"{swept.best}" if swept.best is not None else "the solvers' own stay"
    costs = ", ".join(f"{value}: {cost:.3f}" for value, cost in swept.costs.items())
    return f"{swept.key}: {choice}; {swept.cases} times, over those with the solvers' own: {costs}"
