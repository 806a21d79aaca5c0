"""A page with a table or more, to be rendered as Markdown or HTML."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from retrace.reports.wording import EMPTY
from retrace.system.cells import no_formula
from retrace.system.files import write_whole
from retrace.system.project import ROOT

TEMPLATES = ROOT / "workflow" / "templates"


@dataclass(frozen=True)
class Cell:
    """A cell: its text, what more a reader may want to know, whether it is words, its footnotes' numbers."""

    text: str = EMPTY
    tip: str = ""
    bad: bool = False
    notes: Sequence[int] = ()


@dataclass(frozen=True)
class Group:
    """Neighbouring columns of numbers or of text, under one heading, which may be empty."""

    heading: str
    columns: Sequence[str]
    style: str = "number"


@dataclass(frozen=True)
class Row:
    """A row: its label, its cells, and its footnotes' numbers; without cells it heads the rows below it."""

    label: str
    cells: Sequence[Cell] = ()
    notes: Sequence[int] = ()


@dataclass(frozen=True)
class Table:
    """Rows under groups of columns; the heading tells several tables of a page apart."""

    groups: Sequence[Group]
    rows: Sequence[Row]
    heading: str = ""


@dataclass(frozen=True)
class Page:
    """Titled tables with numbered footnotes and closing remarks."""

    title: str
    summary: str
    label_heading: str
    tables: Sequence[Table]
    notes: Sequence[str] = ()
    remarks: Sequence[str] = ()


@dataclass
class Notes:
    """Footnotes, numbered in the order of their first use."""

    texts: list[str] = field(default_factory=list)

    def number(self, text: str) -> int:
        """Give a footnote its number; the same text keeps the same one."""
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


def render(page: Page, form: str) -> str:
    """Render a page as `md` or `html`."""
    return fill(f"table.{form}.j2", page=page)


def fill(template: str, **values: object) -> str:
    """Fill in a template of `workflow/templates/`; one of HTML escapes what it is given."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=template.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["markdown"] = _markdown
    return environment.get_template(template).render(**values)


def write_page(prefix: str, page: Page, tidy: pd.DataFrame) -> None:
    """Write a page as Markdown and HTML, and what it shows as CSV."""
    texts = tidy.select_dtypes(["string", "object"]).columns
    harmless = tidy.assign(**{str(name): tidy[name].map(no_formula) for name in texts})
    write_whole(Path(f"{prefix}.csv"), harmless.to_csv(index=False, lineterminator="\n"))
    for form in ("md", "html"):
        write_whole(Path(f"{prefix}.{form}"), render(page, form))


def _markdown(text: str) -> str:
    """Keep a text from being taken for Markdown's own signs."""
    for sign in "\\|*_`[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split()).replace("<", "&lt;")
