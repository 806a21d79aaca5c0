"""Which value of a setting is best over several solvers and graphs, beside each solver's own value."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, log
from statistics import fmean, median

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.records.record import Record

WORTH = 1.02
"""How much cheaper a value must be to take the place of the solvers' own."""


@dataclass(frozen=True)
class Sweep:
    """What values of a setting cost, as a multiple of the time with the solvers' own values."""

    key: str
    costs: Mapping[int, float]
    """By value, the geometric mean over solvers and graphs; of values that all of them were timed with."""
    cases: int
    """Solvers on graphs."""

    @property
    def best(self) -> int | None:
        """The cheapest value; None if the solvers' own are as cheap."""
        value = min(self.costs, key=self.costs.__getitem__, default=None)
        return value if value is not None and self.costs[value] * WORTH < 1 else None


def sweep(key: str, records: Iterable[Record]) -> Sweep:
    """Compare the values of a setting by the median of `solve`. The emulator's times count as none."""
    cases: dict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    for record in records:
        if record.timed:
            others = {name: value for name, value in record.parameters.items() if name != key}
            case = cases[record.solver, record.label, str(sorted(others.items()))]
            case[int(record.parameters[key])] = median(trial.solve for trial in record.trials)
    default_of = {case: int(CATALOGUE.find(case[0]).defaults[key]) for case in cases}
    compared = [
        {value: times[value] / times[default_of[case]] for value in times}
        for case, times in cases.items()
        if default_of[case] in times
    ]
    shared = set.intersection(*map(set, compared)) if compared else set()
    costs = {value: exp(fmean(log(times[value]) for times in compared)) for value in sorted(shared)}
    return Sweep(key, costs, len(compared))
