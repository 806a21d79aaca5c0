"""The parameters of a record: the settings of its solver, and what was asked of the graph."""

from collections.abc import Mapping

from retrace.catalogue.known_solvers import KnownSolver
from retrace.catalogue.setting import Setting, Settings, Value
from retrace.graphs.dataset_registry import Pairs
from retrace.system.errors import RetraceError

OF_SAMPLE = Setting(1, "seed of the sample", least=-(2**63), most=2**63 - 1)
DRAWN: Settings = {"sources": Setting(1, "number of sampled sources"), "source_seed": OF_SAMPLE}

ASKED: Mapping[str, Settings] = {
    **dict.fromkeys(("bfs", "sssp"), DRAWN),
    "betweenness": {**DRAWN, "samples": Setting(1, "number of such samples, a trial each")},
    "stcon": {
        "pairs": Setting(1, "number of sampled pairs"),
        "source_seed": OF_SAMPLE,
        "target": Setting(0, "vertex id, 0-based", least=0),
        "pair": Setting("near", "which pair of the data set it is", choices=tuple(Pairs.model_fields)),
    },
    "generate": {
        "weight_low": Setting(1, "smallest weight", least=0),
        "weight_high": Setting(1, "largest weight", least=0),
    },
}
"""What records have beside settings, by problem."""


def check_parameters(solver: KnownSolver, parameters: Mapping[str, float | str], vertices: int) -> None:
    """Raise RetraceError for a parameter that a record of the solver cannot have, or with such a value."""
    settings = {**solver.settings, **ASKED.get(solver.problem, {})}
    checked: dict[str, Value] = {}
    for key, value in parameters.items():
        if key in settings:
            checked[key] = settings[key].check(key, value)
        elif key not in solver.former_settings:
            there_are = ", ".join(settings) or "none"
            raise RetraceError(f"{key}: {solver.name} has no such parameter; there are {there_are}")
    for key, most in (("target", vertices - 1), ("sources", vertices)):
        if key in checked and int(checked[key]) > most:
            raise RetraceError(f"{key} is {checked[key]}, expected at most {most}, for {vertices} vertices")
