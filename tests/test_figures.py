"""The figures of the committed records: each says its finding and can be read, also by a screen reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from retrace.planning.configuration import committed_records, load_configuration, project_keys
from retrace.planning.plan import Plan
from retrace.publish.chart import WORDS, draw, drawing_of, image
from retrace.reports.frame import Frame, read_frames
from retrace.reports.report import PUBLISHED, Drawing, Report, load_reports
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


def assert_readable(root: ElementTree.Element) -> None:
    """Check that all text is text, large enough and dark enough, and no word is cut."""
    assert float(root.get("width", "").removesuffix("pt")) <= WIDEST
    found = styles(root)
    assert found
    for style in found:
        size = re.search(r"font-size: ([\d.]+)px", style)
        assert size
        assert float(size[1]) >= LEAST_SIZE, style
        fill = re.search(r"fill: (#[0-9a-f]{6})", style)
        assert fill is None or 1.05 / (luminance(fill[1]) + 0.05) >= LEAST_CONTRAST, style
    quoted = re.sub(r"The report: .*? …", "", text_of(root, "desc"))
    assert "…" not in quoted + text_of(root, "title")


@every_figure
def test_it_can_be_read(root: ElementTree.Element) -> None:
    assert_readable(root)


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)
def test_no_number_of_a_title_is_typed(drawing: Drawing) -> None:
    assert drawing.finding or drawing.falls or "limits" in drawing.also
    assert not re.search(r"(?<!L)\d|[×%]", BRACES.sub("", drawing.finding))  # noqa: RUF001


# ----- all figures that a run draws, most of them not committed

CONFIGURATION, DATASETS = load_configuration(project_keys())
DRAWN = Plan(CONFIGURATION, DATASETS, load_reports(), "cuda", None).figures
GAP = 1.8
"""Points between two words of a line."""


def test_an_experiment_of_which_a_table_says_enough_has_no_figure() -> None:
    layouts = {name: layout for report in load_reports().values() for name, layout in report.tables.items()}
    told = {name for name in CONFIGURATION.experiments if name in layouts and not layouts[name].figure}
    assert "mask-counts" in told
    assert told.isdisjoint(DRAWN)


@pytest.fixture(scope="module")
def committed() -> tuple[Mapping[str, Report], Frame]:
    reports, frame = read_frames(sorted(PUBLISHED.glob("*.yaml")), committed_records())
    owners = {name: report for report in reports for name in (*report.tables, *report.figures)}
    return owners, frame


@pytest.mark.parametrize("name", DRAWN)
def test_a_run_s_figure_can_be_read_and_its_words_stand_apart(
    name: str, committed: tuple[Mapping[str, Report], Frame]
) -> None:
    owners, frame = committed
    report = owners.get(name)
    drawing = drawing_of(report, name)
    figure = draw(drawing, frame, report)
    if not any(entry.times for entry in frame.of(drawing.experiment).measured):
        return
    assert_readable(ElementTree.fromstring(image(figure, "svg")))
    words = [text.get_text() for text in figure.texts if text.get_label() == WORDS]
    assert NUMBER.search(words[-1])
    boxes = [(text.get_text(), text.get_window_extent().bounds) for text in visible(figure)]
    points = figure.dpi / 72
    for (one, (x, y, wide, high)), (other, (x2, y2, wide2, high2)) in combinations(boxes, 2):
        beside = x + wide + GAP * points <= x2 or x2 + wide2 + GAP * points <= x
        assert beside or y + high <= y2 + points or y2 + high2 <= y + points, (one, other)


def visible(figure: Figure) -> Iterator[Text]:
    """Yield all texts of a figure; tick labels outside their axes are not drawn."""
    figure.draw_without_rendering()
    yield from figure.texts
    for legend in figure.legends:
        yield from legend.get_texts()
    for axes in figure.axes:
        shown: Sequence[Text] = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        yield from (text for text in shown if text.get_text())
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if tick.label1.get_visible() and tick.label1.get_text() and low <= tick.get_loc() <= high:
                    yield tick.label1
