"""Graph files: DIMACS `.gr`, the reports' H/E format, SNAP edge lists, PACE `.gr` and Matrix Market.

Every format is a header and lines of integers, so one `Layout` describes each and two passes read them all.
The slow one goes line by line, names the line at fault, and defines what is accepted. The fast one reads only
files that are written plainly, a strict part of what the slow one accepts, and stands back where it cannot
vouch for a file. Files may be gzip'ed, whatever their name.

A file is read in pieces of whole lines, each by the fast pass if it can be, and H/E is written in pieces as
well: the whole text of a large file is never in memory.
"""

from retrace.graphs.formats.content import open_graph, read_bytes, unpack
from retrace.graphs.formats.he import write_he, write_he_arcs
from retrace.graphs.formats.layouts import LARGEST, LAYOUTS
from retrace.graphs.formats.lines import read_any, read_header, read_plain, read_rows
from retrace.graphs.formats.parsing import parse, parse_stream, read

__all__ = [
    "LARGEST", "LAYOUTS", "open_graph", "parse", "parse_stream", "read", "read_any", "read_bytes",
    "read_header", "read_plain", "read_rows", "unpack", "write_he", "write_he_arcs",
]  # fmt: skip
