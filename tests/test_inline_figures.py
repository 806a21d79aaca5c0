"""Figures within the page: nothing that is drawn is lost, and what they share stands once."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from command_line import refused
from fabricated import EVIL
from retrace.publish.inline_figures import InlineFigures
from retrace.system.project import ROOT

FIGURES = sorted((ROOT / "docs/results").glob("*.svg"))
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
MARK = '<defs><path id="m1" d="M 0 2.123456 \nL 1 -0.000001 \nz\n" style="stroke: red"/></defs>'


def drawing(inside: str) -> str:
    return f'<?xml version="1.0"?>\n{HEAD} width="9.000001pt" viewBox="0 0 9.000001 7.5">{inside}</svg>'


def test_a_drawing_is_named_and_its_numbers_are_rounded() -> None:
    figures = InlineFigures()
    turned = '<text x="1.23456" style="a: b" transform="rotate(-0 1 2)">a &lt; b</text>'
    made = figures.add(drawing(f'<g id="g"><g clip-path="url(#p1)">{turned}</g></g>'), "one", "a <title>")
    assert made == (
        '<svg id="drawing-one" role="img" aria-label="a &lt;title&gt;" viewBox="0 0 9 7.5" width="9pt">'
        '<g clip-path="url(#p1)"><text x="1.23" class="f0">a &lt; b</text></g></svg>'
    )
    assert figures.rules == ".f0{a: b}\n"


def test_what_drawings_share_stands_once() -> None:
    figures = InlineFigures()
    use = '<use xlink:href="#m1" style="stroke: red"/><path d="M 1.0 2" transform="rotate(-90 1 2)"/>'
    for name in ("one", "two"):
        made = figures.add(drawing(f"<title>t</title><metadata>m</metadata>{MARK}{use}"), name, name)
        drawn = '<use href="#m1" class="f0"></use><path d="M1 2" transform="rotate(-90 1 2)"></path>'
        assert made.endswith(f'width="9pt">{drawn}</svg>')
    assert figures.definitions == '<path d="M0 2.12L1 -0z" class="f0" id="m1"></path>'


def test_no_text_of_a_drawing_becomes_html() -> None:
    figures = InlineFigures()
    text = EVIL.replace("&", "&amp;").replace("<", "&lt;")
    quoted = text.replace('"', "&quot;")
    made = figures.add(drawing(f'<text style="{quoted}" x="{quoted}">{text}</text>'), EVIL, EVIL)
    for written in (made, figures.rules):
        assert "<img" not in written
        assert "<script" not in written


def test_what_is_no_drawing_is_named() -> None:
    assert (
        refused(InlineFigures().add, "<svg>", "one", "one")
        == "one.svg: expected SVG, found no element found: line 1, column 5"
    )


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_nothing_that_is_drawn_is_lost(path: Path) -> None:
    """Texts in their order, as many marks and lines, and each reference to a definition."""
    figures = InlineFigures()
    text = path.read_text()
    made = str(figures.add(text, "one", "one"))
    before = ElementTree.fromstring(text)
    shared = str(figures.definitions)
    after = ElementTree.fromstring(f"<all>{made}{shared}</all>")
    space = "{http://www.w3.org/2000/svg}"
    assert [one.text for one in after.iter("text")] == [one.text for one in before.iter(f"{space}text")]
    for tag in ("use", "path", "rect"):
        assert len(list(after.iter(tag))) == len(list(before.iter(f"{space}{tag}")))
    used = {*re.findall(r'href="#(\w+)"', made), *re.findall(r"url\(#(\w+)\)", made)}
    assert used
    assert used == {one.get("id") for one in after if one.get("id") != "drawing-one"}
    assert set(re.findall(r'class="(\w+)"', made + shared)) == set(
        re.findall(r"^\.(\w+){", figures.rules, re.MULTILINE)
    )
    assert len(made) < 0.5 * len(text)
