"""What the pages repeat of the project's documents: a report's BibTeX entry, its errata, Markdown as HTML."""

import re
from functools import cache

from markupsafe import Markup, escape

from retrace.system.project import ROOT

REFERENCES = ROOT / "docs" / "references.bib"
ERRATA = ROOT / "docs" / "errata.md"


@cache
def bibtex(key: str) -> str:
    """Return the BibTeX entry of a report; empty if there is none."""
    found = re.search(
        rf"^@\w+{{{re.escape(key)},\n.*?^}}$", REFERENCES.read_text(encoding="utf-8"), re.M | re.S
    )
    return found[0] if found else ""


@cache
def errata(key: str) -> Markup:
    """Return the section of a report in the errata as HTML; empty if there is none."""
    _, _, rest = ERRATA.read_text(encoding="utf-8").partition(f"\n## {key}\n")
    return html(rest.partition("\n## ")[0], heading=4)


def html(text: str, heading: int = 3) -> Markup:
    """Turn Markdown into HTML, as far as the project's documents and captions use it.

    It knows headings, tables, lists, paragraphs, code, bold, and links, which lose their target; `heading` is
    the level of `###`.
    """
    parts: list[Markup] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        if title := re.fullmatch(r"#{3,} (.*)", block):
            parts.append(Markup("<h{0}>{1}</h{0}>").format(heading, _words(title[1])))
        elif lines[0].startswith("|"):
            parts.append(_table(lines))
        elif lines[0].startswith("- "):
            items = re.split(r"\n(?=- )", block)
            parts.append(Markup("<ul>{}</ul>").format(_join("<li>{}</li>", [one[2:] for one in items])))
        elif block.strip():
            parts.append(Markup("<p>{}</p>").format(_words(block)))
    return Markup("\n").join(parts)


def _table(lines: list[str]) -> Markup:
    rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in lines]
    head, body = _rows(rows[:1], '<th scope="col">{}</th>'), _rows(rows[2:], "<td>{}</td>")
    table = Markup("<table><thead>{}</thead><tbody>{}</tbody></table>").format(head, body)
    return Markup('<div class="wide" tabindex="0" role="group" aria-label="table">{}</div>').format(table)


def _rows(rows: list[list[str]], form: str) -> Markup:
    return Markup("").join(Markup("<tr>{}</tr>").format(_join(form, row)) for row in rows)


def _join(form: str, texts: list[str]) -> Markup:
    return Markup("").join(Markup(form).format(_words(text)) for text in texts)


def _words(text: str) -> Markup:
    """Turn the signs within a paragraph into HTML; what stands in code is left as it is."""
    plain = " ".join(text.split()).replace(r"\|", "|")
    code = [Markup("<code>{}</code>").format(part) for part in re.findall(r"`([^`]*)`", plain)]
    marked = re.sub(r"`[^`]*`", "\0", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", plain.replace("\0", "")))
    bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(marked)))
    return Markup(re.sub("\0", lambda _: str(code.pop(0)), bold))
