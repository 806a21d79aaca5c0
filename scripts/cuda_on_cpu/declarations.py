"""What a kernel file declares with one of CUDA's qualifiers, such as `__shared__`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

ATTRIBUTE = re.compile(r"\b(?:__align__|alignas|__attribute__)\s*\(\)")
"""What may stand after a name and is no first value."""

DECLARATOR = re.compile(r"(\w+)\s*(?:\[\]\s*)*(=.*|\(\)|\{\})?\s*$", re.DOTALL)
"""A name, and its first value if it has one."""


@dataclass(frozen=True)
class Declared:
    """A variable of a declaration."""

    name: str
    initialised: bool


def declared(text: str, qualifier: str) -> Iterator[Declared]:
    """Yield the variables that preprocessed text declares with a qualifier, also several after one type."""
    for found in re.finditer(rf"\b{qualifier}\b", text):
        declaration = ATTRIBUTE.sub("", _without_content(text, found.end()))
        for one in declaration.split(","):
            if name := DECLARATOR.search(one):
                yield Declared(name[1], name[2] is not None)


def _without_content(text: str, begin: int) -> str:
    """Return a declaration up to its semicolon, without what stands within its brackets."""
    kept, depth = [], 0
    for place in range(begin, len(text)):
        character = text[place]
        depth -= character in ")]}"
        if depth < 0 or (depth == 0 and character == ";"):
            break
        if depth == 0:
            kept.append(character)
        depth += character in "([{"
    return "".join(kept)
