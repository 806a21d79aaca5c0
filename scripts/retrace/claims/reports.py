"""Which reports make claims in words, and which experiment each of their figures shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Report:
    """A report that prints no numbers.

    Attributes
    ----------
    title
        What it is about, in a heading.
    short
        How targets and experiments call it.
    figures
        The experiment of each figure.
    further
        Experiments that claims alone are judged by.
    """

    title: str
    short: str
    figures: dict[str, str]
    further: tuple[str, ...] = ()

    @property
    def experiments(self) -> list[str]:
        """The experiments of its figures, by which its claims are judged too, and the further ones."""
        return list(dict.fromkeys([*self.figures.values(), *self.further]))

    @property
    def target(self) -> str:
        """The Snakemake target of all its figures and its claims."""
        return f"figures_{self.short.replace('-', '_')}"


REPORTS = {
    "an-bellman-ford": Report(
        title="Bellman-Ford",
        short="bellman-ford",
        figures={
            "bellman-ford-transfer": "bellman-ford-transfer",
            "bellman-ford-copy": "bellman-ford-transfer",
            "bellman-ford-streams": "bellman-ford-transfer",
            "bellman-ford-coalescing": "bellman-ford-edges",
            "bellman-ford-edges-size": "bellman-ford-edges",
            "bellman-ford-edges-count": "bellman-ford-edges",
            "bellman-ford-direction": "bellman-ford-direction",
            "bellman-ford-sparse": "bellman-ford-sparse",
        },
    ),
    "domitrz-brandes": Report(
        title="Betweenness",
        short="brandes",
        figures={
            "brandes-variants": "brandes-variants",
            "brandes-costs": "brandes-variants",
            "brandes-blocks": "brandes-blocks",
            "brandes-mdeg": "brandes-mdeg",
            "brandes-crossover": "brandes-crossover",
        },
        further=("brandes-streams",),
    ),
}

FIGURES = {figure: experiment for report in REPORTS.values() for figure, experiment in report.figures.items()}
"""The experiment that each figure shows."""

EXPERIMENTS = [name for report in REPORTS.values() for name in report.experiments]
"""All that such reports' figures and claims come from."""
