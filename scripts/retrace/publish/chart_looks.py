"""One colour for each solver and one shape for each kind of solver, the same in all figures."""

from collections.abc import Iterable, Mapping
from typing import Any

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.reports.frame import Entry
from retrace.system.solver_packages import is_of_package

# Of Okabe and Ito's palette and of Tol's, for colour-blind readers. No colour has two meanings:
# kinds of solvers have four, lines of variants six, phases six, heat maps light blues, verdicts the page's.
BLACK, VERMILION, BLUE, GREEN, GREY = "#000000", "#D55E00", "#0072B2", "#009E73", "#777777"
ORANGE, PURPLE, FOREST, TEAL, OLIVE = "#CC6F00", "#CC79A7", "#117733", "#0E8A96", "#999933"
INK = "#111111"
"""Of words on coloured cells, and of those that are not black by default: SVG leaves black out."""
PUBLISHED_KERNEL, CPU_PROGRAM = "published kernel", "program on a CPU"
OUR_SOLVER, LIBRARY_CALL = "ours", "library"
SHAPES = {PUBLISHED_KERNEL: "s", CPU_PROGRAM: "D", OUR_SOLVER: "o", LIBRARY_CALL: "^"}
KIND_COLOURS = {PUBLISHED_KERNEL: BLUE, CPU_PROGRAM: GREY, OUR_SOLVER: VERMILION, LIBRARY_CALL: GREEN}
"""Of the markers of rows, whose names stand beside them."""
COLOURS = {
    # the masks of tuwien-sssp, and copies of an-bellman-ford
    "standard": BLACK, "pinned": ORANGE, "zero-copy": FOREST, "gpu-search": PURPLE, "thrust": OLIVE,
    "streams": TEAL, "streams-pinned": PURPLE, "streams-masked": FOREST,
    "block-queue": FOREST, "block-queue-published": ORANGE, "auto": FOREST,
    # threads of an-bellman-ford
    "dense": FOREST, "incoming": ORANGE, "outgoing": PURPLE, "outgoing-transposed": TEAL,
    "dijkstra-dense": BLACK, "multi-edge": FOREST, "multi-edge-consecutive": ORANGE,
    # betweenness
    "vert": BLACK, "vert-queue": PURPLE, "vert-queue-comp": OLIVE, "vert-virt": FOREST,
    "vert-virt-stride": PURPLE, "vert-comp-virt": ORANGE, "vert-comp-virt-stride": TEAL,
    "lane-queues": ORANGE, "bitmap-queue": TEAL,
}  # fmt: skip
"""Of lines, by the variant, whatever it solves; the name at a line's end is the key."""
PHASES = {"lock": "#DDCC77", "graph object": "#AA4499", "prepare": "#88CCEE", "upload": "#332288",
          "solve": "#CC6677", "download": "#44AA99"}  # fmt: skip
"""Of what a search pays, in the order in which it pays."""
VERDICT_COLOURS = {
    "holds": "#5BB87B",
    "in part": "#E5B94E",
    "fails": "#DE7365",
    "noise": "#B8BEC6",
    "unmeasured": "#DFE3E8",
}
INSIDE = "#000001"
"""The colour of the numbers in bars of verdicts, which keep theirs on a dark page, as the numbers do."""
HEAT = {
    "#56B4E9": "#1b72ad",
    "#9FD3F2": "#145c8d",
    "#CBE7F8": "#0d476f",
    "#E6F3FB": "#07324f",
    "#F3F3F3": "#021627",
}
"""Of cells, from the best to the worst, each with its colour on a dark page."""
SPARE = (PURPLE, FOREST, ORANGE, BLACK)
"""Of lines whose solver has lent its colour to another line of the figure."""
REFERENCE = "#8c8c8c"
"""Of levels, limits and what is ideal, which are no solver's."""


def kind(entry: Entry) -> str:
    """Say what the solver of an entry is, whatever table it is in."""
    known = CATALOGUE.find(entry.solver)
    if known.calls_library:
        return LIBRARY_CALL
    if is_of_package(known.module):
        return OUR_SOLVER
    return PUBLISHED_KERNEL if "cuda" in known.backends else CPU_PROGRAM


def line_colour(entry: Entry) -> str:
    """Return the colour of a line of the solver of an entry."""
    return COLOURS.get(entry.solver.split("/")[-1]) or KIND_COLOURS[kind(entry)]


def line_colours(entries: Mapping[str, Entry]) -> dict[str, str]:
    """Return the colours of lines by their keys: that of the solver, or a spare one if a line has that."""
    own = {key: line_colour(entry) for key, entry in entries.items()}
    spare = iter([colour for colour in SPARE if colour not in own.values()])
    given: dict[str, str] = {}
    for key, colour in own.items():
        given[key] = next(spare, colour) if colour in given.values() else colour
    return given


def look(entry: Entry) -> dict[str, Any]:
    """Return how the marker of an entry looks: that of its kind, hollow if it is printed."""
    return _marker(entry, KIND_COLOURS[kind(entry)])


def line_look(entry: Entry, colour: str) -> dict[str, Any]:
    """Return how a line of a solver looks in a colour, and its markers."""
    return _marker(entry, colour)


def _marker(entry: Entry, tint: object) -> dict[str, Any]:
    return {"color": tint, "marker": SHAPES[kind(entry)], "mfc": "white" if entry.printed else tint}


def kinds(entries: Iterable[Entry]) -> list[str]:
    """List the kinds of some entries in the order of their shapes."""
    shown = {kind(entry) for entry in entries}
    return [name for name in SHAPES if name in shown]
