"""What a newcomer reads in place of the keys of problems and graphs, which have titles in `datasets.yaml`."""

import re
from functools import cache

from retrace.graphs.dataset_registry import Dataset, load_registry
from retrace.reports.frame import Entry
from retrace.reports.wording import TIMES, power_of_two
from retrace.system.project import ROOT

PLAIN_PROBLEMS = {
    "bfs": "BFS",
    "stcon": "ST-connectivity",
    "sssp": "SSSP",
    "betweenness": "Betweenness",
    "bellman-ford": "Bellman-Ford",
}


@cache
def titled_graphs() -> dict[str, Dataset]:
    """Return the project's data sets that have a title, by name."""
    registry = load_registry([ROOT / "datasets.yaml"])
    return {name: dataset for name, dataset in registry.items() if dataset.title}


def problem_of(entry: Entry) -> str:
    """Name a problem."""
    key = entry.solver.partition("/")[0]
    return PLAIN_PROBLEMS.get(key, key)


def graph_of(entry: Entry) -> str:
    """Name a graph, and say if it is not the named one."""
    other = entry.label.removeprefix(entry.graph) if entry.is_substitute else ""
    arcs = entry.arcs_per_vertex
    if arcs:
        return f"random, {power_of_two(entry.vertices)} vertices {TIMES} {arcs} arcs"
    known = titled_graphs().get(entry.graph)
    return (known.title if known else entry.graph) + other


def plain_label(label: str) -> str:
    """Name a graph by its label, with what makes it another one."""
    name = re.split(r"[^\w-]", label, maxsplit=1)[0]
    known, rest = titled_graphs().get(name), label.removeprefix(name)
    if known is None:
        return label
    title = known.title.partition(",")[0] if "sources" in rest else known.title  # which are named once
    return f"the {title}{rest}"
