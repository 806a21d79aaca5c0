"""docs/results/ is what the committed records say today; each figure says its finding and can be read.

Each figure is drawn once, for the page and for the tests of what is drawn: it takes half a second.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from command_line import Call, needs_today
from figure_texts import assert_nothing_is_cut_or_overlaps
from retrace.planning.configuration import committed_records, load_configuration, project_keys
from retrace.planning.plan import Plan
from retrace.publish.chart import draw, drawing_of, image
from retrace.publish.chart_axes import drawn_words
from retrace.publish.chart_looks import KIND_COLOURS, SHAPES, SPARE, kind, line_colour
from retrace.publish.chart_words import caption
from retrace.publish.inline_figures import FILLS_ON_DARK, _style_on_dark
from retrace.publish.overview import INSIDE, NOISE, SEGMENTS, UNMEASURED
from retrace.publish.panels import FigureContent
from retrace.reports.finding import Verdict
from retrace.reports.frame import Entry, Frame, read_frames
from retrace.reports.like_for_like import FIRST
from retrace.reports.report import PUBLISHED, Drawing, Report, load_reports
from retrace.system.errors import RetraceError
from retrace.system.project import ROOT
from retrace_generated import results_pages
from retrace_generated.generated_parts import END, made_from, with_part
from retrace_generated.results_pages import REMAKE, stale

FOLDER = ROOT / "docs/results"
MOST_BYTES = 3_000_000
FIGURES = sorted(FOLDER.glob("*.svg"))
DRAWINGS = {name: drawing for report in load_reports().values() for name, drawing in report.figures.items()}
SVG = "{http://www.w3.org/2000/svg}"
WIDEST = 838 * 0.75
"""The points of the 838 pixels that GitHub shows a README in."""
LEAST_SIZE, LEAST_CONTRAST = 9, 4.5
UNTOLD = "cannot be told apart|within run-to-run noise|too few trials"
NUMBER = re.compile(rf"\d[ \u00a0]?(×|%|of \d|(ns|µs|ms|s)\b)|{UNTOLD}")  # noqa: RUF001
BRACES = re.compile(r"\{.+?\}")

every_figure = pytest.mark.parametrize("figure", [pytest.param(path, id=path.stem) for path in FIGURES])


@pytest.fixture
def root(figure: object) -> ElementTree.Element:
    return ElementTree.parse(str(figure)).getroot()


def text_of(root: ElementTree.Element, tag: str) -> str:
    return (root.findtext(f"{SVG}{tag}") or "").strip()


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def linear(colour: str) -> list[float]:
    """Return the parts of a colour as amounts of light."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


@every_figure
def test_its_title_says_a_number_that_was_computed(root: ElementTree.Element) -> None:
    assert NUMBER.search(text_of(root, "title"))
    assert text_of(root, "desc")


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, of WCAG 2."""
    less, more = sorted((luminance(one), luminance(other)))
    return (more + 0.05) / (less + 0.05)


def assert_readable(root: ElementTree.Element) -> None:
    """Check that all text is text, large enough, apart from the ground enough, and no word is cut.

    Numbers inside coloured bars have a test of their own.
    """
    assert float(root.get("width", "").removesuffix("pt")) <= WIDEST
    (ground,) = re.findall(r"fill: (#[0-9a-f]{6})", root.find(f".//{SVG}path").get("style", ""))
    inside = {text for group in root.iter(f"{SVG}g") if group.get("id", "").startswith("inside-")
              for text in group.iter(f"{SVG}text")}  # fmt: skip
    found = [text for text in root.iter(f"{SVG}text") if text not in inside]
    assert found
    for style in (text.get("style", "") for text in found):
        size = re.search(r"font-size: ([\d.]+)px", style)
        assert size
        assert float(size[1]) >= LEAST_SIZE, style
        fill = re.search(r"fill: (#[0-9a-f]{6})", style)
        assert contrast(fill[1] if fill else "#000000", ground) >= LEAST_CONTRAST, style
    quoted = re.sub(r"The report: .*? …", "", text_of(root, "desc"))
    assert "…" not in quoted + text_of(root, "title")


@every_figure
def test_it_can_be_read(root: ElementTree.Element) -> None:
    assert_readable(root)


def test_numbers_inside_the_bars_of_verdicts_can_be_read() -> None:
    colours = [*SEGMENTS.values(), NOISE, UNMEASURED]
    assert min(contrast(INSIDE, colour) for colour in colours) >= LEAST_CONTRAST
    assert SEGMENTS.keys() == set(Verdict) - {Verdict.OPEN}


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)
def test_no_number_of_a_title_is_typed(drawing: Drawing) -> None:
    counted = drawing.kind in ("waterfall", "scatter", "distances", "rates") or FIRST in drawing.measures
    assert drawing.finding or counted or drawing.y == "energy"
    assert not re.search(r"(?<!L)\d|[×%]", BRACES.sub("", drawing.finding))  # noqa: RUF001


# ----- the pages

Made = tuple[dict[str, bytes], list[tuple[FigureContent, Figure]]]


@pytest.fixture(scope="module")
def made() -> Made:
    """All files that are made of the committed records, and the figures drawn for them."""
    figures = []

    def drawn(content: FigureContent) -> Figure:
        figures.append((content, draw(content)))
        return figures[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results_pages, "draw", drawn)
        return results_pages.made_files(committed_records()), figures


@needs_today
def test_what_is_made_is_that_of_the_committed_records(made: Made) -> None:
    """Also the parts of README and of other documents."""
    assert {"README.md", "docs/adding-a-gpu.md", "docs/results/README.md"} <= made[0].keys()
    assert stale(made[0]) == [], f"these files are stale; write them anew with: {REMAKE}"


def test_a_document_without_a_mark_is_refused() -> None:
    begin = made_from("the records")
    assert with_part(f"a\n{begin}\nold\n{END}\nz", begin, "new") == f"a\n{begin}\n\nnew\n\n{END}\nz"
    with pytest.raises(RetraceError, match="expected this mark in the page"):
        with_part("a page", begin, "new")


def test_the_results_are_small_and_complete(made: Made) -> None:
    files = {
        name.removeprefix("docs/results/"): file
        for name, file in made[0].items()
        if name.startswith("docs/results/")
    }
    assert sum(map(len, files.values())) < MOST_BYTES
    front = files["README.md"].decode()
    for name, content in files.items():
        if name.endswith(".md"):
            linked = re.findall(r"\]\(([\w.-]+)\)", content.decode())
            assert [link for link in linked if link not in files] == [], name
            assert name == "README.md" or f"({name})" in front
    assert "/home" not in front + str([text for name, text in files.items() if name.endswith(".svg")])
    assert f"`{REMAKE}`" in front


def test_what_is_stale_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "docs/results"
    folder.mkdir(parents=True)
    for path in (folder / "kept", folder / "left", tmp_path / "altered.md", tmp_path / "another.md"):
        path.write_bytes(b"a")
    made = {"docs/results/kept": b"a", "altered.md": b"b", "missing.md": b"a"}
    assert stale(made, tmp_path) == ["altered.md", "docs/results/left", "missing.md"]


@needs_today
def test_the_program_writes_what_has_changed(
    tmp_path: Path, script: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {"docs/results/a.md": b"a", "docs/results/b.svg": b"b", "README.md": b"r"}
    monkeypatch.setattr(results_pages, "made_files", lambda records: made)
    folder = tmp_path / "docs/results"
    folder.mkdir(parents=True)
    (folder / "a.md").write_bytes(b"a")
    (folder / "old.svg").write_bytes(b"o")
    done = script("make-results", "--output", tmp_path)
    assert (done.status, done.err) == (0, "")
    assert done.out.split() == [str(tmp_path / "README.md"), str(folder / "b.svg"), str(folder / "old.svg")]
    assert sorted(path.name for path in folder.iterdir()) == ["a.md", "b.svg"]


def test_a_machine_with_faults_enters_no_page(
    tmp_path: Path, script: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "machines/h200/bfs-expansions/small-9.jsonl"
    path.parent.mkdir(parents=True)
    committed = ROOT / "results/machines/h200/bfs-expansions/small-9.jsonl"
    line = json.loads(committed.read_text().splitlines()[0])
    line["machine"]["gpu"]["compiled_for"] = "8.6"
    path.write_text(json.dumps(line) + "\n")
    monkeypatch.setattr("retrace.planning.configuration.committed_records", lambda: [path])
    monkeypatch.setattr(results_pages, "made_files", pytest.fail)
    done = script("make-results", "--output", tmp_path)
    assert done.status == 1
    assert done.err.startswith(f"error: {path}:1: machine.gpu.compiled_for: expected 9.0, its own, found 8.6")
    assert done.err.count("\n") == 1


# ----- all figures that a run draws, some of them not committed

CONFIGURATION, DATASETS = load_configuration(project_keys())
DRAWN = Plan(CONFIGURATION, DATASETS, load_reports(), "cuda", None).figures


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


@pytest.mark.long
@pytest.mark.parametrize("name", DRAWN)
def test_a_run_s_figure_can_be_read_and_its_words_stand_apart(
    name: str, committed: tuple[Mapping[str, Report], Frame], made: Made
) -> None:
    owners, frame = committed
    report = owners.get(name)
    drawing = drawing_of(report, name)
    files, figures = made
    if not (figure := next((figure for known, figure in figures if known.drawing == drawing), None)):
        figure = draw(FigureContent(drawing, frame, report))
    if not any(entry.times for entry in frame.of(drawing.experiment).measured):
        return
    assert_readable(ElementTree.fromstring(files.get(f"{name}.svg") or image(figure, "svg")))
    assert NUMBER.search(drawn_words(figure)[0])
    assert_nothing_is_cut_or_overlaps(figure)
    assert_axes_have_a_scale(figure)
    short, *_ = caption(FigureContent(drawing, frame, report)).split("\n\n")
    assert len(short.split()) <= 60
    for text in [*drawn_words(figure), short]:
        for amount in re.findall(r"([\d.,]+)\N{NO-BREAK SPACE}×", text):  # noqa: RUF001
            assert len(amount.replace(".", "").replace(",", "").strip("0")) <= 2, text
        assert not re.search(r"\d(×|%)|times as long", text), text  # noqa: RUF001


def assert_axes_have_a_scale(figure: Figure) -> None:
    """Check that each logarithmic axis names two places a decade apart, and has minor ticks."""
    for axes in figure.axes:
        for axis, scale in ((axes.xaxis, axes.get_xscale()), (axes.yaxis, axes.get_yscale())):
            low, high = sorted(axis.get_view_interval())
            named = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
            minor = [tick for tick in axis.get_minorticklocs() if low <= tick <= high]
            if scale == "log" and axis.get_ticklabels():
                assert max(named) >= 8 * min(named), axes.get_title("left")
                assert minor, axes.get_title("left")


def test_lines_have_the_colours_of_solvers_and_rows_of_kinds_of_one_shape_each(made: Made) -> None:
    """Each marker that stands for a time is of the colour and the shape that an entry with that time has."""
    seen = Counter[str]()
    for content, figure in made[1]:
        upright = content.kind in ("lines", "scatter", "rates")
        looks: dict[float, set[tuple[str, str]]] = defaultdict(set)
        for dot in (dot for panel in content.panels for dot in panel.dots):
            trials = [ms for some in dot.value.trials for ms in some]
            for ms in (dot.value.median, *trials):
                looks[round(ms, 9)] |= {
                    (SHAPES[kind(dot.entry)], colour.lower()) for colour in _colours(dot.entry, content.kind)
                }
                seen[dot.entry.solver] += 1
        for line in (line for axes in figure.axes for line in axes.lines):
            is_sign = str(line.get_markerfacecolor()) == "none"
            if line.get_marker() in SHAPES.values() and not is_sign and content.drawing.kind != "waterfall":
                look = (str(line.get_marker()), to_hex(line.get_color()))
                for value in np.ravel(line.get_ydata() if upright else line.get_xdata()):
                    assert look in looks[round(float(value), 9)], (content.drawing.title, value)
    assert len(seen) > 40
    assert len(set(SHAPES.values())) == len(SHAPES)


def _colours(entry: Entry, figure: str) -> list[str]:
    return [line_colour(entry), *SPARE] if figure == "lines" else [KIND_COLOURS[kind(entry)]]


LEAST_SEEN, LEAST_APART = 3.0, 0.1
"""The contrast of a line with its ground, by WCAG 2, and how far two colours are apart in Oklab."""
TO_CONES = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
TO_OKLAB = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])


def apart(one: str, other: str) -> float:
    """Return how far two colours are apart for an eye."""
    places = [TO_OKLAB @ np.cbrt(TO_CONES @ linear(colour)) for colour in (one, other)]
    return float(np.linalg.norm(places[0] - places[1]))


def test_each_line_is_seen_on_a_light_and_a_dark_page_and_told_from_the_others(made: Made) -> None:
    lines = 0
    for content, figure in made[1]:
        if content.kind not in ("lines", "scatter", "rates"):
            continue
        for axes in figure.axes:
            colours = {to_hex(line.get_color()) for line in axes.lines}
            for colour in colours:
                dark = _style_on_dark(f"stroke: {colour}", is_line=True).removeprefix("stroke: ")
                assert contrast(colour, "#ffffff") >= LEAST_SEEN, (content.drawing.title, colour)
                assert contrast(dark, FILLS_ON_DARK["#ffffff"]) >= LEAST_SEEN, (content.drawing.title, dark)
            if content.kind == "lines":
                joined = [line for line in axes.lines if line.get_marker() in SHAPES.values()]
                looks = [(str(one.get_marker()), to_hex(one.get_color())) for one in joined]
                ends = Counter(
                    to_hex(line.get_color()) for line in axes.lines if line.get_transform() == axes.transAxes
                )
                assert max(ends.values()) == 1, content.drawing.title
                for (marker, one), (other_marker, other) in combinations(set(looks), 2):
                    assert marker != other_marker or apart(one, other) >= LEAST_APART, content.drawing.title
                lines += len(joined)
    assert lines > 50
