"""Usual names of the columns of edges, and what a list's header or a comment says by them."""

import re
from collections.abc import Sequence

TAIL_NAMES = {
    "source", "src", "from", "tail", "u", "node1", "id1", "start", "origin", "sender", "parent", "v1",
    "vertex1", "citing", "follower", "caller", "exporter", "nodea", "genea",
}  # fmt: skip
HEAD_NAMES = {
    "target", "dst", "dest", "to", "head", "v", "node2", "id2", "end", "destination", "receiver", "child",
    "v2", "vertex2", "cited", "followee", "callee", "importer", "nodeb", "geneb",
}  # fmt: skip
WEIGHT_NAMES = {"weight", "w", "cost", "length", "distance", "value", "capacity", "wt"}
TIME_NAMES = {"time", "timestamp", "t", "date", "datetime", "year", "epoch", "unixtime", "ts"}
RELATION_NAMES = {"relation", "rel", "relationship", "predicate"}
"""Beside them, the head of a triple is its subject, and the tail its object."""
ORDERED = re.compile(r"(node_?|vertex_?|id|v)[12]", re.I)
"""Names of columns that vertices may have, too."""
OF_PAIR = re.compile(r"(\w.*?)[\s_.-]*([12ab])")
"""Of the same thing twice: Protein A, Protein B."""


def plain(name: str) -> str:
    """Return a name without what only some programs write: source of sourceNodeId or :SOURCE_ID."""
    letters = re.sub("[^a-z0-9]", "", name.lower())
    return re.sub("(node|vertex)?(id|name)?$", "", letters) or letters


def places_of_ends(names: Sequence[str]) -> tuple[int, int] | None:
    """Return where the names of tail and head are; None unless both are there, once."""
    small = [name.strip().lower() for name in names]
    if {"head", "tail"} <= {*small} and not RELATION_NAMES.isdisjoint(small):
        return small.index("head"), small.index("tail")
    places = []
    for usual, end in ((TAIL_NAMES, "source"), (HEAD_NAMES, "target")):
        found = [k for k, name in enumerate(small) if (name == end if end in small else plain(name) in usual)]
        if len(found) != 1:
            return _places_of_pair(small)
        places.append(found[0])
    return places[0], places[1]


def _places_of_pair(names: Sequence[str]) -> tuple[int, int] | None:
    """Return where the same name stands twice, with 1 and 2 or a and b behind it, but not first."""
    parts = [match.groups() if (match := OF_PAIR.fullmatch(name)) else None for name in names]
    pairs = [
        (k, parts.index((part[0], other)))
        for k, part in enumerate(parts)
        if part is not None and (other := {"1": "2", "a": "b"}.get(part[1])) and (part[0], other) in parts
    ]
    return pairs[0] if len(pairs) == 1 and pairs[0] != (0, 1) else None
