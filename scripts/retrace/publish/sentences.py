"""Sentences of figures: the templates of `workflow/templates/figures.yaml`, filled with what was computed."""

import re
from functools import cache

from jinja2 import Environment, StrictUndefined, Template

from retrace.reports.wording import word_list
from retrace.system.models import read_yaml
from retrace.system.project import ROOT

SENTENCES = ROOT / "workflow" / "templates" / "figures.yaml"


def sentence(name: str, **values: object) -> str:
    """Fill in a template; each of its paragraphs becomes a line, an empty one none."""
    paragraphs = _templates()[name].render(values).split("\n\n")
    return "\n".join(filter(None, (re.sub("[ \n]+", " ", text).strip() for text in paragraphs)))


@cache
def _templates() -> dict[str, Template]:
    plain = Environment(undefined=StrictUndefined, autoescape=False)  # Markdown and SVG, not HTML
    plain.filters["word_list"] = word_list
    return {name: plain.from_string(text) for name, text in read_yaml(SENTENCES).items()}
