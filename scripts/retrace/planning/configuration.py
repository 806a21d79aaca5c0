"""The configuration, checked: what is wrong is said by its key."""

from __future__ import annotations

import json
import re
from typing import Any

from retrace.claims import reports
from retrace.graphs.datasets import load_registry
from retrace.graphs.random import RANDOM_GRAPH
from retrace.planning import printed
from retrace.publish.published import MEASURED_TABLES
from retrace.records.model import validator
from retrace.solvers import parse
from retrace.system import project
from retrace.system.errors import RetraceError

DENSE_GRAPH = r"dense-\d+"
"""Name of a complete graph: its vertices."""


def check(config: dict[str, Any]) -> None:
    """Raise a `RetraceError` that names the first unsound key of the configuration."""
    plain = json.loads(json.dumps(config))
    for error in sorted(
        validator("config").iter_errors(plain), key=lambda error: error.validator != "additionalProperties"
    ):
        where = ".".join(("config", *map(str, error.absolute_path)))
        if error.validator == "additionalProperties":
            known = error.schema.get("properties", {})
            unknown = ", ".join(sorted(set(error.instance) - set(known)))
            raise RetraceError(f"{where}: unknown key {unknown}; expected {', '.join(known)}")
        raise RetraceError(f"{where}: {error.message}")
    load_registry(config)
    for machine in config["machines"]:
        if machine != config["machine"] and not (project.ROOT / "results/machines" / machine).is_dir():
            raise RetraceError(f"config.machines: no records in results/machines/{machine}")
    for key, experiment in config["experiments"].items():
        known = dict.fromkeys([*printed.printed_tables(), *reports.EXPERIMENTS, *MEASURED_TABLES])
        if key not in known:
            raise RetraceError(
                f"config.experiments: {key} is no printed table and no known experiment; "
                f"there are {', '.join(known)}"
            )
        for name in experiment["solvers"]:
            try:
                parse(name)
            except RetraceError as error:
                raise RetraceError(f"config.experiments.{key}.solvers: {error}") from None
        generators = makes_graphs(experiment["solvers"])
        if not generators and any(makes_graphs([name]) for name in experiment["solvers"]):
            raise RetraceError(
                f"config.experiments.{key}.solvers: generators make graphs, and others are given some; "
                "expected an experiment for each kind"
            )
        for kind in ("graphs", "larger_graphs"):
            for name in experiment.get(kind, []):
                if generators and not re.fullmatch(RANDOM_GRAPH, name):
                    raise RetraceError(
                        f"config.experiments.{key}.{kind}: {name} cannot be generated; expected such as "
                        "random-14-5 for one of 2^14 vertices and 5 arcs a vertex"
                    )
                if name not in config["datasets"] and not re.fullmatch(f"{RANDOM_GRAPH}|{DENSE_GRAPH}", name):
                    there_are = ", ".join(sorted(config["datasets"]))
                    raise RetraceError(
                        f"config.experiments.{key}.{kind}: {name} is not known; there are {there_are}, and "
                        "random-14-5 for one of 2^14 vertices and 5 arcs a vertex, or dense-256 for a "
                        "complete one"
                    )


def makes_graphs(solvers: list[str]) -> bool:
    """Tell whether an experiment's solvers are generators: they are given a graph's name alone."""
    return all(name.startswith("generate/") for name in solvers)
