"""Figures within a page: the SVG that matplotlib writes, in a quarter of its bytes.

What figures share stands once: markers and clips, whose ids are hashes of their content, and styles. Each
colour has a second one for a dark page.
"""

import re
from collections.abc import Iterable
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from markupsafe import Markup
from matplotlib.colors import to_hex, to_rgb

from retrace.publish.chart_looks import HEAT, INSIDE, PHASES, VERDICT_COLOURS
from retrace.system.errors import RetraceError

UNSEEN = ("metadata", "style", "title", "desc", "defs")
"""Elements that are left out: the page names its figures itself, and has one set of definitions."""
COLOUR = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
PAINT = ("fill", "stroke")
"""Attributes of their own that draw as a style does."""
REFERRING, HASHED = ("href", "clip-path"), re.compile(r"#(\w+)")
"""Attributes that name a definition, and the name."""
LETTERING = ("font-family", "font-size")
"""Attributes that a drawing has for all its texts."""
LUMINANCE_WEIGHTS = (0.2126, 0.7152, 0.0722)
"""Of the linear parts of a colour in its luminance, as WCAG 2 defines it, also FLARE."""
FLARE, DARK_GROUND = 0.05, 0.0065
"""What contrast adds to a luminance, and the luminance of a dark page."""
SEEN, HUE = 3.0, 0.1
"""The least contrast of a graphical object in WCAG 2, and how far the linear parts of a hue differ."""
FILLED = re.compile(r"(?<![-\w])fill:(?! *none)")
TIP, BETWEEN_TIPS = "tip:", "|"
"""How the id of an element begins that has words for each of its markers, and what stands between them."""
FRACTION = re.compile(r"\d+\.\d+")
KEPT = [colour.lower() for colour in (INSIDE, *VERDICT_COLOURS.values())]
"""Of bars with numbers in them, and of these numbers, the same on every page."""
FILLS_ON_DARK = {light.lower(): dark for light, dark in HEAT.items()} | {colour: colour for colour in KEPT}
FILLS_ON_DARK |= dict.fromkeys(("#ffffff", "#fff"), "#0f1318")  # the ground of templates/report.css
WORDLESS = {colour.lower() for colour in PHASES.values()}
"""Fills on which no words stand."""
CLIPPED = r"(?:(?!</?g[ >]).)*</g>"
SAME_CLIP = re.compile(rf'(<g clip-path="[^"]*">){CLIPPED}(?:\1{CLIPPED})+')
"""Groups of one clip, one after another: matplotlib writes one for each marker."""
UNTURNED = re.compile(r"rotate\(-?0 ")


class InlineFigures:
    """Collects the figures of a page, and the definitions and styles that they share."""

    def __init__(self) -> None:
        self._definitions: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        """Short ones for the ids of definitions, which are hashes."""
        self._styles: dict[tuple[str, bool], str] = {}
        """The classes, by the style and whether it is of a line or a marker, on which no text stands."""

    @property
    def definitions(self) -> Markup:
        """Return what figures refer to, as the children of an SVG element."""
        return Markup("".join(self._definitions.values()))

    @property
    def rules(self) -> Markup:
        """Return the style sheet of the figures; nothing in it can end a style element."""
        return _sheet((style, name) for (style, _), name in self._styles.items())

    @property
    def dark_rules(self) -> Markup:
        """Return what differs in it on a dark page."""
        coloured = ((*key, name) for key, name in self._styles.items() if COLOUR.search(key[0]))
        return _sheet((_style_on_dark(style, is_line), name) for style, is_line, name in coloured)

    def add(self, svg: str, name: str, title: str) -> Markup:
        """Return an SVG file as an element of HTML with the id `drawing-<name>`.

        Raise RetraceError if it is no SVG.
        """
        try:
            root = ElementTree.fromstring(svg)
        except ElementTree.ParseError as error:
            raise RetraceError(f"{name}.svg: expected SVG, found {error}") from None
        for place in root.iterfind(".//{*}defs"):
            for part in place:
                if hashed := part.get("id"):
                    key = self._keys.setdefault(hashed, f"s{len(self._keys)}")
                    self._definitions.setdefault(key, self._element(part, {"id": key}))
        box = {key: _rounded(root.get(key, "")) for key in ("viewBox", "width")}
        box |= {key: value for key in LETTERING if (value := root.get(key))}
        attributes = {"id": f"drawing-{name}", "role": "img", "aria-label": title} | box
        if width := box["width"]:
            attributes["style"] = f"--width:{width}"  # below which the page does not make it much smaller
        return Markup(SAME_CLIP.sub(_clip_once, self._element(root, attributes)))

    def _element(self, part: Element, given: dict[str, str] | None = None) -> str:
        """Return an element with its children; `given` attributes replace or join those that draw it."""
        tag = part.tag.rpartition("}")[2]
        _spread_tips(part)
        children = [self._element(child) for child in part if child.tag.rpartition("}")[2] not in UNSEEN]
        tip = f"<title>{escape(words)}</title>" if (words := part.get(TIP)) else ""
        inside = tip + escape((part.text or "").strip()) + "".join(children)
        attributes = self._attributes(part) if tag != "svg" else {}
        attributes |= given or {}
        if tag == "g" and not attributes and not tip:
            return inside  # which only had a name
        written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
        return f"<{tag}{written}>{inside}</{tag}>"

    def _attributes(self, part: Element) -> dict[str, str]:
        """Return what draws an element: its style as a class, its numbers with two decimals."""
        attributes = {}
        for full, value in part.items():
            key = full.rpartition("}")[2]
            if key in REFERRING:
                attributes[key] = HASHED.sub(lambda found: f"#{self._keys.get(found[1], found[1])}", value)
            elif key == "d":
                attributes[key] = re.sub(r"\s*([A-Za-z])\s*", r"\1", _rounded(value))
            elif key not in (*PAINT, TIP, "style", "id", "transform") or (
                key == "transform" and not UNTURNED.match(value)
            ):
                attributes[key] = _rounded(value)
        painted = "; ".join(f"{key}: {colour}" for key in PAINT if (colour := part.get(key)))
        if style := "; ".join(filter(None, (painted, part.get("style")))):
            is_line = part.tag.endswith("use") or not FILLED.search(style)
            attributes["class"] = self._styles.setdefault((style, is_line), f"f{len(self._styles)}")
        return attributes


def _spread_tips(part: Element) -> None:
    """Give the words in an element's id to its markers, if there are as many, or else to itself."""
    if (words := part.get("id", "")).startswith(TIP):
        tips = words.removeprefix(TIP).split(BETWEEN_TIPS)
        markers = [one for one in part.iter() if one.tag.rpartition("}")[2] == "use"]
        each = (
            list(zip(markers, tips, strict=True)) if len(markers) == len(tips) else [(part, "; ".join(tips))]
        )
        for one, tip in each:
            one.set(TIP, tip)


def _clip_once(run: re.Match[str]) -> str:
    return run[1] + run[0].replace(run[1], "").replace("</g>", "") + "</g>"


def _style_on_dark(style: str, is_line: bool) -> str:
    """Return a style for a dark page; a line, marker or bar without words keeps a hue that is seen there."""

    def turned(found: re.Match[str]) -> str:
        kept = (is_line or found[0].lower() in WORDLESS) and _is_seen(found[0])
        return found[0] if kept else FILLS_ON_DARK.get(found[0].lower()) or on_dark(found[0])

    return COLOUR.sub(turned, style)


def _is_seen(colour: str) -> bool:
    """Whether it is a hue, not a grey, and differs enough from a dark page."""
    linear = _linear(colour)
    return bool(np.ptp(linear) > HUE and linear @ LUMINANCE_WEIGHTS + FLARE >= SEEN * (DARK_GROUND + FLARE))


def _linear(colour: str) -> np.ndarray:
    """Return the parts of a colour as amounts of light, by sRGB."""
    parts = np.array(to_rgb(colour))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def on_dark(colour: str) -> str:
    """Return what `#rrggbb` or `#rgb` becomes on a dark page: any two keep their contrast, light for dark."""
    linear = _linear(colour) if np.any(to_rgb(colour)) else np.ones(3)
    luminance = _linear(colour) @ LUMINANCE_WEIGHTS
    wanted = min(1.0, (1 + FLARE) / (luminance + FLARE) * (DARK_GROUND + FLARE) - FLARE)
    hue = linear / linear.max()
    full = hue @ LUMINANCE_WEIGHTS
    white = max(0.0, (wanted - full) / (1 - full)) if full < 1 else 0.0
    turned = white + (1 - white) * min(1.0, wanted / full) * hue
    return to_hex(np.where(turned <= 0.0031308, 12.92 * turned, 1.055 * turned ** (1 / 2.4) - 0.055))


def _sheet(styles: Iterable[tuple[str, str]]) -> Markup:
    rules = (f".{name}{{{style}}}\n" for style, name in styles)
    return Markup("".join(rules).replace("<", ""))


def _rounded(numbers: str) -> str:
    """Round numbers to a hundredth of a point; hashes in the id of a definition have no fraction."""
    return FRACTION.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), numbers)
