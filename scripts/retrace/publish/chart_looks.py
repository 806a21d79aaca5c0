"""One colour for each solver and one shape for each kind of solver, the same in all figures."""

from collections.abc import Iterable
from typing import Any

from matplotlib.colors import to_rgb

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.reports.frame import Entry
from retrace.system.solver_packages import is_of_package

# Okabe and Ito's palette, which colour-blind readers can tell apart, without its yellow and with a grey.
BLACK, VERMILION, BLUE, GREEN, PURPLE, ORANGE, SKY, GREY = (
    "#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777",
)  # fmt: skip
PUBLISHED_KERNEL, CPU_PROGRAM, OUR_SOLVER, LIBRARY_CALL = (
    "published kernel",
    "program on a CPU",
    "ours",
    "library",
)
SHAPES = {PUBLISHED_KERNEL: "s", CPU_PROGRAM: "D", OUR_SOLVER: "o", LIBRARY_CALL: "^"}
KIND_COLOURS = {PUBLISHED_KERNEL: BLUE, CPU_PROGRAM: GREY, OUR_SOLVER: VERMILION, LIBRARY_CALL: GREEN}
"""Of the solvers that have no colour of their own."""
COLOURS = {
    # the masks of tuwien-sssp, and copies of an-bellman-ford
    "standard": BLACK, "pinned": VERMILION, "zero-copy": GREEN, "gpu-search": PURPLE, "thrust": ORANGE,
    "streams": GREY, "streams-pinned": PURPLE, "streams-masked": BLUE,
    # threads of an-bellman-ford
    "dense": BLUE, "incoming": VERMILION, "outgoing": PURPLE, "outgoing-transposed": ORANGE,
    "dijkstra-dense": BLACK, "multi-edge": BLUE, "multi-edge-consecutive": VERMILION,
    # betweenness
    "vert": BLACK, "edge": GREEN, "vert-queue": PURPLE, "vert-comp": ORANGE, "edge-comp": SKY,
    "vert-queue-comp": GREY, "vert-virt": GREEN, "vert-virt-stride": ORANGE,
    "vert-comp-virt": VERMILION, "vert-comp-virt-stride": BLUE, "vert-comp-virt-stride-const": SKY,
    "lane-queues": VERMILION, "bitmap-queue": BLUE, "auto": PURPLE,
}  # fmt: skip
"""By the variant, whatever it solves."""
PHASES = {"lock": GREY, "graph object": PURPLE, "prepare": SKY, "upload": BLUE, "solve": VERMILION,
          "download": GREEN}  # fmt: skip
"""Of what a search pays, in the order in which it pays."""
LIGHTER = (0.0, 0.35, 0.55, 0.7)
"""How much white is in the colours of the lines of one solver, by their order."""


def kind(entry: Entry) -> str:
    """Say what the solver of an entry is, whatever table it is in."""
    known = CATALOGUE.find(entry.solver)
    if known.calls_library:
        return LIBRARY_CALL
    if is_of_package(known.module):
        return OUR_SOLVER
    return PUBLISHED_KERNEL if "cuda" in known.backends else CPU_PROGRAM


def colour(entry: Entry) -> str:
    """Return the colour of the solver of an entry."""
    return COLOURS.get(entry.solver.split("/")[-1]) or KIND_COLOURS[kind(entry)]


def look(entry: Entry, white: float = 0.0) -> dict[str, Any]:
    """Return how the marker of an entry looks: hollow if it is printed."""
    mixed = tuple(part + (1 - part) * white for part in to_rgb(colour(entry)))
    return {"color": mixed, "marker": SHAPES[kind(entry)], "mfc": "white" if entry.printed else mixed}


def kinds(entries: Iterable[Entry]) -> list[str]:
    """List the kinds of some entries in the order of their shapes."""
    shown = {kind(entry) for entry in entries}
    return [name for name in SHAPES if name in shown]
