"""A page with a table or more, to be rendered as Markdown or HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from retrace.records.ranking import RULE
from retrace.records.statistics import LEAST_TRIALS, Summary
from retrace.reports.frame import Measured
from retrace.reports.physical_limit import LEAST_BYTES
from retrace.reports.wording import EMPTY, duration, plural, ratio, three_digits, word_list
from retrace.system.cells import no_formula
from retrace.system.files import write_whole
from retrace.system.project import ROOT

TEMPLATES = ROOT / "workflow" / "templates"
UNSURE, MARK = "~", "?"
"""The signs on ratios of two times that cannot be told apart, and on doubtful numbers."""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, what more a reader may want to know, whether it is words, its footnotes.

    One with a number has its value, by which it is sorted; one of a record its address, the entry, and the
    summary of which it shows the median.
    """

    text: str = EMPTY
    tip: str = ""
    bad: bool = False
    notes: Sequence[str] = ()
    value: float | None = None
    address: str = ""
    entry: Measured | None = None
    times: Summary | None = None


@dataclass(frozen=True)
class Group:
    """Neighbouring columns of numbers or of text, under one heading, which may be empty.

    Footnotes are by the heading or column that they belong to.
    """

    heading: str
    columns: Sequence[str]
    style: str = "number"
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A row: its label, its cells, and its footnotes; without cells it heads the rows below it."""

    label: str
    cells: Sequence[Cell] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Table:
    """Rows under groups of columns; the heading, with its footnotes, tells several tables of a page apart."""

    groups: Sequence[Group]
    rows: Sequence[Row]
    heading: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Page:
    """Titled tables with footnotes and closing remarks."""

    title: str
    summary: str
    label_heading: str
    tables: Sequence[Table]
    remarks: Sequence[str] = ()
    notes: list[str] = field(init=False, default_factory=list)
    """The footnotes, in the order in which a reader meets them: that of their numbers, from 1."""

    def __post_init__(self) -> None:
        for table in self.tables:
            notes = [table.notes, *(notes for group in table.groups for notes in group.notes.values())]
            for row in table.rows:
                notes += [row.notes, *(cell.notes for cell in row.cells)]
            self.notes.extend(chain.from_iterable(notes))
        self.notes[:] = dict.fromkeys(self.notes)

    def number(self, note: str) -> int:
        """Return the number of a footnote."""
        return self.notes.index(note) + 1


def render(page: Page, form: str) -> str:
    """Render a page as `md` or `html`."""
    return fill(f"table.{form}.j2", page=page)


def fill(template: str, **values: object) -> str:
    """Fill in a template of `workflow/templates/`; one of HTML escapes what it is given."""
    return _environment(template.endswith(".html.j2")).get_template(template).render(**values)


@cache
def words() -> Any:
    """Return the macros of `words.txt.j2`, to be called with entries."""
    return _environment(escapes=False).get_template("words.txt.j2").module


@cache
def _environment(escapes: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=escapes,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    wording = (duration, plural, ratio, three_digits, word_list)
    environment.filters |= {
        "markdown": _markdown,
        "zip": zip,
        **{written.__name__: written for written in wording},
    }
    environment.globals |= {"EMPTY": EMPTY, "MARK": MARK, "UNSURE": UNSURE, "RULE": RULE}
    environment.globals |= {"LEAST_BYTES": LEAST_BYTES, "LEAST_TRIALS": LEAST_TRIALS}
    return environment


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
