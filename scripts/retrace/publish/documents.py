"""What the pages repeat of the project's documents: a report's BibTeX entry, its errata, Markdown as HTML."""

import re
from functools import cache

from markupsafe import Markup, escape

from retrace.publish.page import fill
from retrace.system.project import ROOT

REFERENCES = ROOT / "docs" / "references.bib"
ERRATA = ROOT / "docs" / "errata.md"


@cache
def bibtex(key: str) -> str:
    """Return the BibTeX entry of a report; empty if there is none."""
    entry = rf"^@\w+{{{re.escape(key)},\n.*?^}}$"
    return next(iter(re.findall(entry, REFERENCES.read_text(encoding="utf-8"), re.M | re.S)), "")


@cache
def errata(key: str) -> Markup:
    """Return the section of a report in the errata as HTML; empty if there is none."""
    _, _, rest = ERRATA.read_text(encoding="utf-8").partition(f"\n## {key}\n")
    return html(rest.partition("\n## ")[0], heading=4)


def html(text: str, heading: int = 3) -> Markup:
    """Turn Markdown into HTML, as far as the project's documents and captions use it.

    It knows headings, tables, lists, paragraphs, code, bold, `<br>`, and links, which lose their target;
    `heading` is the level of `###`.
    """
    blocks = [block for block in re.split(r"\n\s*\n", text.strip("\n")) if block.strip()]
    return Markup(
        fill("document.html.j2", blocks=blocks, heading=heading, cells=_cells, words=_words).strip()
    )


def _cells(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line.strip().strip("|"))


def _words(text: str) -> Markup:
    """Turn the signs within a paragraph into HTML; what stands in code is left as it is."""
    plain = re.sub(r"[ \t\n]+", " ", text).strip(" ").replace(r"\|", "|")
    code = [Markup("<code>{}</code>").format(part) for part in re.findall(r"`([^`]*)`", plain)]
    marked = re.sub(r"`[^`]*`", "\0", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", plain.replace("\0", "")))
    bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(marked)))
    bold = bold.replace("&lt;br&gt;", "<br>")
    return Markup(re.sub("\0", lambda _: str(code.pop(0)), bold))
