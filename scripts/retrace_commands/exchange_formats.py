"""Reads what NetworkX, igraph, Gephi and Pajek write: GraphML, GML and Pajek, with the names in them."""

import re
from array import array
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from xml.parsers import expat

import numpy as np

from retrace.system.errors import RetraceError
from retrace_commands.edge_table import (
    EdgeColumns,
    EdgeTable,
    check_vertices,
    is_negative,
    is_odd,
    is_zero,
    numbered_words,
    without_comma,
)

WEIGHT_KEYS = ("weight", "value", "cost", "length", "distance")
"""Attributes of edges that may be their weights."""
XML_TRUE, XML_FALSE = {"true", "1"}, {"false", "0"}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)\w*", re.I)
PAJEK_SECTIONS = ("network", "vertices", "arcs", "edges", "arcslist", "edgeslist", "matrix")
PAJEK_LOOKS = (
    "ellipse|box|diamond|triangle|cross|circle|empty|man|woman|house|[xy]_fact|s_size|phi|r|q|ic|bc|bw|lc|la|"
    "lphi|lr|fos|font|size|square|color|url|hooks|cart|polar|circ"
)
"""What may follow a label in Pajek beside numbers and times in brackets: shapes, and how one is drawn."""
PAJEK_VERTEX = re.compile(
    r'([0-9]{1,12})(?:\s+(?:"((?:[^"\\]|\\.|"")*)"(?:\s.*)?|"([^"]*)"(?:\s[^"]*)?|([^"\s]\S*)'
    rf"(?:\s+(?:[-+.\d\[(%]|(?:{PAJEK_LOOKS}|{PAJEK_LOOKS.upper()}|nan|NaN|inf|None|NA)\b).*)?))?"
)
"""A vertex, and perhaps its label and more; quotes in a label have a backslash in front, or are doubled.

A label without quotes is one word. In quotes it may end with a backslash that igraph wrote.
"""
NO_WEIGHTS = {"source", "target", "id", "key", "label", "name", *WEIGHT_KEYS}
"""Attributes of edges, in small letters, that are none beside those that may be weights."""
GML_TOKEN = re.compile(r'\s*(?:([A-Za-z_]\w*)\s+(?:"([^"]*)"|([^\s\[\]"]+))|([A-Za-z_]\w*)\s*\[|(\])|#.*)\s*')
"""A key with a text or a number, the begin or end of a block, or a comment."""
GML_ONCE = {"node": {"id", "label"}, "edge": {"source", "target"}}
"""Keys of a block that say one thing, beside those that may be weights."""
NamedEdge = tuple[str, str, dict[str, str], int]
"""Tail, head, what may be the weight by WEIGHT_KEYS, and line."""


@dataclass
class ExchangedEdges:
    """Edges as they are read, between numbers of vertices."""

    where: str
    names: dict[str, int] = field(default_factory=dict)
    """What edges call the vertices, with their numbers."""
    tails: "array[int]" = field(default_factory=lambda: array("q"))
    heads: "array[int]" = field(default_factory=lambda: array("q"))
    weights: list[str | None] = field(default_factory=list)
    """None where an edge has none."""
    negative: str = ""
    odd: tuple[str, str] = ("", "")

    def add_node(self, name: str | None, line: int) -> None:
        """Take a node that a file declares; RetraceError if its id is another's, too."""
        if name is None or name in self.names:
            given = "none" if name is None else f"{name[:40]!a} again"
            raise RetraceError(
                f"{self.where}, line {line}: expected an id of its own for each node, found {given}"
            )
        self.names[name] = len(self.names)

    def add_named(self, ends: Collection[NamedEdge], defaults: Mapping[str, str]) -> None:
        """Take edges between nodes, whose weight is the attribute that they have, perhaps by default."""
        have = {key for _, _, weights, _ in ends for key, text in weights.items() if _may_weigh(key, text)}
        key = _weight_key(have or {*defaults}, self.where)
        for tail, head, weights, line in ends:
            for name in (tail, head):
                if name not in self.names:
                    raise RetraceError(
                        f"{self.where}, line {line}: expected the id of a node, found {name[:40]!a}"
                    )
            self.add(self.names[tail], self.names[head], weights.get(key, defaults.get(key)), line)

    def add(self, tail: int, head: int, weight: str | None, line: int) -> None:
        """Take an edge, which begins on a line."""
        self.tails.append(tail)
        self.heads.append(head)
        self.weights.append(weight)
        if weight is not None and not self.negative and is_negative(weight):
            self.negative = f", line {line}: the weight {weight}"
        if weight is not None and not self.odd[1] and is_odd(weight):
            self.odd = weight, f"on line {line}"

    def table(self, names: list[str], directed: bool, unread: Collection[str] = ()) -> EdgeTable:
        """Return the edges; those without a weight among others count as NetworkX does.

        `unread` are attributes that may be a weight, but have no name of one.
        """
        table = EdgeTable(self.where, directed=directed, negative=self.negative, odd=self.odd)
        ids = np.array([self.tails, self.heads], dtype=np.int64).reshape(2, -1)
        table.columns = EdgeColumns(ids, names)
        if lacking := self.weights.count(None):
            if lacking == len(self.weights):
                if unread:
                    what = f"{', '.join(sorted(unread))[:60]} of edges: not read, so arcs have no weights"
                    table.notes.append(f"{self.where}: {what} (one that is called weight is read)")
                return table
            table.notes.append(f"edges without a weight have weight 1, as in NetworkX: {lacking}")
        if self.weights:
            words = ["1" if weight is None else weight for weight in self.weights]
            table.columns.weights, table.columns.weight_words = numbered_words(words)
        return table


def read_graphml(text: str, where: str) -> EdgeTable:
    """Read GraphML; vertices have their ids as names, and edges without a weight the default of its key."""
    reader = _GraphML(where)
    try:
        reader.parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise RetraceError(
            f"{where}, line {error.lineno}: expected XML, found other text ({reason})"
        ) from None
    if reader.directed is None:
        raise RetraceError(f"{where}: expected a <graph>, found none")
    reader.edges.add_named(reader.ends, reader.defaults)
    return reader.edges.table(list(reader.edges.names), reader.directed, reader.unread)


class _GraphML:
    """What the parser of XML calls for each tag."""

    def __init__(self, where: str) -> None:
        self.edges = ExchangedEdges(where)
        self.directed: bool | None = None
        self.ends: list[NamedEdge] = []
        self.keys: dict[str, str] = {}
        """Names of keys of edges by their ids, of which several may share a name."""
        self.spelled: dict[str, str] = {}
        """The name of a key that may be the weight, by its small letters, as it is written."""
        self.defaults: dict[str, str] = {}
        """Weights of edges without data, by the name of the key in small letters."""
        self.unread: set[str] = set()
        """Names of other keys of which edges have numbers."""
        self.path: list[str] = []
        """The tags that are open."""
        self.key = ""
        """The name of the key whose text comes."""
        self.text = ""
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler = self.take_text
        self.parser.EntityDeclHandler = self.refuse_entity

    def fail(self, expected: str) -> RetraceError:
        """Return an error of the line that is read."""
        return RetraceError(f"{self.edges.where}, line {self.parser.CurrentLineNumber}: expected {expected}")

    def refuse_entity(self, name: str, *_: object) -> None:
        """Entities may hold each other, and grow without bounds."""
        raise self.fail(f"no entities of its own, found {name[:40]!a}")

    def start(self, tag: str, given: dict[str, str]) -> None:
        """Take a tag that begins."""
        tag = tag.rpartition(":")[2]
        self.path.append(tag)
        if tag == "node":
            self.edges.add_node(self.named(given, "id"), self.parser.CurrentLineNumber)
        elif tag == "edge":
            stated = given.get("directed", "").strip().lower()
            if stated and stated not in XML_TRUE | XML_FALSE:
                raise self.fail(f"directed, true or false, found {stated[:40]!a}")
            if stated and (stated in XML_TRUE) is not self.directed:
                raise self.fail(
                    "all edges as edgedefault says, found others; write each undirected edge twice"
                )
            tail, head = self.named(given, "source"), self.named(given, "target")
            weights = {key: given[key] for key in WEIGHT_KEYS if key in given}  # which GraphML has as data
            self.ends.append((tail, head, weights, self.parser.CurrentLineNumber))
        elif tag == "data" and self.path[-2:-1] == ["edge"]:
            key = given.get("key", "")
            if key not in self.keys:
                raise self.fail(f"a <key> for the data {key[:40]!a} of an edge, found none")
            self.key, self.text = self.keys[key], ""
        elif tag == "key" and given.get("for", "all") in ("edge", "all"):
            name = given.get("attr.name", given.get("id", ""))
            small = name.lower()
            if small in WEIGHT_KEYS and self.spelled.setdefault(small, name) != name:
                raise self.fail(f"one spelling of {self.spelled[small]}, found {name} too; rename one")
            self.keys[given.get("id", "")] = self.key = name
        elif tag == "default":
            self.text = ""
        elif tag == "graph":
            if self.directed is not None:
                raise self.fail("one graph, found another; name a file for each")
            kind = given.get("edgedefault")
            if kind not in ("directed", "undirected"):
                raise self.fail("edgedefault, directed or undirected, in <graph>, found neither")
            self.directed = kind == "directed"
        elif tag in ("hyperedge", "port"):
            raise self.fail(f"edges of two vertices, found a {tag}, which no graph here has")

    def end(self, tag: str) -> None:
        """Take a tag that ends."""
        tag = tag.rpartition(":")[2]
        self.path.pop()
        if tag == "data" and self.key and self.path[-1:] == ["edge"]:
            self.take(self.ends[-1][2])
            self.key = ""
        elif tag == "default" and self.key and self.text.strip():
            self.take(self.defaults)
        elif tag == "key":
            self.key = ""

    def take(self, weights: dict[str, str]) -> None:
        """Take the text of a key as what may be a weight; else note that it is a number."""
        text, small = self.text.strip(), self.key.lower()
        if small in WEIGHT_KEYS:
            weights[small] = text
        elif small not in NO_WEIGHTS and NUMBER.fullmatch(text):
            self.unread.add(self.key)

    def take_text(self, text: str) -> None:
        """Keep the text of a key, but for that of tags within it."""
        if self.key and self.path[-1] in ("data", "default"):
            self.text += text

    def named(self, given: dict[str, str], key: str) -> str:
        """Return the id of a vertex that an attribute has."""
        if key not in given:
            raise self.fail(f"{key} in <{self.path[-1]}>, found none")
        return given[key]


def read_gml(text: str, where: str) -> EdgeTable:
    """Read GML; vertices have their labels as names if these are unlike, else their ids."""
    edges, labels = ExchangedEdges(where), {}
    directed, graphs = False, 0
    ends: list[NamedEdge] = []
    unread: set[str] = set()
    for path, values, line in _gml_blocks(text, where):
        if path == ("graph",):
            graphs += 1
            if graphs > 1:
                raise RetraceError(
                    f"{where}, line {line}: expected one graph, found another; name a file for each"
                )
            stated = values.get("directed", "0")
            if stated not in ("0", "1"):
                raise RetraceError(f"{where}, line {line}: expected directed 0 or 1, found {stated[:40]!a}")
            directed = stated == "1"
        elif path == ("graph", "node"):
            edges.add_node(values.get("id"), line)
            labels[values["id"]] = values.get("label", values.get("name", ""))
        elif path == ("graph", "edge"):
            if not {"source", "target"} <= set(values):
                raise RetraceError(f"{where}, line {line}: expected source and target of an edge")
            weights = {key: values[key] for key in WEIGHT_KEYS if key in values}
            ends.append((values["source"], values["target"], weights, line))
            unread |= {key for key in values.keys() - NO_WEIGHTS if NUMBER.fullmatch(values[key])}
    if not graphs:
        raise RetraceError(f"{where}: expected 'graph [', found none")
    edges.add_named(ends, {})
    notes: list[str] = []
    names = _names(list(labels.values()), list(labels), where, notes)
    table = edges.table(names, directed, unread)
    table.notes += notes
    return table


def _may_weigh(key: str, text: str) -> bool:
    """Return whether an attribute of an edge may be its weight: what is called so, or is a number."""
    return key == "weight" or NUMBER.fullmatch(text) is not None


def _weight_key(used: Collection[str], where: str) -> str:
    """Return which of the attributes of edges is the weight; raise RetraceError if two may be."""
    if "weight" not in used and len(used) > 1:
        raise RetraceError(f"{where}: {' or '.join(sorted(used))} may be the weight; call that one weight")
    return "weight" if "weight" in used else next(iter(used), "weight")


def _gml_blocks(text: str, where: str) -> Iterator[tuple[tuple[str, ...], dict[str, str], int]]:
    """Yield each block that has ended, as the names of those it is in, its values, and its first line."""
    names: list[str] = []
    open_blocks: list[tuple[dict[str, str], set[str], int]] = []
    values: dict[str, str] = {}
    written = set[str]()
    end, line, counted = 0, 1, 0
    while token := GML_TOKEN.match(text, end):
        end = token.end()
        key, quoted, bare, block, closes = token.groups()
        if key is not None:
            name, within = key.lower(), names[-1] if names else ""
            weighs = name in WEIGHT_KEYS and within == "edge"
            if name in values and (weighs or (key in written and name in GML_ONCE.get(within, ()))):
                line = text.count("\n", 0, token.start(1)) + 1
                raise RetraceError(
                    f"{where}, line {line}: expected one {name}, found {key} again; rename one"
                )
            if name not in values or (key == name and key not in written):  # small letters come first
                values[name] = bare if quoted is None else _unescaped(quoted)
            written.add(key)
        elif block is not None:
            line, counted = line + text.count("\n", counted, token.start(4)), token.start(4)
            names.append(block.lower())
            open_blocks.append((values, written, line))
            values, written = {}, set()
        elif closes is not None:
            if not names:
                end = token.start(5)
                break
            outer, of_outer, first = open_blocks.pop()
            yield tuple(names), values, first
            names.pop()
            values, written = outer, of_outer
    if end != len(text) or names:
        line = text.count("\n", 0, end) + 1
        rest = ascii(text[end : end + 40].strip()) if end != len(text) else "its end in a block"
        raise RetraceError(f"{where}, line {line}: expected GML's 'key value' or 'key [ … ]', found {rest}")


def _unescaped(text: str) -> str:
    """Return text with characters for entities, which end with a semicolon."""
    return re.sub(r"&#?\w+;", lambda entity: unescape(entity[0]), text) if "&" in text else text


def _names(labels: list[str], ids: list[str], where: str, notes: list[str]) -> list[str]:
    """Return labels if they tell all vertices apart, else ids."""
    if all(labels) and len(set(labels)) == len(labels):
        return labels
    if any(labels):
        first: dict[str, str] = {}
        pairs = [(first.setdefault(label, one), one, label) for one, label in zip(ids, labels, strict=True)]
        alike = [pair for pair in pairs if pair[0] != pair[1] and pair[2]]
        if alike:
            one, other, label = alike[0]
            said = f"vertices {one[:40]} and {other[:40]} have the same label {label[:40]!a}"
        else:
            said = f"vertex {ids[labels.index('')][:40]} has no label"
        notes.append(
            f"{where}: {said}; vertices have their ids as names (give each a label of its own to use those)"
        )
    return ids


def read_pajek(text: str, where: str) -> EdgeTable:
    """Read Pajek's network; vertices have their labels as names if these are unlike, else numbers from 1."""
    reader = _Pajek(where, text.count("\n"))
    for reader.line, content in enumerate(text.split("\n"), 1):
        content = content.strip()
        if content.startswith("*"):
            reader.begin(content)
        elif content and not content.startswith("%"):
            reader.take(content)
    if reader.row not in (0, len(reader.labels)):
        has = f"{len(reader.labels)} rows of the matrix, found {reader.row}"
        raise RetraceError(f"{where}: expected {has}; it may be cut short")
    notes: list[str] = []
    numbers = [str(k) for k in range(1, len(reader.labels) + 1)]
    names = _names(reader.labels, numbers, where, notes)
    table = reader.edges.table(names, reader.kind == "arcs")
    table.notes += notes
    return table


class _Pajek:
    """The lines of a network."""

    def __init__(self, where: str, lines: int) -> None:
        self.edges, self.lines = ExchangedEdges(where), lines
        self.labels: list[str] = []
        self.section = self.kind = self.relation = ""
        """`kind` is `arcs` or `edges` once there is one; `relation` what follows a section's name."""
        self.line = self.row = 0
        """`row` is of the matrix."""

    def fail(self, expected: str, found: str) -> RetraceError:
        """Return an error of the line that is read."""
        return RetraceError(
            f"{self.edges.where}, line {self.line}: expected {expected}, found {found[:60]!a}"
        )

    def begin(self, content: str) -> None:
        """Begin a section."""
        name, *words = content[1:].split() or [""]
        self.section = name.lower()
        if self.section not in PAJEK_SECTIONS:
            raise self.fail(f"sections {', '.join(PAJEK_SECTIONS)}", content)
        if self.section == "vertices":
            if self.labels or not words or not re.fullmatch("[0-9]{1,12}", words[0]):
                raise self.fail("one '*Vertices' with their number", content)
            check_vertices(self.edges.where, int(words[0]), self.lines)
            self.labels = [""] * int(words[0])
        elif self.section != "network" and (relation := next((w for w in words if w[0] == ":"), "")):
            if self.relation not in ("", relation):
                raise self.fail("one relation; write each to a file of its own", content)
            self.relation = relation

    def take(self, content: str) -> None:
        """Take a line of the section."""
        words = content.split()
        if self.section in ("arcs", "edges") and len(words) > 1:
            if len(words) > 2 and (advice := without_comma(words[2])):
                raise self.fail(f"a weight without a comma, as {advice}", content)
            third = words[2].strip('"') if len(words) > 2 else ""
            if len(words) == 3 and not NUMBER.fullmatch(third):  # what else may follow has two words or more
                raise self.fail("a number as the weight", content)
            self.add(words[0], words[1], third if NUMBER.fullmatch(third) else None)
        elif self.section in ("arcslist", "edgeslist"):
            for head in words[1:]:
                self.add(words[0], head, None)
        elif self.section == "vertices":
            vertex = PAJEK_VERTEX.fullmatch(content)
            place = 0 if vertex is None else int(vertex[1])
            if vertex is None or not 1 <= place <= len(self.labels):
                label = 'its label, in double quotes if it has a blank, with \\" for a quote in it'
                raise self.fail(f"a vertex from 1 to {len(self.labels)} and {label}", content)
            quoted = vertex[2] and _unescaped(re.sub(r'[\\"](["\\])', r"\1", vertex[2]))
            if self.labels[place - 1]:
                raise self.fail(f"vertex {place} once", content)
            self.labels[place - 1] = str(quoted or vertex[3] or vertex[4] or "")
        elif self.section == "matrix" and len(words) == len(self.labels) > self.row:
            self.row += 1
            for column, word in enumerate(words, 1):
                if is_odd(word):
                    raise self.fail("a number in the matrix", word)
                if not is_zero(word):
                    self.add(str(self.row), str(column), word)
        else:
            raise self.fail("'u v' with a weight or none, or a row of the matrix", content)

    def add(self, tail: str, head: str, weight: str | None) -> None:
        """Take an edge between vertices from 1 on."""
        kind = "edges" if self.section.startswith("edges") else "arcs"
        if self.kind not in ("", kind):
            edge = f"{tail} {head} below *{self.section}"
            raise self.fail("*Arcs or *Edges alone; write each edge as two arcs", edge)
        self.kind = kind
        for end in (tail, head):
            if not (end.isascii() and end.isdigit() and 0 < int(end[:12]) <= len(self.labels)):
                raise self.fail(f"vertices from 1 to {len(self.labels)}", end)
        self.edges.add(int(tail) - 1, int(head) - 1, weight, self.line)
