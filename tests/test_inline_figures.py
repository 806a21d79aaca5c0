"""Figures within the page: nothing that is drawn is lost, and what they share stands once."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from command_line import refused
from fabricated import EVIL
from retrace.publish.inline_figures import InlineFigures, on_dark
from retrace.system.project import ROOT

FIGURES = sorted((ROOT / "docs/results").glob("*.svg"))
STYLES = (ROOT / "workflow/templates/report.css").read_text()
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
MARK = '<defs><path id="m1" d="M 0 2.123456 \nL 1 -0.000001 \nz\n" style="stroke: red"/></defs>'


def drawing(inside: str) -> str:
    return f'<?xml version="1.0"?>\n{HEAD} width="9.000001pt" viewBox="0 0 9.000001 7.5">{inside}</svg>'


def test_a_drawing_is_named_and_its_numbers_are_rounded() -> None:
    figures = InlineFigures()
    turned = '<text x="1.23456" style="a: b" transform="rotate(-0 1 2)">a &lt; b</text>'
    made = figures.add(drawing(f'<g id="g"><g clip-path="url(#p1)">{turned}</g></g>'), "one", "a <title>")
    assert made == (
        '<svg id="drawing-one" role="img" aria-label="a &lt;title&gt;" viewBox="0 0 9 7.5"'
        ' width="9pt" style="--width:9pt">'
        '<g clip-path="url(#p1)"><text x="1.23" class="f0">a &lt; b</text></g></svg>'
    )
    assert figures.rules == ".f0{a: b}\n"


def test_what_drawings_share_stands_once() -> None:
    figures = InlineFigures()
    use = '<use xlink:href="#m1" style="stroke: red"/><path d="M 1.0 2" transform="rotate(-90 1 2)"/>'
    for name in ("one", "two"):
        made = figures.add(drawing(f"<title>t</title><metadata>m</metadata>{MARK}{use}"), name, name)
        drawn = '<use href="#s0" class="f0"></use><path d="M1 2" transform="rotate(-90 1 2)"></path>'
        assert made.endswith(f'width="9pt" style="--width:9pt">{drawn}</svg>')
    assert figures.definitions == '<path d="M0 2.12L1 -0z" class="f0" id="s0"></path>'


def test_a_colour_of_its_own_is_a_style() -> None:
    figures = InlineFigures()
    made = figures.add(drawing('<rect fill="#fff" stroke="#000" width="2"/>'), "one", "one")
    assert '<rect width="2" class="f0"></rect>' in made
    assert figures.rules == ".f0{fill: #fff; stroke: #000}\n"


def test_on_a_dark_page_colours_keep_their_contrasts() -> None:
    """Each colour has one, also two that become the same; what has no colour stays as it is."""
    figures = InlineFigures()
    shapes = '<rect style="fill: #ffffff"/><rect style="fill: #fff"/><rect style="fill: none"/>'
    figures.add(drawing(shapes), "one", "one")
    (ground,) = re.findall(r"dark\) {\s*:root {\s*--ground: (#\w+)", STYLES)
    assert figures.dark_rules == f".f0{{fill: {ground}}}\n.f1{{fill: {ground}}}\n"
    for one, other in combinations(
        ["#000000", "#ffffff", "#0072b2", "#e0661a", "#f0c94a", "#b8bec6", "#123456"], 2
    ):
        before, after = contrast(one, other), contrast(on_dark(one), on_dark(other))
        assert after == pytest.approx(before, rel=0.12)
        assert (luminance(one) > luminance(other)) == (luminance(on_dark(one)) < luminance(on_dark(other)))


def test_a_line_keeps_a_hue_that_is_seen_on_a_dark_page() -> None:
    """A filled area, on which text may stand, and a grey line do not; bars of phases and of verdicts do."""
    for shape, turned in {
        '<path style="fill: #ddcc77"/>': "#ddcc77",
        '<path style="fill: #332288"/>': on_dark("#332288"),
        '<path style="fill: #5bb87b"/>': "#5bb87b",
        '<path style="fill: none; stroke: #e69f00"/>': "#e69f00",
        '<use style="fill: #0072b2; stroke: #0072b2"/>': "#0072b2",
        '<path style="fill: #e69f00; stroke: #e69f00"/>': on_dark("#e69f00"),
        '<path style="stroke: #e0e0e0"/>': on_dark("#e0e0e0"),
        '<path style="stroke: #332288"/>': on_dark("#332288"),
    }.items():
        figures = InlineFigures()
        figures.add(drawing(shape), "one", "one")
        assert turned in figures.dark_rules


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_words_of_a_marker_are_its_tooltip() -> None:
    figures = InlineFigures()
    two = '<use xlink:href="#m1" x="1"/><use xlink:href="#m1" x="2"/>'
    made = figures.add(
        drawing(f'<g id="tip:a &lt; b|c"><g>{two}</g></g><g id="tip:d|e">{MARK}</g>'), "one", "one"
    )
    assert (
        '<use href="#s0" x="1"><title>a &lt; b</title></use><use href="#s0" x="2"><title>c</title></use>'
        in made
    )
    assert "<g><title>d; e</title></g>" in made


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
