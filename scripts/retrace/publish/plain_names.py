"""What a newcomer reads in place of the keys of problems and graphs."""

import re

from retrace.reports.frame import Entry
from retrace.reports.wording import TIMES, power_of_two

PLAIN = {
    "bfs": "BFS",
    "stcon": "ST-connectivity",
    "sssp": "SSSP",
    "betweenness": "Betweenness",
    "bellman-ford": "Bellman-Ford",
    "NY": "roads of New York",
    "NW": "roads of the Northwest",
    "NY-1056": "roads of New York, 1,056 sources",
    "Gowalla": "social network Gowalla",
}


def problem_of(entry: Entry) -> str:
    """Name a problem."""
    key = entry.solver.partition("/")[0]
    return PLAIN.get(key, key)


def graph_of(entry: Entry) -> str:
    """Name a graph, and say if it is not the named one."""
    other = entry.label.removeprefix(entry.graph) if entry.is_substitute else ""
    arcs = entry.arcs_per_vertex
    known = PLAIN.get(entry.graph, entry.graph)
    return f"random, {power_of_two(entry.vertices)} vertices {TIMES} {arcs} arcs" if arcs else known + other


def plain_label(label: str) -> str:
    """Name a graph by its label, with what makes it another one."""
    name = re.split(r"[^\w-]", label, maxsplit=1)[0]
    rest = label.removeprefix(name)
    return f"the {PLAIN[name].partition(',')[0]}{rest}" if name in PLAIN else label
