"""What the comments of a list of edges say: of directions, of numbers of vertices and edges, of columns."""

import re
from collections.abc import Iterator

from retrace.system.errors import RetraceError
from retrace_commands.edge_table import EdgeTable
from retrace_commands.recognition import COMMENTS

YES, NO = (
    {"yes", "true", "1", "y", "t", "directed"},
    {"no", "false", "0", "n", "f", "not", "none", "undirected"},
)
NOUNS = {
    "graph", "network", "multigraph", "edge", "edges", "link", "links", "arcs", "edgelist", "list", "simple",
    "weighted", "unweighted", "acyclic", "signed",
}  # fmt: skip
"""What may follow where a comment says that the graph is directed, or not."""
VALUE = re.compile(rf"(?:\s*/\s*undirected)?(?:\s+(?:{'|'.join(sorted(NOUNS))}))*[^\w/]+(\w+)\W*")
"""Behind that word, a word that says whether it is so: the only one, but for nouns."""
BEFORE_DIRECTED = re.compile(
    r"^\W*((graph|network|multigraph|edges?|links?|arcs|list|type|kind|mode|directedness|an?|the|this|is|are|simple|weighted|"
    r"unweighted|signed)\b[\s:,;=]*)+(?=(un-?|non-?|not |not an? )?directed\b)",
    re.I,
)
"""What may stand before that word."""
NUMBER_OF = r"(?:^|[,;|(]|\d)\s*(?:the |total )?(?:number of )?{}\s*[:=]\s*(\d[\d,]*)(?![-.\w])"
VERTICES_OF, EDGES_OF = (re.compile(NUMBER_OF.format(what), re.I) for what in ("(?:nodes|vertices)", "edges"))
LABEL = re.compile(r"(?:(?:file )?format|columns?|fields?|header|(?:each )?(?:line|row))\s*[:=]\s*", re.I)
"""What may stand before the names of columns."""
BOTH_NUMBERS = re.compile(
    r"\W*(\d[\d,]*) (?:nodes|vertices)\W+(?:and )?(\d[\d,]*) (?:edges|arcs|links)\W*", re.I
)
"""A comment that is nothing but both, the numbers first."""


def comments_of(text: str) -> list[str]:
    """Return all comments, without what begins them."""
    return re.findall(r"^[ \t]*(?:#+|%+|//)(.*)$", text, re.M)


def read_comments(text: str, table: EdgeTable) -> tuple[int | None, int | None] | None:
    """Take from comments what they say of directions; return the numbers of vertices and edges."""
    counts: list[int | None] = [None, None]
    for comment in comments_of(text):
        stated = stated_direction(comment)
        table.directed = table.directed if stated is None else stated
        both = BOTH_NUMBERS.fullmatch(comment)
        each = [pattern.search(comment) for pattern in (VERTICES_OF, EDGES_OF)]
        for place, match in enumerate(each):
            written = both[1 + place] if both else match and match[1]
            if written and len(digits := written.replace(",", "")) <= 12:
                counts[place] = int(digits)
    vertices, edges = counts
    return None if vertices is None and edges is None else (vertices, edges)


def stated_direction(comment: str) -> bool | None:
    """Return whether a comment says that the graph is directed; None if it does not say."""
    parts = re.match(r"\W*(un-?|non-?|not |not an? )?directed\b(.*)", BEFORE_DIRECTED.sub("", comment), re.I)
    if parts is None:
        return None
    says, rest = parts[1] is None, parts[2].lower()
    if (value := VALUE.fullmatch(rest)) and (word := value[1]) in YES | NO:
        return says is (word in YES) if says or word not in ("directed", "undirected") else None
    first, *others = [*re.findall(r"\w+", rest), ""]
    if not first:
        return None if re.search(r"[:=?]", rest) else says
    goes_on = re.match(r"\s*[,;(.]|\s+-", rest) is not None
    if (first not in NOUNS and not goes_on) or {"directed", "undirected", "or"} & {first, *others}:
        return None
    return says


def names_in_comments(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield number and content of each comment above the first row, and its cells, as a header has them.

    The first is empty if what begins the comment is the name of a column.
    """
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip()
        if content and not content.startswith(COMMENTS):
            return
        bare = LABEL.sub("", content.lstrip("#%/").lstrip(" "))
        mark = next((mark for mark in ("\t", ",", ";", "|") if mark in bare), None)
        if bare.strip():
            yield number, content, [word.strip().strip('"') for word in bare.split(mark)]


def compare_counts(
    table: EdgeTable, announced: tuple[int | None, int | None], lines: int, known: int
) -> None:
    """Raise RetraceError if a comment's number of edges is not the file's; note other numbers of vertices."""
    vertices, edges = announced
    if edges is not None and lines not in ({edges} if table.directed else {edges, 2 * edges}):
        raise RetraceError(
            f"{table.where}: expected {edges} edges, as its comment says, found {lines}; it may be cut short"
        )
    if vertices is not None and vertices != known:
        if known > vertices:
            raise RetraceError(
                f"{table.where}: expected {vertices} vertices, as its comment says, found {known}"
            )
        table.notes.append(
            f"{table.where}: its comment says {vertices} vertices; {vertices - known} without an edge have "
            "no id, and are left out"
        )
