"""What a reader of a figure sees of its words: none is cut, none is over another or over the data."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend import Legend
from matplotlib.text import Text

BETWEEN = 1.8
"""Points between two words of a line."""


def visible(figure: Figure) -> Iterator[Text]:
    """Yield all texts of a figure; tick labels outside their axes are not drawn."""
    figure.draw_without_rendering()
    for part in figure.findobj(lambda artist: isinstance(artist, Figure | SubFigure)):
        assert isinstance(part, Figure | SubFigure)
        yield from part.texts
    for legend in figure.findobj(Legend):
        assert isinstance(legend, Legend)
        yield from legend.get_texts()
    for axes in figure.axes:
        yield from (text for text in _around(axes) if text.get_text() and text.get_visible())
        yield from axes.texts


def _around(axes: Axes) -> Iterator[Text]:
    yield from (axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label)  # type: ignore[attr-defined]
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        yield from (tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high)


def assert_nothing_is_cut_or_overlaps(figure: Figure) -> None:
    """Check that all words are in the figure, stand apart, and leave the data free but for points' names."""
    boxes = [(text, text.get_window_extent()) for text in visible(figure)]
    points = figure.dpi / 72
    for text, box in boxes:
        assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1, text
        assert figure.bbox.y0 <= box.y0 + points, text
        assert box.y1 - points <= figure.bbox.y1, text
        named = [axes for axes in figure.axes if text in axes.texts]
        for axes in figure.axes:
            assert axes in named or not axes.get_window_extent().padded(-points).overlaps(box), text
    for (text, box), (other, beside) in combinations(boxes, 2):
        apart = box.x1 + BETWEEN * points <= beside.x0 or beside.x1 + BETWEEN * points <= box.x0
        assert apart or box.y1 <= beside.y0 + points or beside.y1 <= box.y0 + points, (text, other)
