"""The claims that answer a report's question, as docs/results says them."""

from collections.abc import Mapping
from dataclasses import dataclass

from retrace.publish.front import Abstract
from retrace.reports.finding import Finding, Verdict, by_verdict
from retrace.reports.wording import side_by_side

SIGNS = {Verdict.HOLDS: "✅", Verdict.IN_PART: "🟡", Verdict.FAILS: "❌", Verdict.OPEN: "❔"}
"""A sign for each verdict, which has its words beside it."""


@dataclass(frozen=True)
class Judged:
    """A claim that answers a report's question, and what is found on each machine that can tell."""

    claim: str
    says: str
    findings: Mapping[str, Finding]
    quoted: bool
    """Whether the report's answer has its numbers."""
    of_all: bool
    """Whether what is found is that of all machines."""

    @property
    def names_machines(self) -> bool:
        """Whether a reader must be told which machine a verdict is of."""
        return len(self.verdicts) > 1 or not self.of_all

    @property
    def verdicts(self) -> dict[Verdict, list[str]]:
        """The machines of each verdict."""
        return by_verdict(self.findings)

    @property
    def more(self) -> str:
        """What the answer does not say: the numbers that decide, or why there are none."""
        said = {machine: finding.number or finding.why for machine, finding in self.findings.items()}
        return "" if self.quoted else side_by_side(said)


def judged_answers(abstract: Abstract) -> list[Judged]:
    """Return what answers a report's question, of the machines that can tell, or else of the first."""
    front, judged = abstract.report.front, []
    for name in front.claims if front else ():
        every = abstract.findings[name]
        decided = {machine: f for machine, f in every.items() if f.verdict != Verdict.OPEN}
        shown = decided or {machine: every[machine] for machine in abstract.machines[:1]}
        quoted = front is not None and name in front.quoted and set(shown) <= set(abstract.answering)
        of_all = not decided or len(decided) == len(every)
        says = abstract.report.claims[name].says
        judged += [Judged(name, says, shown, quoted, of_all)] if shown else []
    return judged
