"""The phases of a time, which its parts add up to."""

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.reports.frame import Entry
from retrace.reports.like_for_like import FIRST
from retrace.reports.measures import Measure


def calls_library(entry: Entry) -> bool:
    """Return whether a library was called, whose setup makes a graph object of its own."""
    return CATALOGUE.find(entry.solver).calls_library


def phases_of(entry: Entry, measure: Measure) -> dict[str, float]:
    """Return what a total, a first search or a further one consists of, as medians in ms.

    Preparation is taken out of the upload, which contains it.
    """
    times = {name: value.median for name, value in entry.times.items()}
    if measure == "resident":
        return {"solve": times["resident"]}
    parts = {name: times.get(name, 0.0) for name in ("prepare", "upload", "solve", "download")}
    parts["upload"] = max(0.0, parts["upload"] - parts["prepare"])
    if measure == FIRST:
        graph_object = times.get("setup", 0.0) if calls_library(entry) else 0.0
        parts = {"lock": times.get("lock", 0.0), "graph object": graph_object} | parts
    return {name: ms for name, ms in parts.items() if ms > 0}
