"""Says which format a file is in, by its first lines, and by its name only where those fit several."""

import csv
import re
from ast import literal_eval
from collections import Counter
from contextlib import suppress
from itertools import islice
from pathlib import Path

from retrace.system.errors import RetraceError
from retrace.system.option_words import option
from retrace_commands.edge_table import DECIMAL, DECIMAL_COMMA, THOUSANDS

DIMACS, PACE = ("sp", "edge", "edges", "col", "max"), ("tw", "td", "tdp", "vc", "ds", "tww", "cep", "ocr")
"""Kinds of problem, the word after `p`."""

XML, BANNER = (
    re.compile(r"<(\?xml|!--|!DOCTYPE|(\w+:)?graphml|gexf|html)", re.I),
    re.compile(r"\s*%{1,2}\s*MatrixMarket\b", re.I),
)
KONECT = re.compile(
    r"(?:%.*\n)*?%[ \t]*(sym|asym|bip)"
    r"([ \t]+(un|pos|multi|multipos)?(weighted|signed|positive|dynamic|multi))?[ \t\r]*$",
    re.M,
)
"""What says of KONECT's arcs what they are; other comments may stand above."""
GRAPHVIZ = re.compile(
    r"(?:\s*+(?:(?://|#)[^\n]*\n|/\*(?:[^*]|\*(?!/))*+\*/))*+\s*+(strict\s+)?(di)?graph\b[^\[{\n]*+\s*\{",
    re.I,
)
"""How DOT begins, perhaps with comments."""
JSON = re.compile(r"(?!\[[^\[\]]*\))([\[{]\s*)+([\]}\"']|-?\d[\d.]*\s*(,|\]*,?$)|null|true|false|$)")
"""How JSON begins; names may be in brackets, too."""
REPORTS = {
    "dimacs": r"^p\s+sp\s",
    "pace": r"^p\s+tw\s",
    "he": r"^H\s",
    "snap": r"^[^,;]*$",
    "edges": r"^[^,;]*$",
    "matrix-market": r"\A%%MatrixMarket\s+matrix\s+coordinate\s+(integer|pattern)\s+(general|symmetric)\b",
}
"""How files of the reports' formats begin."""

OTHER_LISTS = {
    ".lgl": "LGL, whose vertices are comments elsewhere",
    ".sif": "SIF, whose second word is no vertex",
    ".tgf": "TGF, which begins with its vertices",
    ".gdf": "GDF, which begins with its vertices",
}
"""Lists that would be read as edges, by the end of their names."""
OTHER_PROGRAMS = {"LEDA.GRAPH": "LEDA", "AdjacencyGraph": "Ligra", "WeightedAdjacencyGraph": "Ligra"}
"""Whose a file is that begins with this line."""
COMMENTS = ("#", "%", "//")
"""What begins a comment in a list of edges."""

QUOTED_WORD = re.compile(r'"[^"]*"(?![^ \t\r\f\v])|[^ \t\r\f\v]+')
"""A word between blanks, or text in quotes; other white space, as in names, is no blank."""

EDGE_ATTRIBUTES = re.compile(r"([ \t,;|])\{")
"""Where the dict of Python's may begin that NetworkX writes after the two vertices of an edge."""

MOST_BRACES = 20
"""Of those that a line may have, as each is looked at to the line's end."""

OF_NUMPY = re.compile(r"\bnp\.(?:float|u?int)[0-9]+\(([^()]*)\)")
"""A number as NumPy writes it since version 2."""

WITH_COMMA = rf'"?({DECIMAL_COMMA.pattern}|{THOUSANDS.pattern})"?([ \t].*)?'
SPACED_WEIGHT = re.compile(
    rf'[^\s,"]+[ \t]+[^\s,"]+[ \t]+({WITH_COMMA}|{DECIMAL.pattern}|[+-]?[0-9]+(,[0-9]+)*)'
)
"""Two words and a number, perhaps with a decimal comma, or those of thousands; more may follow."""

QUOTED_CELL = re.compile(r'(?<![^\s,;|])"[^"]*"')
"""What is in quotes, of which the first begins a cell."""

TWO_WORDS = re.compile(r"[^\s|]+[ \t]+[^\s|]+[ \t]")
"""Two words without a bar, and a blank."""

READABLE = (
    "dimacs, he, snap (edges, CSV, TSV), konect, metis, matrix-market, pace, steiner, graphml, gml, pajek, "
    "parquet"
)


def recognise(head: str, path: Path) -> str:
    """Return the format that the head of a file belongs to; raise RetraceError if that is none."""
    lines = [line for line in head.splitlines() if line.strip()]
    if not lines:
        raise RetraceError(f"{path}: it is empty; name another file")
    first = lines[0].strip()
    if first.startswith("version https://git-lfs"):
        raise RetraceError(f"{path}: is a pointer of Git LFS; get the file with git lfs pull")
    if BANNER.match(first):
        return "matrix-market"
    if KONECT.match("\n".join(lines)):
        return "konect"
    if XML.match(first):
        if re.search(r"<(\w+:)?graphml\b", head):
            return "graphml"
        if re.search(r"<(\w+:)?gexf\b", head):
            done = _in_networkx("read_gexf", path, "write_pajek", ".net")
            raise RetraceError(
                f"{path}: is GEXF; export GraphML from Gephi, or write Pajek in Python: {done}"
            )
        raise RetraceError(
            f"{path}: is a web page or XML other than GraphML; save the graph as GraphML or a list of edges"
        )
    if re.match(r"#.*\n# GMT .*\n#", head):
        reader = "read_multiline_adjlist" if re.search(r"^\S+ \{", head, re.M) else "read_adjlist"
        raise RetraceError(f"{path}: is an adjacency list of NetworkX; {adjacency_advice(path, reader)}")
    if re.match(r"(%.*\n\s*)*\*(vertices|network|arcs|edges)\b", "\n".join(lines).lstrip(), re.I):
        return "pajek"
    if re.match(r"nodedef\s*>", first, re.I):
        raise RetraceError(f"{path}: is {OTHER_LISTS['.gdf']}; write its edges as CSV")
    if first in OTHER_PROGRAMS:
        raise RetraceError(f"{path}: is a graph of {OTHER_PROGRAMS[first]} ({first}); write its edges as CSV")
    if re.match(r"(33D32945|SECTION\b)", first, re.I):
        return "steiner"
    if GRAPHVIZ.match("\n".join(lines)):
        raise RetraceError(f"{path}: is a Graphviz file; write its edges as CSV, GraphML or GML")
    if re.search(r"^[^\S\n]*graph[^\S\n]*(\[|$)", head, re.M | re.I) and re.match(
        r"(graph|Creator|Version|comment|#)", first, re.I
    ):
        return "gml"
    if JSON.match(first):
        raise RetraceError(f"{path}: is JSON, of which no form is usual; write its edges as CSV")
    for line in lines:
        match line.split():
            case ["p", kind, *_] if kind in DIMACS:
                return "dimacs"
            case ["p", kind, *_] if kind in PACE:
                return "pace"
            case ["p", "hs", *_]:
                raise RetraceError(f"{path}: is a hypergraph (p hs), which has no arcs")
            case ["H", *rest] if len(rest) == 3:
                return "he"
            case [word, *_] if word not in ("c", "t", "n") and not line.startswith(("c", "t ", "n ")):
                break
    if path.suffixes and {".graph", ".metis"} & set(path.suffixes):
        return "metis"
    for suffix in {*path.suffixes} & OTHER_LISTS.keys():
        raise RetraceError(f"{path}: is {OTHER_LISTS[suffix]}; write its edges as CSV")
    if re.fullmatch(r"[^\S\n]*p\s.*", first):
        known = ", ".join(DIMACS + PACE)
        raise RetraceError(
            f"{path}: {first[:60]!a} is a problem of another kind than {known}; write its edges as a list"
        )
    if any(re.match(r"\s*\(.*\)[^,()]*;\s*$", line) for line in lines):
        raise RetraceError(f"{path}: has trees in Newick's form; write the edges of one as CSV")
    data = [without_attributes(line) for line in lines if not line.lstrip().startswith(COMMENTS)][:50]
    if not data and lines[0].startswith("#"):
        return "snap"
    if data and _is_list(data):
        return "snap"
    line = ascii((data or lines)[0].strip()[:60])
    widths = {*map(len, map(split_words, data))}
    if len(widths) == 1 and min(widths) > 3 and delimiter(data) is None:
        raise RetraceError(
            f"{path}: {line} may be an edge with more than a weight; say {option('format', 'edges')} "
            f"{option('columns', 'TAIL', 'HEAD', '[WEIGHT]')}, by number from 1"
        )
    if len(data) == 1 and delimiter(data) is not None:
        raise RetraceError(
            f"{path}: has one line, {line}, which may be a header without edges, or an edge; add rows, or "
            f"say {option('format', 'edges')}"
        )
    if len(data) > 1 and re.fullmatch(r"\s*\d+\s*", data[0]) and _is_list(data[1:]):
        raise RetraceError(f"{path}: {line} may be the number of vertices or edges; delete that line")
    raise RetraceError(
        f"{path}: {line} begins no format among {READABLE}; say {option('format')}, or write a list of edges"
    )


def attributes_of(line: str) -> tuple[str, str, dict[str, object]] | None:
    """Return the vertices, the mark between cells and the attributes that `networkx.write_edgelist` wrote."""
    if not line.endswith("}"):
        return None
    for start in islice(EDGE_ATTRIBUTES.finditer(line), MOST_BRACES):
        ends, mark = line[: start.start()], start[1]
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            attributes = literal_eval(OF_NUMPY.sub(r"\1", line[start.end() - 1 :]))
            if isinstance(attributes, dict):
                return ends, mark, attributes
    return None


def is_edge(ends: str, mark: str) -> bool:
    """Return whether what stands before an edge's attributes are two vertices or more."""
    return len(ends.split(None if mark in " \t" else mark)) > 1


def without_attributes(line: str) -> str:
    """Return a row of `networkx.write_edgelist` with its weight, if any, in place of its attributes."""
    if (written := attributes_of(line)) is None or not is_edge(*written[:2]):
        return line
    ends, mark, attributes = written
    return ends + (f"{mark}{attributes['weight']!r}" if "weight" in attributes else "")


def adjacency_advice(path: Path, reader: str = "read_adjlist") -> str:
    """Say what converts an adjacency list."""
    done = _in_networkx(reader, path, "write_graphml", ".graphml")
    return f"write GraphML in Python: {done}; for a directed graph, read with create_using=networkx.DiGraph"


def _in_networkx(reader: str, path: Path, writer: str, suffix: str) -> str:
    """Return Python that converts a file."""
    converted = path.with_suffix(suffix)
    return f"networkx.{writer}(networkx.{reader}({str(path)!r}), {str(converted)!r})"


def is_in_reports(kind: str, head: str) -> bool:
    """Return whether a file of a format begins as those of the reports, which are read in C++."""
    header = REPORTS.get(kind)
    return header is not None and re.search(header, head, re.M) is not None


def delimiter(lines: list[str]) -> str | None:
    """Return what separates the cells of lines; None for white space.

    A tab or semicolon that all lines have equally often is taken before a comma, which may be in numbers, and
    that before a bar, which may be in names.
    """
    unquoted = [QUOTED_CELL.sub("", line) for line in lines]
    for mark in ("\t", ";", ",", "|"):
        if mark == "|" and all(map(TWO_WORDS.match, lines)):
            break
        if not any(mark in line for line in unquoted):
            continue
        with suppress(csv.Error):
            rows = csv.reader(lines, delimiter=mark, skipinitialspace=True)
            if len(widths := {len(row) for row in rows}) == 1 and widths != {1}:
                return mark
    if all(map(SPACED_WEIGHT.fullmatch, lines)):
        return None
    return next((mark for mark in (",", ";", "\t") if mark in lines[0].strip()), None)


def split_words(line: str) -> list[str]:
    """Split a line at blanks and tabs, of which text in quotes may have some."""
    if '"' in line:
        return [word[1:-1] if word[:1] == '"' else word for word in QUOTED_WORD.findall(line)]
    return line.split() if line.isascii() else QUOTED_WORD.findall(line)


def _is_list(data: list[str]) -> bool:
    """Return whether lines look like edges: numbers first, or the same number of cells on most."""
    first = data[0]
    if any(ord(letter) < 32 and letter not in "\t\r\f" for letter in "".join(data)):
        return False
    if re.match(r"\s*-?\d+[\s,;]+-?\d+(\s|[,;]|$)", first):
        return True
    lines = data[:-1] or data
    mark = delimiter(lines)
    rows = [split_words(line) for line in lines] if mark is None else csv.reader(lines, delimiter=mark)
    widths = [*map(len, rows)]
    counts = Counter(widths)
    usual, number = counts.most_common(1)[0]
    alike = 2 * number > counts.total() or counts.keys() <= {2, 3} or len({*widths[1:]}) == 1
    may_have_row_names = len(widths) > 2 and widths[0] == usual - 1  # as R writes them
    is_narrow = usual <= 3 or mark is not None or may_have_row_names
    return len(data) > 1 and min(counts) > 1 and alike and is_narrow
