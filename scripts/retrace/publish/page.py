"""A page with a table or more, to be rendered as Markdown or HTML."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

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
    summary of which it shows the median. A ranked one says how much slower than the best it is, with its step
    of colour; `best` are the least time and those that cannot be told from it.
    """

    text: str = EMPTY
    tip: str = ""
    bad: bool = False
    notes: Sequence[str] = ()
    value: float | None = None
    address: str = ""
    entry: Measured | None = None
    times: Summary | None = None
    over: str = ""
    step: int | None = None
    best: bool = False


class Row(NamedTuple):
    """A label and its cells; without cells it heads the rows of a section."""

    label: str
    cells: Sequence[Cell] = ()


@dataclass(frozen=True)
class Table:
    """A frame of cells, whose rows have a section and a label, and whose columns have a group and a head.

    Sections and groups may be empty. `texts` are the heads of columns of text, all others of numbers. The
    heading tells several tables of a page apart. Footnotes are by the heading, group, head or label.
    """

    cells: pd.DataFrame
    heading: str = ""
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    texts: Collection[str] = ()

    @cached_property
    def columns(self) -> list[tuple[str, str]]:
        """The group and the head of each column."""
        columns: Any = self.cells.columns
        return list(columns)

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """The heads of each group."""
        groups: dict[str, list[str]] = {}
        for group, head in self.columns:
            groups.setdefault(group, []).append(head)
        return groups

    @cached_property
    def rows(self) -> list[Row]:
        """The rows, those of a section below one that names it."""
        rows = []
        for section, part in groupby(self.cells.itertuples(name=None), lambda row: row[0][0]):
            rows += [Row(section)] if section else []
            rows += [Row(label, cells) for (_, label), *cells in part]
        return rows

    @property
    def footnotes(self) -> Iterator[str]:
        """All footnotes, in the order in which a reader meets them."""
        heads = [title for group, heads in self.groups.items() for title in (group, *heads)]
        for title in (self.heading, *heads):
            yield from self.notes.get(title, ())
        for row in self.rows:
            yield from self.notes.get(row.label, ())
            yield from chain.from_iterable(cell.notes for cell in row.cells)


@dataclass(frozen=True)
class Page:
    """Titled tables with footnotes and closing remarks."""

    title: str
    summary: str
    label_heading: str
    tables: Sequence[Table]
    remarks: Sequence[str] = ()

    @cached_property
    def notes(self) -> list[str]:
        """The footnotes by their numbers, from 1."""
        return list(dict.fromkeys(note for table in self.tables for note in table.footnotes))

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


def number_table(heads: Sequence[str], rows: Iterable[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Return a table whose columns are of numbers, on the right, but for those on the `left`."""
    marks = ["---" if column in left else "--:" for column in range(len(heads))]
    return "\n".join(f"|{'|'.join(cells)}|" for cells in [heads, marks, *rows])


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
