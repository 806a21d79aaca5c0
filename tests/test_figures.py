"""The committed figures: each says its finding and can be read, in README and by a screen reader."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from retrace.reports.report import Drawing, load_reports
from retrace.system.project import ROOT

FIGURES = sorted((ROOT / "docs/results").glob("*.svg"))
DRAWINGS = {name: drawing for report in load_reports().values() for name, drawing in report.figures.items()}
SVG = "{http://www.w3.org/2000/svg}"
WIDEST = 838 * 0.75
"""The points of the 838 pixels that GitHub shows a README in."""
LEAST_SIZE, LEAST_CONTRAST = 9, 4.5
NUMBER = re.compile(r"\d(×|%|\u00a0?(ns|µs|ms|s)\b| (ns|µs|ms|s)\b)")  # noqa: RUF001
BRACES = re.compile(r"\{.+?\}")

every_figure = pytest.mark.parametrize("figure", [pytest.param(path, id=path.stem) for path in FIGURES])


@pytest.fixture
def root(figure: object) -> ElementTree.Element:
    return ElementTree.parse(str(figure)).getroot()


def text_of(root: ElementTree.Element, tag: str) -> str:
    return (root.findtext(f"{SVG}{tag}") or "").strip()


def styles(root: ElementTree.Element) -> list[str]:
    return [element.get("style", "") for element in root.iter(f"{SVG}text")]


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@every_figure
def test_its_title_says_a_number_that_was_computed(root: ElementTree.Element) -> None:
    assert NUMBER.search(text_of(root, "title"))
    assert text_of(root, "desc")


@every_figure
def test_its_text_is_text_large_enough_and_dark_enough(root: ElementTree.Element) -> None:
    assert float(root.get("width", "").removesuffix("pt")) <= WIDEST
    found = styles(root)
    assert found
    for style in found:
        size = re.search(r"font-size: ([\d.]+)px", style)
        assert size
        assert float(size[1]) >= LEAST_SIZE, style
        fill = re.search(r"fill: (#[0-9a-f]{6})", style)
        assert fill is None or 1.05 / (luminance(fill[1]) + 0.05) >= LEAST_CONTRAST, style


@every_figure
def test_no_word_of_it_is_cut(root: ElementTree.Element) -> None:
    quoted = re.sub(r"The report: .*? …", "", text_of(root, "desc"))
    assert "…" not in quoted + text_of(root, "title")


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)
def test_no_number_of_a_title_is_typed(drawing: Drawing) -> None:
    assert drawing.finding or drawing.falls or "limits" in drawing.also
    assert not re.search(r"(?<!L)\d|[×%]", BRACES.sub("", drawing.finding))  # noqa: RUF001
