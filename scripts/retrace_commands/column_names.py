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
DIRECTIONS = {"from": "to", "src": "dst", "source": "target", "origin": "dest"}
"""How names of two columns may begin that go on alike: from_user, to_user."""
OF_PAIR = re.compile(
    r"((?:protein|gene|interactor|person|user|member|student|author|actor|city|country|station|company|account|"
    r"compound|drug|residue|atom|species|word|page|entity|name)(?:[\s_.-]?(?:id|name))?)[\s_.-]*([12ab])"
)
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
        is_there = end in small
        found = [k for k, name in enumerate(small) if (name == end if is_there else plain(name) in usual)]
        if len(found) != 1:
            return _place_of_pair(small)
        places.append(found[0])
    return places[0], places[1]


def _place_of_pair(names: Sequence[str]) -> tuple[int, int] | None:
    """Return where a pair of names is, as from_user and to_user, or protein 1 and protein 2; None unless one.

    And None where the pair is of the first two, as it is without names.
    """
    begun = {tuple(re.split(r"[\s_.-]+", name, maxsplit=1)): k for k, name in enumerate(names)}
    pairs = [
        (k, begun[head, what[0]])
        for (tail, *what), k in begun.items()
        if what and what[0] not in TIME_NAMES and (head := DIRECTIONS.get(tail)) and (head, what[0]) in begun
    ]
    ended = {match.groups(): k for k, name in enumerate(names) if (match := OF_PAIR.fullmatch(name))}
    pairs += [
        (k, ended[what, other])
        for (what, which), k in ended.items()
        if (other := {"1": "2", "a": "b"}.get(which)) and ended.get((what, other), -1) > k
    ]
    return pairs[0] if len(pairs) == 1 and pairs[0] != (0, 1) else None
