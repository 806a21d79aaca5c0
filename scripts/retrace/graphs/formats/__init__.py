"""Graph files: DIMACS `.gr`, the reports' H/E format, SNAP edge lists, PACE `.gr` and Matrix Market.

Every format consists of a header and lines of integers, which a `LineLayout` describes. Two readers handle
them all: the slow one goes line by line, names the line at fault, and defines what is accepted; the fast one
accepts only plainly written pieces. Files may be gzipped, whatever their name. They are read and written in
pieces of whole lines, so that the whole text of a large file is never in memory.
"""

from retrace.graphs.formats.he import write_he
from retrace.graphs.formats.layouts import LARGEST, LAYOUTS
from retrace.graphs.formats.lines import PIECE, open_graph, read_any, read_header, read_plain, read_rows
from retrace.graphs.formats.parsing import parse_stream, read_graph

__all__ = [
    "LARGEST", "LAYOUTS", "PIECE", "open_graph", "parse_stream", "read_any", "read_graph", "read_header",
    "read_plain", "read_rows", "write_he",
]  # fmt: skip
